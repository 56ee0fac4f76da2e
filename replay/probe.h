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

/* Sends request `index` of the plan alone; *tokens is what the server's usage says of its
 * prompt. STATUS_NETWORK, or STATUS_UNSUPPORTED where usage does not come. */
int target_count_prompt(const struct target *target, const struct plan *plan,
                        size_t index, const struct body_options *body, int64_t timeout_ns,
                        uint32_t *tokens, struct fault *fault);

#endif
