/* Rates and requests in flight. Runs with clocks of their own (epochs) are measured apart
 * and added up: no interval goes from one to another. */
#ifndef TOKTRACE_TIMELINE_H
#define TOKTRACE_TIMELINE_H

#include "analyze/collection.h"
#include "analyze/inflight.h"
#include "analyze/slo.h"

struct timeline {
    /* (n - 1) / (t_n - t_1) over all epochs; NaN for n < 2 or when they are all at one
     * moment */
    double planned_per_s;   /* by due time */
    double sent_per_s;      /* by sent time */
    double completed_per_s; /* succeeded, by end time */
    double good_per_s;      /* succeeded and within the objectives, by end time */
    /* tokens after the first token event, over first to last token event */
    double output_per_s;
    double duration_s;   /* from the first due time to the last end */
    struct inflight inflight;
};

struct timeline timeline_of(const struct collection *collection, const struct slo *slo);

#endif
