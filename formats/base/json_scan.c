#include "formats/base/json_scan.h"

#include <string.h>

void json_scan_init(struct json_scan *scan, const char *text, size_t len)
{
    memset(scan, 0, sizeof *scan);
    scan->start = text;
    scan->at = text;
    scan->end = text + len;
    scan->value = text;
}

static enum json_token bad(struct json_scan *scan, const char *problem)
{
    scan->problem = problem;
    return JSON_SCAN_BAD;
}

static void skip_space(struct json_scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\n' ||
                                    *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

static bool in_object(const struct json_scan *scan)
{
    unsigned level = (unsigned)scan->depth - 1;
    return scan->depth > 0 && (scan->objects[level / 64] >> (level % 64) & 1) != 0;
}

static enum json_token open_level(struct json_scan *scan, bool object)
{
    if (scan->depth == JSON_SCAN_DEPTH_MAX)
        return bad(scan, "nested deeper than 256 levels");
    unsigned level = (unsigned)scan->depth++;
    uint64_t bit = UINT64_C(1) << (level % 64);
    scan->objects[level / 64] &= ~bit;
    if (object)
        scan->objects[level / 64] |= bit;
    scan->at++;
    scan->expect_key = object;
    return object ? JSON_SCAN_OBJECT : JSON_SCAN_ARRAY;
}

static enum json_token close_level(struct json_scan *scan)
{
    bool object = in_object(scan);
    scan->depth--;
    scan->at++;
    scan->expect_key = false;
    scan->expect_separator = true;
    return object ? JSON_SCAN_OBJECT_END : JSON_SCAN_ARRAY_END;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Past a backslash and what it escapes. */
static bool skip_escape(struct json_scan *scan)
{
    const char *at = scan->at + 1;
    if (at == scan->end || *at == '\0' || strchr("\"\\/bfnrtu", *at) == NULL)
        return false;
    if (*at++ == 'u') {
        for (int i = 0; i < 4; i++) {
            if (at == scan->end || !is_hex(*at++))
                return false;
        }
    }
    scan->at = at;
    return true;
}

static enum json_token scan_string(struct json_scan *scan, enum json_token token)
{
    scan->value = ++scan->at;
    scan->escaped = false;
    while (scan->at < scan->end && *scan->at != '"') {
        if (*scan->at == '\\') {
            scan->escaped = true;
            if (!skip_escape(scan))
                return bad(scan, "an escape that does not exist");
        } else if ((unsigned char)*scan->at < 0x20) {
            return bad(scan, "a control character in a string");
        } else {
            scan->at++;
        }
    }
    if (scan->at == scan->end)
        return bad(scan, "a string that does not end");
    scan->value_len = (size_t)(scan->at - scan->value);
    scan->at++;
    scan->expect_separator = true;
    return token;
}

static size_t scan_digits(struct json_scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - start);
}

static bool take_one_of(struct json_scan *scan, char a, char b)
{
    if (scan->at == scan->end || (*scan->at != a && *scan->at != b))
        return false;
    scan->at++;
    return true;
}

static enum json_token scan_number(struct json_scan *scan)
{
    scan->value = scan->at;
    take_one_of(scan, '-', '-');
    const char *first = scan->at;
    size_t whole = scan_digits(scan);
    if (whole == 0 || (whole > 1 && *first == '0'))
        return bad(scan, "something that is no value");
    if (take_one_of(scan, '.', '.') && scan_digits(scan) == 0)
        return bad(scan, "a number without digits after its point");
    if (take_one_of(scan, 'e', 'E')) {
        take_one_of(scan, '+', '-');
        if (scan_digits(scan) == 0)
            return bad(scan, "a number without digits in its exponent");
    }
    scan->value_len = (size_t)(scan->at - scan->value);
    scan->expect_separator = true;
    return JSON_SCAN_NUMBER;
}

static enum json_token scan_word(struct json_scan *scan, const char *word,
                                 enum json_token token)
{
    size_t len = strlen(word);
    if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, word, len) != 0)
        return bad(scan, "something that is no value");
    scan->value = scan->at;
    scan->value_len = len;
    scan->at += len;
    scan->expect_separator = true;
    return token;
}

static enum json_token scan_value(struct json_scan *scan)
{
    switch (*scan->at) {
    case '{':
        return open_level(scan, true);
    case '[':
        return open_level(scan, false);
    case '"':
        return scan_string(scan, JSON_SCAN_STRING);
    case 't':
        return scan_word(scan, "true", JSON_SCAN_TRUE);
    case 'f':
        return scan_word(scan, "false", JSON_SCAN_FALSE);
    case 'n':
        return scan_word(scan, "null", JSON_SCAN_NULL);
    default:
        return scan_number(scan);
    }
}

