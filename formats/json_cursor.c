#include "formats/json_cursor.h"

#include <endian.h>
#include <string.h>

/* A key longer than this, once decoded, is none that anyone asks for. */
enum { NAME_MAX_LEN = 64 };

typedef unsigned char byte_vector __attribute__((vector_size(16)));
typedef uint64_t word_vector __attribute__((vector_size(16)));

/* Out of the way of the common case, whose registers it would take. */
#define RARE __attribute__((noinline, cold))

static const struct json_field no_fields[] = { JSON_FIELDS_END };

static inline void skip_space(struct json_cursor *cursor)
{
    const char *at = cursor->at;
    while (at < cursor->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    cursor->at = at;
}

/* Consumes white space, and `byte` behind it when it is there. */
static inline bool accept(struct json_cursor *cursor, char byte)
{
    if (json_peek(cursor) != byte) {
        skip_space(cursor);
        if (json_peek(cursor) != byte)
            return false;
    }
    cursor->at++;
    return true;
}

void json_cursor_start(struct json_cursor *cursor, const char *text, size_t len)
{
    *cursor = (struct json_cursor){ .at = text, .end = text + len };
    skip_space(cursor);
}

bool json_cursor_at_end(struct json_cursor *cursor)
{
    skip_space(cursor);
    return cursor->at == cursor->end;
}

/* The first quote, backslash or control character in [at, end), or end. Sixteen bytes at
 * a time; strings are most of a chunk. */
static inline const char *find_string_stop(const char *at, const char *end)
{
    for (; end - at >= (ptrdiff_t)sizeof(byte_vector); at += sizeof(byte_vector)) {
        byte_vector bytes;
        memcpy(&bytes, at, sizeof bytes);
        word_vector stops =
            (word_vector)((bytes == '"') | (bytes == '\\') | (bytes < 0x20));
        if (stops[0] != 0)
            return at + __builtin_ctzll(le64toh(stops[0])) / 8;
        if (stops[1] != 0)
            return at + 8 + __builtin_ctzll(le64toh(stops[1])) / 8;
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
static bool skip_escape(struct json_cursor *cursor)
{
    char byte = json_peek(cursor);
    if (byte == '\0' || strchr("\"\\/bfnrtu", byte) == NULL)
        return false;
    cursor->at++;
    for (int digits = byte == 'u' ? 4 : 0; digits > 0; digits--) {
        if (hex_digit(json_peek(cursor)) < 0)
            return false;
        cursor->at++;
    }
    return true;
}

/* The rest of a string that starts at text->bytes, from its first backslash on. */
RARE static bool finish_string(struct json_cursor *cursor, struct json_text *text)
{
    text->escaped = true;
    while (json_peek(cursor) == '\\') {
        cursor->at++;
        if (!skip_escape(cursor))
            return false;
        cursor->at = find_string_stop(cursor->at, cursor->end);
    }
    if (json_peek(cursor) != '"')
        return false;
    text->len = (size_t)(cursor->at - text->bytes);
    cursor->at++;
    return true;
}

bool json_cursor_string(struct json_cursor *cursor, struct json_text *text)
{
    if (json_peek(cursor) != '"')
        return false;
    const char *start = cursor->at + 1;
    cursor->at = find_string_stop(start, cursor->end);
    *text = (struct json_text){ .bytes = start, .len = (size_t)(cursor->at - start) };
    if (json_peek(cursor) != '"')
        return finish_string(cursor, text);
    cursor->at++;
    return true;
}

/* At least one digit. */
static bool skip_digits(struct json_cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
        cursor->at++;
    return cursor->at > start;
}

/* Consumes an integer without leading zeros; its sign too. */
static bool skip_integer(struct json_cursor *cursor)
{
    if (json_peek(cursor) == '-')
        cursor->at++;
    if (json_peek(cursor) != '0')
        return skip_digits(cursor);
    cursor->at++;
    return true;
}

/* Consumes fraction and exponent, where there are any. */
static bool skip_real_parts(struct json_cursor *cursor)
{
    if (json_peek(cursor) == '.') {
        cursor->at++;
        if (!skip_digits(cursor))
            return false;
    }
    if ((json_peek(cursor) | 0x20) != 'e')
        return true;
    cursor->at++;
    if (json_peek(cursor) == '+' || json_peek(cursor) == '-')
        cursor->at++;
    return skip_digits(cursor);
}

static bool skip_word(struct json_cursor *cursor, const char *word, size_t len)
{
    if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, word, len) != 0)
        return false;
    cursor->at += len;
    return true;
}

static bool skip_element(void *context, unsigned position)
{
    (void)position;
    return json_cursor_skip(context);
}

bool json_cursor_skip(struct json_cursor *cursor)
{
    struct json_text text;
    switch (json_peek(cursor)) {
    case '"':
        return json_cursor_string(cursor, &text);
    case '{':
        return json_cursor_object(cursor, no_fields, cursor);
    case '[':
        return json_cursor_array(cursor, skip_element, cursor);
    case 'n':
        return skip_word(cursor, "null", 4);
    case 't':
        return skip_word(cursor, "true", 4);
    case 'f':
        return skip_word(cursor, "false", 5);
    default:
        return skip_integer(cursor) && skip_real_parts(cursor);
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

bool json_cursor_count(struct json_cursor *cursor, uint32_t max, uint32_t fallback,
                       uint32_t *value)
{
    *value = fallback;
    const char *start = cursor->at;
    char first = json_peek(cursor);
    if (first != '-' && (first < '0' || first > '9'))
        return json_cursor_skip(cursor);
    if (!skip_integer(cursor))
        return false;
    const char *end = cursor->at;
    if (!skip_real_parts(cursor))
        return false;
    bool negative = first == '-';
    uint64_t read = decimal(start + negative, end, max);
    if (cursor->at == end && read <= max && (!negative || read == 0))
        *value = (uint32_t)read;
    return true;
}

static inline const struct json_field *find_name(const struct json_field *fields,
                                                 const char *name, size_t len)
{
    for (; fields->name_len <= len; fields++) {
        if (fields->name_len == len && fields->name[0] == name[0]
            && memcmp(fields->name, name, len) == 0)
            return fields;
    }
    return NULL;
}

RARE static const struct json_field *find_escaped_name(const struct json_field *fields,
                                                       const struct json_text *key)
{
    char decoded[NAME_MAX_LEN];
    json_text_copy(key, decoded, sizeof decoded);
    return find_name(fields, decoded, strlen(decoded));
}

static inline bool read_member(struct json_cursor *cursor,
                               const struct json_field *fields, void *context)
{
    struct json_text key;
    skip_space(cursor);
    if (!json_cursor_string(cursor, &key) || !accept(cursor, ':'))
        return false;
    skip_space(cursor);
    const struct json_field *field = key.escaped ? find_escaped_name(fields, &key)
                                                 : find_name(fields, key.bytes, key.len);
    return field != NULL ? field->read(context, field->slot) : json_cursor_skip(cursor);
}

bool json_cursor_object(struct json_cursor *cursor, const struct json_field *fields,
                        void *context)
{
    if (json_peek(cursor) != '{')
        return json_cursor_skip(cursor);
    if (++cursor->depth > JSON_DEPTH_MAX)
        return false;
    cursor->at++;
    if (!accept(cursor, '}')) {
        do {
            if (!read_member(cursor, fields, context))
                return false;
        } while (accept(cursor, ','));
        if (!accept(cursor, '}'))
            return false;
    }
    cursor->depth--;
    return true;
}

bool json_cursor_array(struct json_cursor *cursor, json_read_fn *read, void *context)
{
    if (json_peek(cursor) != '[')
        return json_cursor_skip(cursor);
    if (++cursor->depth > JSON_DEPTH_MAX)
        return false;
    cursor->at++;
    if (!accept(cursor, ']')) {
        unsigned position = 0;
        do {
            skip_space(cursor);
            if (!read(context, position++))
                return false;
        } while (accept(cursor, ','));
        if (!accept(cursor, ']'))
            return false;
    }
    cursor->depth--;
    return true;
}

/* Consumes one character of a valid string and returns it; '?' beyond printable ASCII. */
static char decode_character(struct json_cursor *cursor)
{
    char byte = *cursor->at++;
    if (byte == '\\') {
        byte = *cursor->at++;
        if (byte == 'u') {
            unsigned code = 0;
            for (int digit = 0; digit < 4; digit++)
                code = code * 16 + (unsigned)hex_digit(*cursor->at++);
            return code >= 0x20 && code < 0x7f ? (char)code : '?';
        }
        return strchr("bfnrt", byte) != NULL ? '?' : byte;
    }
    if (byte >= 0x20 && byte < 0x7f)
        return byte;
    while ((json_peek(cursor) & 0xc0) == 0x80) /* the rest of a UTF-8 sequence */
        cursor->at++;
    return '?';
}

void json_text_copy(const struct json_text *text, char *copy, size_t size)
{
    struct json_cursor cursor = { .at = text->bytes, .end = text->bytes };
    size_t len = 0;
    if (text->len > 0) /* else bytes may be NULL */
        cursor.end += text->len;
    while (cursor.at < cursor.end && len + 1 < size)
        copy[len++] = decode_character(&cursor);
    copy[len] = '\0';
}

bool json_escaped_text_equals(const struct json_text *text, const char *expected)
{
    char decoded[NAME_MAX_LEN];
    json_text_copy(text, decoded, sizeof decoded);
    return strcmp(decoded, expected) == 0;
}

bool json_escaped_text_starts_with(const struct json_text *text, const char *prefix)
{
    char decoded[NAME_MAX_LEN];
    json_text_copy(text, decoded, sizeof decoded);
    return strncmp(decoded, prefix, strlen(prefix)) == 0;
}
