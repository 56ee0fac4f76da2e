/* The chunk scanner on any payload: what jansson accepts must be understood as the
 * reference does, what jansson refuses must be refused. Byte 0 chooses the event:
 * field. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "tests/unit/chunk_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = { "", "error", "ping", "message_delta" };
    struct chunk expected, actual;
    if (size < 1)
        return 0;
    const char *type = types[data[0] % 4];
    size_t len = size - 1;
    char *payload = memory_new(len + 1, 1); /* json_loadb does not take NULL */
    memcpy(payload, data + 1, len);
    enum reference_verdict verdict = reference_scan(&expected, payload, len, type);
    char *exact = memory_new(len > 0 ? len : 1, 1);
    memcpy(exact, payload, len);
    chunk_scan(&actual, exact, len, type);
    if ((verdict == REFERENCE_VALID && !reference_agrees(&expected, &actual))
        || (verdict == REFERENCE_INVALID && actual.valid))
        abort();
    free(exact);
    free(payload);
    return 0;
}
