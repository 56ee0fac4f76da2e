/* Bytes and lines from a file, from "-" (stdin), plain or compressed (gzip, zstd), chosen
 * by content. */
#ifndef TOKTRACE_INPUT_FILE_H
#define TOKTRACE_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

struct input_file; /* opaque */

/* STATUS_BAD_INPUT for what is missing, forbidden or a directory. */
/* A name that cannot be opened is STATUS_BAD_INPUT; STATUS_IO where the system is short
 * of descriptors or memory. Caller closes. */
int input_file_open(struct input_file **file, const char *path, struct fault *fault);

/* NULL is allowed. */
void input_file_close(struct input_file *file);

/* The name for messages: the path, or "standard input". Borrowed. */
const char *input_file_name(const struct input_file *file);

/* Up to `size` decompressed bytes; *got = 0 at the end. A damaged or cut compressed file
 * is STATUS_BAD_INPUT with the offset. */
int input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                    struct fault *fault);

/* Shows the next bytes without consuming them: *bytes borrowed until the next call, *len
 * up to INPUT_PEEK_MAX, less only at the end. */
enum { INPUT_PEEK_MAX = 64 * 1024 };
int input_file_peek(struct input_file *file, const char **bytes, size_t *len,
                    struct fault *fault);

/* The next line without its LF or CRLF, borrowed until the next call. 1: a line, 0: the
 * end, <0: failure. A line over `limit` bytes is STATUS_LIMIT. A NUL inside is kept: the
 * caller judges it. */
int input_file_line(struct input_file *file, size_t limit, const char **line, size_t *len,
                    struct fault *fault);

/* Number of the line that input_file_line returned last, from 1. */
uint64_t input_file_line_number(const struct input_file *file);

#endif
