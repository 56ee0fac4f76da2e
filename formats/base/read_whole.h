/* A whole file in memory, for documents that cannot be read line by line. */
#ifndef TOKTRACE_READ_WHOLE_H
#define TOKTRACE_READ_WHOLE_H

#include <stddef.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "formats/base/input_file.h"

/* Appends all of the file at `path` (decompressed; "-" too). STATUS_LIMIT beyond `limit`
 * bytes. */
int read_whole(const char *path, size_t limit, struct buffer *bytes, struct fault *fault);

/* As above, what is left of an open file. */
int read_rest(struct input_file *file, size_t limit, struct buffer *bytes,
              struct fault *fault);

#endif
