/* Reads JSON in place for the hot loop: in one pass, without allocating. The caller names
 * the keys it wants; everything else is checked and skipped. Bounded by the end pointer;
 * needs no NUL behind the text. (Traces, where every string must be right to the byte,
 * have base/json_scan.h.)
 *
 * Every function returns false when the text is not JSON (RFC 8259) or nests deeper than
 * JSON_DEPTH_MAX; the cursor is then of no more use. More lenient than the RFC inside
 * strings: bytes that are not UTF-8 and lone surrogate escapes pass. Numbers may be of
 * any size. */
#ifndef TOKTRACE_JSON_CURSOR_H
#define TOKTRACE_JSON_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 64 };

struct json_cursor {
    const char *at; /* the next byte; at a value when a json_read_fn is called */
    const char *end;
    unsigned depth; /* objects and arrays open */
};

/* A string as it stands between its quotes. */
struct json_text {
    const char *bytes; /* borrowed */
    size_t len;
    bool escaped; /* holds backslashes */
};

/* Consumes the value at hand. context belongs to the caller; slot says which value it is:
 * the field's own slot in an object, the position from 0 in an array. */
typedef bool json_read_fn(void *context, unsigned slot);

/* A key that the caller wants, not empty, and what reads its value. A table goes from the
 * shortest key to the longest and ends with JSON_FIELDS_END, so that a search ends early:
 * most keys are not wanted. */
struct json_field {
    const char *name;
    size_t name_len;
    json_read_fn *read;
    unsigned slot;
};

#define JSON_FIELD(key, reader, place) \
    { .name = (key), .name_len = sizeof(key) - 1, .read = (reader), .slot = (place) }
#define JSON_FIELDS_END { .name_len = SIZE_MAX }

/* The next byte, 0 at the end; white space is not skipped. */
static inline char json_peek(const struct json_cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

/* Starts on text[0..len); the cursor stands at the first value. */
void json_cursor_start(struct json_cursor *cursor, const char *text, size_t len);

/* True when nothing but white space is left. */
bool json_cursor_at_end(struct json_cursor *cursor);

bool json_cursor_skip(struct json_cursor *cursor);
bool json_cursor_string(struct json_cursor *cursor, struct json_text *text);

/* *value: a whole number (no fraction, no exponent) from 0 to max; otherwise, and for a
 * value of another type, `fallback`. */
bool json_cursor_count(struct json_cursor *cursor, uint32_t max, uint32_t fallback,
                       uint32_t *value);

/* Of an object: calls the reader of each wanted key, in the order of the text, as often
 * as the key comes. Any other value is skipped. */
bool json_cursor_object(struct json_cursor *cursor, const struct json_field *fields,
                        void *context);

/* Of an array: calls read for each element. Any other value is skipped. */
bool json_cursor_array(struct json_cursor *cursor, json_read_fn *read, void *context);

bool json_escaped_text_equals(const struct json_text *text, const char *expected);

/* Inline, so that the length of a literal is known when it is compiled. */
static inline bool json_text_equals(const struct json_text *text, const char *expected)
{
    if (text->escaped)
        return json_escaped_text_equals(text, expected);
    return text->len == strlen(expected) && memcmp(text->bytes, expected, text->len) == 0;
}

/* As json_text_starts_with, of a text with escapes. */
bool json_escaped_text_starts_with(const struct json_text *text, const char *prefix);

/* `prefix` has no more than 63 characters. */
static inline bool json_text_starts_with(const struct json_text *text, const char *prefix)
{
    if (text->escaped)
        return json_escaped_text_starts_with(text, prefix);
    size_t len = strlen(prefix);
    return text->len >= len && memcmp(text->bytes, prefix, len) == 0;
}

/* Decodes into copy, cut to size - 1 characters; each character beyond printable ASCII
 * becomes '?'. */
void json_text_copy(const struct json_text *text, char *copy, size_t size);

#endif
