/* Values of a run in order, whether they are in memory one by one or in a histogram, so
 * that both plot alike. Times in seconds. */
#ifndef TOKTRACE_ORDERED_H
#define TOKTRACE_ORDERED_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/collection.h"
#include "analyze/slo.h"

struct ordered {
    double *values; /* owned; NULL when in a histogram */
    struct histogram histogram;
    uint64_t count;
};

/* metric: enum metric, or SLO_ITL: gaps between token events. Release in any case. */
struct ordered ordered_of(const struct collection *collection, int metric,
                          enum flavour flavour);

void ordered_release(struct ordered *ordered);

/* The p-quantile in s; NaN without values. */
double ordered_quantile(const struct ordered *ordered, double p);

#endif
