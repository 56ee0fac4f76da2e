/* Inter-token latencies of a whole run, in memory that does not grow with the tokens:
 * histograms, kept per bootstrap group of requests so that percentiles get intervals that
 * respect that the gaps of one answer belong together. */
#ifndef TOKTRACE_ITL_H
#define TOKTRACE_ITL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/bootstrap.h"
#include "analyze/distribution.h"
#include "analyze/histogram.h"
#include "analyze/sample.h"

/* Gaps by one clock. Start from {0}. */
struct itl {
    struct histogram single[BOOTSTRAP_GROUPS]; /* gaps that brought one token */
    struct histogram multi[BOOTSTRAP_GROUPS];  /* the others, as they were */
    /* the others, shared out over their tokens */
    struct histogram spread[BOOTSTRAP_GROUPS];
    uint64_t requests; /* with at least one gap */
    uint64_t excluded; /* without */
    uint64_t negative; /* gaps below zero: the clock's fault; they are kept as they are */
};

void itl_release(struct itl *itl);

/* Adds the gaps of one request. */
void itl_add(struct itl *itl, const struct clock_gaps *gaps);

/* Gaps between events, or between tokens when per_token (a gap that brought k tokens
 * counts as k gaps of a k-th each). excluded counts requests without a gap. Intervals:
 * bootstrap over requests. */
struct distribution itl_distribution(const struct itl *itl, bool per_token);

/* The p-quantile of the gaps between events, in ns; NaN without gaps. */
double itl_quantile_ns(const struct itl *itl, double p);

/* Bootstrap replicates of `count` quantiles of the gaps between events, in ns, an array
 * for each; different streams are independent. False with fewer than two requests. */
bool itl_replicates_ns(const struct itl *itl, unsigned stream, const double *quantiles,
                       size_t count, double (*replicates_ns)[BOOTSTRAP_REPLICATES]);

#endif
