/* Any bytes as each of the formats of JSON lines. */
#include "trace_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_trace(data, size, REQUESTS_MOONCAKE);
    fuzz_trace(data, size, REQUESTS_QWEN);
    fuzz_trace(data, size, REQUESTS_SESSIONS);
    fuzz_trace(data, size, REQUESTS_NDJSON);
    return 0;
}
