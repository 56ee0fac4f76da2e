/* The scanner against jansson: they accept the same documents, and strings decode
 * alike. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether jansson has limits or stricter rules than the grammar: text that is not
 * UTF-8, lone surrogates, numbers that are out of its range. */
static bool beyond_jansson(const json_error_t *error)
{
    static const char *const reasons[] = { "UTF-8", "Unicode", "unable to decode",
                                           "too big", "range" };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strstr(error->text, reasons[i]) != NULL)
            return true;
    }
    return json_error_code(error) == json_error_numeric_overflow;
}

static void compare_string(const struct json_scan *scan, const json_t *judged)
{
    struct buffer text = BUFFER_INIT;
    json_scan_text(scan, &text);
    if (text.len != json_string_length(judged)
        || (text.len > 0 && memcmp(text.data, json_string_value(judged), text.len) != 0))
        abort();
    buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_scan scan;
    json_error_t error;
    if (size == 0)
        return 0;
    json_scan_init(&scan, (const char *)data, size);
    while (json_scan_next(&scan) > JSON_SCAN_BAD)
        continue;
    if (json_scan_offset(&scan) > size)
        abort();
    json_t *judged = json_loadb((const char *)data, size,
                                JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    /* jansson takes a NUL behind a number for the end of the text. */
    bool nul = memchr(data, 0, size) != NULL;
    bool deep = scan.problem != NULL && strstr(scan.problem, "deeper") != NULL;
    if (judged != NULL && scan.token != JSON_SCAN_END && !deep && !nul)
        abort();
    if (judged == NULL && scan.token == JSON_SCAN_END && !beyond_jansson(&error))
        abort();
    if (json_is_string(judged)) {
        json_scan_init(&scan, (const char *)data, size);
        json_scan_next(&scan);
        compare_string(&scan, judged);
    }
    json_decref(judged);
    return 0;
}
