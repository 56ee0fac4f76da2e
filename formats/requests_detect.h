/* Which format a request trace has, from its first bytes. */
#ifndef TOKTRACE_REQUESTS_DETECT_H
#define TOKTRACE_REQUESTS_DETECT_H

#include <stddef.h>

#include "formats/base/fault.h"
#include "formats/requests_read.h"

/* `name` is that of the file, for the message. STATUS_BAD_INPUT for nothing we know. */
int requests_detect(const char *bytes, size_t len, const char *name,
                    enum request_format *format, struct fault *fault);

#endif
