/* Reads JSON text token by token, in place, without allocating: for traces of millions of
 * rows, where building a tree costs more than everything else. Strict: RFC 8259. */
#ifndef TOKTRACE_JSON_SCAN_H
#define TOKTRACE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

enum { JSON_SCAN_DEPTH_MAX = 256 };

enum json_token {
    JSON_SCAN_END,
    JSON_SCAN_BAD, /* not JSON: see problem, at */
    JSON_SCAN_OBJECT,
    JSON_SCAN_OBJECT_END,
    JSON_SCAN_ARRAY,
    JSON_SCAN_ARRAY_END,
    JSON_SCAN_KEY,
    JSON_SCAN_STRING,
    JSON_SCAN_NUMBER,
    JSON_SCAN_TRUE,
    JSON_SCAN_FALSE,
    JSON_SCAN_NULL,
};

struct json_scan {
    const char *start;
    const char *at;
    const char *end;
    const char *value;   /* of a key, string (between the quotes) or number, borrowed */
    size_t value_len;
    bool escaped;        /* the string has backslashes: json_scan_text decodes it */
    const char *problem; /* what was wrong at `at`, or NULL */
    enum json_token token; /* the last one */
    int depth;
    bool expect_key;     /* inside an object, before a key */
    bool expect_separator; /* a value ended: ',' or a closing bracket comes next */
    /* bit per level: an object, not an array */
    uint64_t objects[JSON_SCAN_DEPTH_MAX / 64];
};

void json_scan_init(struct json_scan *scan, const char *text, size_t len);

/* The next token. After one document only space may follow; then JSON_SCAN_END. */
enum json_token json_scan_next(struct json_scan *scan);

/* Skips the rest of the value whose first token was just returned. False:
 * JSON_SCAN_BAD. */
bool json_scan_skip(struct json_scan *scan);

/* True when the current key or string, which has no escapes, is `text`. */
bool json_scan_is(const struct json_scan *scan, const char *text);

/* Appends the current key or string, escapes decoded, in UTF-8. Lone surrogates become
 * U+FFFD. */
void json_scan_text(const struct json_scan *scan, struct buffer *text);

/* Offset of the current token's first byte; of the fault after JSON_SCAN_BAD. */
size_t json_scan_offset(const struct json_scan *scan);

#endif
