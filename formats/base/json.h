/* JSON outside the hot loop: jansson with our errors, and quoting for lines written by
 * hand. */
#ifndef TOKTRACE_JSON_H
#define TOKTRACE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

/* The document in a file. Caller owns the reference (json_decref). STATUS_BAD_INPUT with
 * line, column. */
int json_read_file(const char *path, json_t **document, struct fault *fault);

/* Pretty-printed, keys in the order of insertion, with a final newline. */
int json_write_stream(const json_t *document, FILE *stream, struct fault *fault);

/* As above to a file, whole or not at all. */
int json_write_file(const json_t *document, const char *path, bool force,
                    struct fault *fault);

/* A finite number as a JSON real, anything else as null. New reference. */
json_t *json_number_or_null(double value);

/* text[0..len) as a quoted JSON string; bytes that are not UTF-8 become U+FFFD. */
void buffer_append_json_string(struct buffer *buffer, const char *text, size_t len);

/* A finite double with 17 significant digits at most (shortest that reads back), else
 * null. */
void buffer_append_json_number(struct buffer *buffer, double value);

/* A whole document, pretty-printed, its lines indented for `depth` levels. jansson's own
 * printer would write 0.1 as 0.10000000000000001. */
void buffer_append_json(struct buffer *buffer, const json_t *value, int depth);

#endif
