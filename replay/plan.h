/* The plan: what is sent when, fixed before the run. A pure function of the traces,
 * the options and the seed, the same in every process, whatever the number of workers. */
#ifndef TOKTRACE_PLAN_H
#define TOKTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/block_ids.h"
#include "formats/requests.h"
#include "replay/plan_options.h"

/* One request. Its number, `row` in logs and exports, is its index in plan.requests. */
struct plan_request {
    int64_t due_ns;        /* on the run clock, >= 0, ascending over the plan */
    int64_t think_ns;      /* not before the session's previous answer ended plus this;
                              THINK_NONE: whatever the previous answer does */
    uint64_t trace_row;    /* record number in its trace, from 0; synthetic: the index */
    uint64_t first_block;  /* for plan_blocks */
    uint32_t block_count;  /* 0: no shared prefix */
    uint32_t block_tokens; /* tokens per block */
    uint32_t input_tokens;
    uint32_t output_tokens;
    uint32_t session;      /* numbered by first appearance, or SESSION_NONE */
    uint32_t turn;         /* within the session in this plan, from 0 */
    uint32_t text;         /* index into plan.texts, or TEXT_NONE */
    uint32_t source;       /* 0: --trace, 1 on: --merge */
};

enum { PLAN_HASH_TEXT = 17 };

/* Nothing is due later than this, and no turn waits longer, so that sums of a due time
 * and a duration fit: 146 years. */
#define PLAN_DUE_MAX_NS (INT64_MAX / 2)

struct plan {
    struct plan_request *requests; /* owned */
    size_t count;
    size_t capacity;
    struct buffer block_bytes;     /* ids of shared prefix blocks, packed */
    struct name_table sessions;
    struct request_text *texts;    /* owned: messages, in JSON */
    size_t text_count;
    struct buffer text_bytes;
    struct buffer notes;           /* lines a report should carry */
    struct request_report report;  /* of all traces together */
    uint64_t clipped_input;        /* rows shortened by --max-input */
    uint64_t clipped_output;
    bool has_times;                /* false: everything is due at 0, for a closed loop */
    uint64_t seed;
    char hash[PLAN_HASH_TEXT]; /* 64 bits, hex, over all that decides what is sent when */
};

/* Reads, transforms, draws. `plan` starts from {0}; release it in any case. */
int plan_build(const struct plan_options *options, struct plan *plan,
               struct fault *fault);

void plan_release(struct plan *plan);

/* "" for SESSION_NONE. Borrowed from the plan. */
/* True for a turn that waits for the answer of the one before. */
static inline bool plan_request_waits(const struct plan_request *request)
{
    return request->session != SESSION_NONE && request->turn > 0 &&
           request->think_ns != THINK_NONE;
}

const char *plan_session_name(const struct plan *plan, uint32_t session);

/* The ids of the blocks that the request's prompt begins with: block_count of them. */
struct block_cursor plan_blocks(const struct plan *plan,
                                const struct plan_request *request);

/* The worker, of `workers`, that request `index` belongs to: index mod workers, or
 * session mod workers. */
uint32_t plan_worker_of(const struct plan *plan, size_t index, uint32_t workers);

#endif
