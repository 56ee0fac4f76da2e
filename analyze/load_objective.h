/* Objectives of a load sweep: "ttft_p99<500ms" asks that at least 99 % of the planned
 * requests have TTFT below 500 ms, so that failures and requests never sent count as
 * misses. */
#ifndef TOKTRACE_LOAD_OBJECTIVE_H
#define TOKTRACE_LOAD_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/analysis.h"
#include "analyze/slo.h"

enum load_objective_kind {
    OBJECTIVE_SHARE, /* of planned requests, beside the asked share */
    OBJECTIVE_VALUE, /* a mean, a maximum or a percentile of gaps, beside its limit */
};

/* How one stage did by one term. */
struct load_objective {
    enum load_objective_kind kind;
    double value;   /* a share, or seconds */
    double asked;   /* a share, or seconds */
    struct interval interval;
    bool met;       /* by the value */
    bool certain;   /* by the unfavourable end of the interval */
};

/* Judges one term by a stage's steady part; terms without a statistic ask for
 * `each_share` of the planned requests. */
struct load_objective load_objective_judge(const struct slo_term *term,
                                           const struct analysis *analysis,
                                           double each_share);

#endif
