#include "formats/messages.h"

#include <string.h>

#include "formats/base/json_scan.h"

uint32_t tokens_of_text(size_t bytes)
{
    return (uint32_t)((bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN);
}

static bool is_role(const char *role, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(role, name, len) == 0;
}

static const char *known_role(const char *role, size_t len)
{
    static const char *const roles[] = { "system", "user", "assistant" };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (is_role(role, len, roles[i]))
            return roles[i];
    }
    return "user";
}

void messages_append(struct buffer *out, bool first, const char *role, size_t role_len,
                     const char *text, size_t text_len)
{
    buffer_append_text(out, first ? "{\"role\":\"" : ",{\"role\":\"");
    buffer_append_text(out, known_role(role, role_len));
    buffer_append_text(out, "\",\"content\":\"");
    buffer_append(out, text, text_len);
    buffer_append_text(out, "\"}");
}

/* Appends the strings of the value at hand: itself, or those called "text" or
 * "content" in it. */
static bool gather_text(struct json_scan *scan, struct buffer *text)
{
    if (scan->token == JSON_SCAN_STRING) {
        buffer_append(text, scan->value, scan->value_len);
        return true;
    }
    if (scan->token != JSON_SCAN_ARRAY && scan->token != JSON_SCAN_OBJECT)
        return scan->token != JSON_SCAN_BAD;
    int outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_SCAN_BAD)
            return false;
        if (token != JSON_SCAN_KEY
            || (!json_scan_is(scan, "text") && !json_scan_is(scan, "content")))
            continue;
        if (json_scan_next(scan) == JSON_SCAN_STRING)
            buffer_append(text, scan->value, scan->value_len);
    }
    return true;
}

static bool rewrite_message(struct buffer *out, struct json_scan *scan, bool first,
                            struct buffer *text)
{
    const char *role = "";
    size_t role_len = 0;
    buffer_clear(text);
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        bool is_text = json_scan_is(scan, "content") || json_scan_is(scan, "parts");
        bool is_role = json_scan_is(scan, "role");
        json_scan_next(scan);
        if (is_role && scan->token == JSON_SCAN_STRING) {
            role = scan->value;
            role_len = scan->value_len;
        } else if (is_text ? !gather_text(scan, text) : !json_scan_skip(scan)) {
            return false;
        }
    }
    messages_append(out, first, role, role_len, text->data, text->len);
    return scan->token == JSON_SCAN_OBJECT_END;
}

bool messages_rewrite(struct buffer *out, const char *json, size_t len,
                      size_t *text_bytes)
{
    struct json_scan scan;
    struct buffer text = BUFFER_INIT;
    size_t count = 0;
    bool good = true;
    *text_bytes = 0;
    json_scan_init(&scan, json, len);
    if (json_scan_next(&scan) != JSON_SCAN_ARRAY)
        return false;
    buffer_append_byte(out, '[');
    while (good && json_scan_next(&scan) == JSON_SCAN_OBJECT) {
        good = rewrite_message(out, &scan, count++ == 0, &text);
        *text_bytes += text.len;
    }
    buffer_append_byte(out, ']');
    buffer_release(&text);
    return good && scan.token == JSON_SCAN_ARRAY_END
           && json_scan_next(&scan) == JSON_SCAN_END;
}
