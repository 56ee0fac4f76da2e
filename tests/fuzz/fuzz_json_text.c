/* Any bytes quoted as a JSON string, and any bits as a JSON number, against jansson: it
 * takes what we write; well-formed UTF-8 and finite numbers come back the same. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static json_t *parse(const struct buffer *text)
{
    json_t *value =
        json_loadb(text->data, text->len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (value == NULL)
        abort();
    return value;
}

static void check_string(const char *bytes, size_t len)
{
    struct buffer text = { 0 };
    buffer_append_json_string(&text, bytes, len);
    json_t *value = parse(&text);
    json_t *expected = json_stringn(bytes, len); /* NULL when not UTF-8 */
    if (expected != NULL && !json_equal(value, expected))
        abort();
    json_decref(expected);
    json_decref(value);
    buffer_release(&text);
}

static void check_number(const uint8_t *data, size_t size)
{
    double number = 0;
    memcpy(&number, data, size < sizeof number ? size : sizeof number);
    struct buffer text = { 0 };
    buffer_append_json_number(&text, number);
    if (isfinite(number)) {
        double back = strtod(buffer_text(&text), NULL);
        if (memcmp(&back, &number, sizeof back) != 0)
            abort();
    }
    json_decref(parse(&text));
    buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_string((const char *)data, size);
    check_number(data, size);
    return 0;
}
