/* Intervals for means of values that depend on their neighbours, as waits in a queue do:
 * the series is cut into at most 32 consecutive blocks, whose means are nearly
 * independent and nearly normal (batch means; Schmeiser 1982: beyond 30 blocks little is
 * gained). */
#ifndef TOKTRACE_BLOCK_MEANS_H
#define TOKTRACE_BLOCK_MEANS_H

#include <stddef.h>

#include "analyze/interval.h"

enum { BLOCK_COUNT = 32 };

struct estimate {
    double value; /* NaN: unknown */
    struct interval interval;
};

extern const struct estimate estimate_unknown;

/* Sums by block. Start from {0}. */
struct block_sums {
    double value[BLOCK_COUNT];
    double weight[BLOCK_COUNT]; /* for a mean: how many values */
};

/* The block of item `index` of `count`. */
static inline unsigned block_of(size_t index, size_t count)
{
    return (unsigned)(index * BLOCK_COUNT / count);
}

static inline void block_add(struct block_sums *sums, unsigned block, double value)
{
    sums->value[block] += value;
    sums->weight[block] += 1;
}

/* Sum of values / sum of weights, none of them below 0, with Student's interval, which is
 * cut at 0; blocks without weight do not count. */
struct estimate block_ratio(const struct block_sums *sums);

/* The interval of a statistic `value` from what each block adds to its error: residuals
 * that sum to 0, of which `blocks` >= 0 count, in the statistic's unit. Unknown for less
 * than two blocks. */
struct interval block_interval(double value, const double *residuals, size_t blocks);

/* E[Y^2] / E[Y]^2 - 1 of the same items' first and second powers (delta method). */
struct estimate block_squared_cv(const struct block_sums *first,
                                 const struct block_sums *second);

/* Mean of `count` values, one for each block or part, with Student's interval around
 * `value`. */
struct interval block_interval_of_parts(double value, const double *parts, size_t count);

#endif
