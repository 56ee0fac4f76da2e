#include "formats/json_scan.h"

#include <string.h>

#include "formats/base/bytes.h"

/* A key longer than this, once decoded, is none that anyone asks for. */
enum { NAME_MAX_LEN = 64 };

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

static const struct json_field no_fields[] = { { .name = NULL } };

static inline void skip_space(struct json_scan *scan)
{
    while (scan->at < scan->end) {
        char byte = *scan->at;
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return;
        scan->at++;
    }
}

/* Consumes white space, and `byte` behind it when it is there. */
static inline bool accept(struct json_scan *scan, char byte)
{
    skip_space(scan);
    if (json_peek(scan) != byte)
        return false;
    scan->at++;
    return true;
}

void json_scan_start(struct json_scan *scan, const char *text, size_t len)
{
    *scan = (struct json_scan){ .at = text, .end = text + len };
    skip_space(scan);
}

bool json_scan_at_end(struct json_scan *scan)
{
    skip_space(scan);
    return scan->at == scan->end;
}

/* The first quote, backslash or control character in [at, end), or end. Eight bytes at a time: the usual
 * zero-byte test can be wrong only above a true hit, so the lowest bit it sets is right. */
static inline const char *find_string_stop(const char *at, const char *end)
{
    const uint64_t high_bits = EACH_BYTE(0x80);
    for (; end - at >= 8; at += 8) {
        uint64_t word = load_le64((const uint8_t *)at);
        uint64_t quote = word ^ EACH_BYTE('"');
        uint64_t backslash = word ^ EACH_BYTE('\\');
        uint64_t stops = ((quote - EACH_BYTE(1)) & ~quote)
                         | ((backslash - EACH_BYTE(1)) & ~backslash)
                         | ((word - EACH_BYTE(0x20)) & ~word);
        if ((stops & high_bits) != 0)
            return at + __builtin_ctzll(stops & high_bits) / 8;
    }
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        at++;
    return at;
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Consumes what follows a backslash. */
static bool skip_escape(struct json_scan *scan)
{
    char byte = json_peek(scan);
    if (byte == '\0' || strchr("\"\\/bfnrtu", byte) == NULL)
        return false;
    scan->at++;
    for (int digits = byte == 'u' ? 4 : 0; digits > 0; digits--) {
        if (hex_digit(json_peek(scan)) < 0)
            return false;
        scan->at++;
    }
    return true;
}

bool json_scan_string(struct json_scan *scan, struct json_text *text)
{
    if (json_peek(scan) != '"')
        return false;
    text->bytes = ++scan->at;
    text->escaped = false;
    for (;;) {
        scan->at = find_string_stop(scan->at, scan->end);
        char stop = json_peek(scan);
        if (stop == '"')
            break;
        if (stop != '\\')
            return false;
        scan->at++;
        text->escaped = true;
        if (!skip_escape(scan))
            return false;
    }
    text->len = (size_t)(scan->at - text->bytes);
    scan->at++;
    return true;
}

/* At least one digit. */
static bool skip_digits(struct json_scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return scan->at > start;
}

/* Consumes an integer without leading zeros; its sign too. */
static bool skip_integer(struct json_scan *scan)
{
    if (json_peek(scan) == '-')
        scan->at++;
    if (json_peek(scan) != '0')
        return skip_digits(scan);
    scan->at++;
    return true;
}

/* Consumes fraction and exponent, where there are any. */
static bool skip_real_parts(struct json_scan *scan)
{
    if (json_peek(scan) == '.') {
        scan->at++;
        if (!skip_digits(scan))
            return false;
    }
    if ((json_peek(scan) | 0x20) != 'e')
        return true;
    scan->at++;
    if (json_peek(scan) == '+' || json_peek(scan) == '-')
        scan->at++;
    return skip_digits(scan);
}

static bool skip_word(struct json_scan *scan, const char *word, size_t len)
{
    if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, word, len) != 0)
        return false;
    scan->at += len;
    return true;
}

static bool skip_element(void *context)
{
    return json_scan_skip(context);
}

bool json_scan_skip(struct json_scan *scan)
{
    struct json_text text;
    switch (json_peek(scan)) {
    case '"':
        return json_scan_string(scan, &text);
    case '{':
        return json_scan_object(scan, no_fields, scan);
    case '[':
        return json_scan_array(scan, skip_element, scan);
    case 'n':
        return skip_word(scan, "null", 4);
    case 't':
        return skip_word(scan, "true", 4);
    case 'f':
        return skip_word(scan, "false", 5);
    default:
        return skip_integer(scan) && skip_real_parts(scan);
    }
}

