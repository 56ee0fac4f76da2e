/* Objectives on the percentiles, means and maxima of a run, and how the run did. */
#ifndef TOKTRACE_OBJECTIVE_H
#define TOKTRACE_OBJECTIVE_H

#include <stdbool.h>

#include "analyze/analysis.h"
#include "analyze/slo.h"

struct objective {
    const struct slo_term *term; /* borrowed */
    double value_s;              /* NaN: no request has the metric; that is a miss */
    struct interval interval;    /* of the value, 95 %, where there is one */
    uint64_t count;              /* values that it is taken from */
    bool met;
    bool certain; /* the whole interval is on one side of the limit */
};

/* Holds a term that has a statistic against the requests of the run that succeeded. */
struct objective objective_judge(const struct slo_term *term,
                                 const struct analysis *analysis);

#endif
