/* The name of a server's model, for requests that must name one. */
#ifndef TOKTRACE_FIRST_MODEL_H
#define TOKTRACE_FIRST_MODEL_H

#include <stdint.h>

#include "replay/target.h"

/* The first model that the server names at /v1/models, or NULL when it names none. Caller
 * frees. */
char *target_first_model(const struct target *target, int64_t timeout_ns);

#endif
