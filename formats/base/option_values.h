/* One option's argument: from text to its typed field, within its bounds. */
#ifndef TOKTRACE_OPTION_VALUES_H
#define TOKTRACE_OPTION_VALUES_H

#include <stdbool.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "formats/base/options.h"

/* Stores `text` (NULL for a flag or count) in the field of `options`; text is borrowed
 * for string types. STATUS_USAGE, with "--name: " before the reason. */
int option_set(const struct option_spec *spec, const char *text, void *options,
               struct fault *fault);

bool option_takes_argument(const struct option_spec *spec);

/* Appends what the argument may be, "1 to 4096" or "a, b or c"; nothing where there is no
 * bound. */
void option_append_range(struct buffer *buffer, const struct option_spec *spec);

#endif
