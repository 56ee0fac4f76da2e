/* Everything that a summary needs of the logs, gathered in one pass: a sample per
 * request, histograms for tokens, sums for each log. */
#ifndef TOKTRACE_COLLECTION_H
#define TOKTRACE_COLLECTION_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/histogram.h"
#include "analyze/itl.h"
#include "analyze/load.h"
#include "analyze/metrics.h"
#include "analyze/sample.h"
#include "formats/base/terminal.h"

/* Which requests count: those due in [from_ns, to_ns]. */
struct window {
    int64_t from_ns;
    int64_t to_ns;
};

#define WINDOW_ALL (struct window){ .from_ns = INT64_MIN, .to_ns = INT64_MAX }

/* Of one log. */
struct log_facts {
    size_t epoch;           /* logs of one epoch share a run clock */
    uint64_t requests;      /* records in the window */
    uint64_t token_events;  /* of these, likewise below */
    uint64_t shared_reads;  /* token events whose read brought other events too */
    uint64_t unknown_times; /* token events without an arrival */
    /* token events seen before they arrived, by more than the epsilon */
    uint64_t negative_lags;
    struct histogram lag;   /* app - arrival of token events */
    /* time that the loop's records cover, whole log; likewise below */
    uint64_t loop_ns;
    uint64_t busy_ns;
    double busy_peak;       /* highest busy share of one record */
    uint64_t stall_ns;      /* longest iteration */
    uint64_t log_wait_ns;
    uint64_t clock_steps;
    int64_t largest_step_ns; /* signed, largest by magnitude */
};

struct collection {
    struct window window;
    int64_t lag_epsilon_ns; /* receive lags below minus this are counted as faults */
    struct request_sample *samples; /* owned */
    size_t count;
    size_t capacity;
    uint64_t outside; /* records not due in the window */
    struct log_facts *logs; /* owned, one per log of the load */
    size_t log_count;
    size_t epoch_count;
    struct itl arrival_itl; /* of the requests that succeeded */
    struct itl app_itl;
    struct token_gaps gaps; /* scratch */
};

/* Reads all logs of the load. Needs zeroed memory apart from window and lag_epsilon_ns;
 * release in any case. */
int collection_read(struct collection *collection, struct load *load,
                    struct progress *progress, struct fault *fault);

/* The values of a metric of the requests that succeeded, in s; `values` has room for
 * collection->count. Returns how many have one. */
size_t collection_values(const struct collection *collection, enum metric metric,
                         enum flavour flavour, double *values);

void collection_release(struct collection *collection);

/* The first and last due time over all logs of a load, for windows that are given from
 * the ends. Reads all logs, so "-" is refused. */
int collection_due_range(char *const *operands, int operand_count, struct window *range,
                         struct fault *fault);

#endif