static enum json_token scan_key(struct json_scan *scan)
{
    if (*scan->at != '"')
        return bad(scan, "no key in quotes where one belongs");
    enum json_token token = scan_string(scan, JSON_SCAN_KEY);
    if (token == JSON_SCAN_BAD)
        return token;
    skip_space(scan);
    if (!take_one_of(scan, ':', ':'))
        return bad(scan, "no colon after a key");
    scan->expect_key = false;
    scan->expect_separator = false;
    return token;
}

/* Behind a value inside brackets: the comma is consumed, or the level closed. */
static enum json_token scan_separator(struct json_scan *scan)
{
    if (*scan->at == (in_object(scan) ? '}' : ']'))
        return close_level(scan);
    if (*scan->at != ',')
        return bad(scan, "no comma or closing bracket after a value");
    scan->at++;
    scan->expect_separator = false;
    scan->expect_key = in_object(scan);
    skip_space(scan);
    if (scan->at == scan->end)
        return bad(scan, "an end inside brackets");
    return scan->expect_key ? scan_key(scan) : scan_value(scan);
}

static enum json_token scan_next(struct json_scan *scan)
{
    bool opened = scan->token == JSON_SCAN_OBJECT || scan->token == JSON_SCAN_ARRAY;
    if (scan->problem != NULL)
        return JSON_SCAN_BAD;
    skip_space(scan);
    if (scan->at == scan->end)
        return scan->depth == 0 && scan->expect_separator ? JSON_SCAN_END
                                                          : bad(scan, "an end too early");
    if (scan->expect_separator)
        return scan->depth == 0 ? bad(scan, "text after the end of the JSON")
                                : scan_separator(scan);
    if (opened && *scan->at == (in_object(scan) ? '}' : ']'))
        return close_level(scan);
    return scan->expect_key ? scan_key(scan) : scan_value(scan);
}

enum json_token json_scan_next(struct json_scan *scan)
{
    scan->token = scan_next(scan);
    return scan->token;
}

bool json_scan_skip(struct json_scan *scan)
{
    if (scan->token != JSON_SCAN_OBJECT && scan->token != JSON_SCAN_ARRAY)
        return scan->token != JSON_SCAN_BAD;
    int outside = scan->depth - 1;
    while (scan->depth > outside) {
        if (json_scan_next(scan) == JSON_SCAN_BAD)
            return false;
    }
    return true;
}

bool json_scan_is(const struct json_scan *scan, const char *text)
{
    return strlen(text) == scan->value_len &&
           memcmp(scan->value, text, scan->value_len) == 0;
}

static unsigned hex4(const char *at)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned c = (unsigned char)at[i];
        value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static void append_utf8(struct buffer *text, unsigned code)
{
    if (code < 0x80) {
        buffer_append_byte(text, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    buffer_append_byte(text, (char)(lead[more] | code >> (6 * more)));
    while (more-- > 0)
        buffer_append_byte(text, (char)(0x80 | (code >> (6 * more) & 0x3f)));
}

/* \uXXXX at `at`, maybe a surrogate pair; returns the last byte consumed. */
static const char *append_unicode(struct buffer *text, const char *at, const char *end)
{
    unsigned code = hex4(at + 1);
    at += 4;
    if (code < 0xd800 || code > 0xdfff) {
        append_utf8(text, code);
        return at;
    }
    bool pair = code < 0xdc00 && end - at > 6 && at[1] == '\\' && at[2] == 'u';
    unsigned low = pair ? hex4(at + 3) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
        append_utf8(text, 0xfffd);
        return at;
    }
    append_utf8(text, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
    return at + 6;
}

void json_scan_text(const struct json_scan *scan, struct buffer *text)
{
    if (!scan->escaped) {
        buffer_append(text, scan->value, scan->value_len);
        return;
    }
    static const char names[] = "bfnrt";
    static const char values[] = "\b\f\n\r\t";
    const char *end = scan->value + scan->value_len;
    for (const char *at = scan->value; at < end; at++) {
        if (*at != '\\') {
            buffer_append_byte(text, *at);
            continue;
        }
        at++;
        const char *name = strchr(names, *at);
        if (*at == 'u')
            at = append_unicode(text, at, end);
        else
            buffer_append_byte(text, name != NULL ? values[name - names] : *at);
    }
}

size_t json_scan_offset(const struct json_scan *scan)
{
    if (scan->problem != NULL)
        return (size_t)(scan->at - scan->start);
    switch (scan->token) {
    case JSON_SCAN_KEY:
    case JSON_SCAN_STRING:
        return (size_t)(scan->value - scan->start) - 1;
    case JSON_SCAN_NUMBER:
    case JSON_SCAN_TRUE:
    case JSON_SCAN_FALSE:
    case JSON_SCAN_NULL:
        return (size_t)(scan->value - scan->start);
    default:
        return (size_t)(scan->at - scan->start) - (scan->at > scan->start ? 1 : 0);
    }
}