/* The digits [at, end) as a number, or more than max. */
static uint64_t decimal(const char *at, const char *end, uint32_t max)
{
    uint64_t value = 0;
    for (; at < end && value <= max; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

bool json_scan_count(struct json_scan *scan, uint32_t max, uint32_t fallback, uint32_t *value)
{
    *value = fallback;
    const char *start = scan->at;
    char first = json_peek(scan);
    if (first != '-' && (first < '0' || first > '9'))
        return json_scan_skip(scan);
    if (!skip_integer(scan))
        return false;
    const char *end = scan->at;
    if (!skip_real_parts(scan))
        return false;
    bool negative = first == '-';
    uint64_t read = decimal(start + negative, end, max);
    if (scan->at == end && read <= max && (!negative || read == 0))
        *value = (uint32_t)read;
    return true;
}

static const struct json_field *find_field(const struct json_field *fields,
                                           const struct json_text *key)
{
    char decoded[NAME_MAX_LEN];
    struct json_text name = *key;
    if (key->escaped) {
        json_text_copy(key, decoded, sizeof decoded);
        name = (struct json_text){ .bytes = decoded, .len = strlen(decoded) };
    }
    for (; fields->name != NULL; fields++) {
        if (fields->name_len == name.len && memcmp(fields->name, name.bytes, name.len) == 0)
            return fields;
    }
    return NULL;
}

static inline bool read_member(struct json_scan *scan, const struct json_field *fields,
                               void *context)
{
    struct json_text key;
    skip_space(scan);
    if (!json_scan_string(scan, &key) || !accept(scan, ':'))
        return false;
    skip_space(scan);
    const struct json_field *field = find_field(fields, &key);
    return field != NULL ? field->read(context) : json_scan_skip(scan);
}

bool json_scan_object(struct json_scan *scan, const struct json_field *fields, void *context)
{
    if (++scan->depth > JSON_DEPTH_MAX)
        return false;
    scan->at++;
    if (!accept(scan, '}')) {
        do {
            if (!read_member(scan, fields, context))
                return false;
        } while (accept(scan, ','));
        if (!accept(scan, '}'))
            return false;
    }
    scan->depth--;
    return true;
}

bool json_scan_array(struct json_scan *scan, json_read_fn *read, void *context)
{
    if (++scan->depth > JSON_DEPTH_MAX)
        return false;
    scan->at++;
    if (!accept(scan, ']')) {
        do {
            skip_space(scan);
            if (!read(context))
                return false;
        } while (accept(scan, ','));
        if (!accept(scan, ']'))
            return false;
    }
    scan->depth--;
    return true;
}

/* Consumes one character of a valid string and returns it; '?' beyond printable ASCII. */
static char decode_character(struct json_scan *scan)
{
    char byte = *scan->at++;
    if (byte == '\\') {
        byte = *scan->at++;
        if (byte == 'u') {
            unsigned code = 0;
            for (int digit = 0; digit < 4; digit++)
                code = code * 16 + (unsigned)hex_digit(*scan->at++);
            return code >= 0x20 && code < 0x7f ? (char)code : '?';
        }
        return strchr("bfnrt", byte) != NULL ? '?' : byte;
    }
    if (byte >= 0x20 && byte < 0x7f)
        return byte;
    while ((json_peek(scan) & 0xc0) == 0x80) /* the rest of a UTF-8 sequence */
        scan->at++;
    return '?';
}

void json_text_copy(const struct json_text *text, char *copy, size_t size)
{
    struct json_scan scan = { .at = text->bytes, .end = text->bytes + text->len };
    size_t len = 0;
    while (scan.at < scan.end && len + 1 < size)
        copy[len++] = decode_character(&scan);
    copy[len] = '\0';
}

bool json_text_equals(const struct json_text *text, const char *expected)
{
    if (!text->escaped)
        return text->len == strlen(expected) && memcmp(text->bytes, expected, text->len) == 0;
    char decoded[NAME_MAX_LEN];
    json_text_copy(text, decoded, sizeof decoded);
    return strcmp(decoded, expected) == 0;
}
