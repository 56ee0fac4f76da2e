/* What is asked of a server before a run: a first small request, which finds a wrong
 * address, path, key or protocol before anything is written, and the name of its
 * model. */
#ifndef TOKTRACE_PROBE_H
#define TOKTRACE_PROBE_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "replay/request_body.h"
#include "replay/target.h"

/* Sends one request (one token in, one out) and waits for its answer up to timeout_ns (0:
 * for ever), with a few tries where the server answers but fails. STATUS_NETWORK says
 * what happened. */
int target_probe(const struct target *target, const struct body_options *body,
                 int64_t timeout_ns, struct fault *fault);

/* The first model that the server names at /v1/models, or NULL when it names none. Caller
 * frees. */
char *target_first_model(const struct target *target, int64_t timeout_ns);

#endif
