/* The plan: what is sent when, fixed before the run. A pure function of the trace, the options and the
 * seed, the same in every process, whatever the number of workers. */
#ifndef TOKTRACE_PLAN_H
#define TOKTRACE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/requests.h"

struct plan_request {
    int64_t due_ns; /* on the run clock, >= 0, ascending over the plan */
    uint64_t row;   /* of the trace, from 0, as in the file */
    uint32_t input_tokens;
    uint32_t output_tokens;
    uint32_t session; /* index for plan_session_name, or SESSION_NONE */
};

enum { PLAN_HASH_TEXT = 17 };

struct plan {
    struct plan_request *requests; /* owned */
    size_t count;
    uint64_t seed;
    char hash[PLAN_HASH_TEXT]; /* 64 bits in hex over everything that decides what is sent when */
};

void plan_release(struct plan *plan);

/* "" for SESSION_NONE. Borrowed from the plan. */
const char *plan_session_name(const struct plan *plan, uint32_t session);

/* The worker, of `workers`, that request `index` belongs to: index mod workers, or by its session. */
uint32_t plan_worker_of(const struct plan *plan, size_t index, uint32_t workers);

#endif
