/* Confidence intervals for quantiles of independent values, from their order statistics
 * alone: no law assumed. */
#ifndef TOKTRACE_INTERVAL_H
#define TOKTRACE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#define INTERVAL_CONFIDENCE 0.95

/* known is false where the data cannot give one; the limits then are NaN. */
struct interval {
    bool known;
    double low;
    double high;
};

extern const struct interval interval_unknown;

/* Ranks (from 1) of the order statistics between which the p-quantile lies with at least
 * the given confidence, for any continuous law: the number of values below the quantile
 * is binomial(count, p), and each side misses with at most half of 1 - confidence. False
 * where the sample is too small for that. Source: David and Nagaraja, Order Statistics,
 * 3rd ed., 7.1. */
bool interval_ranks(size_t count, double p, double confidence, size_t *low, size_t *high);

/* The same, as values of an ascending array. */
struct interval interval_of_quantile(const double *sorted, size_t count, double p);

/* The share of successes in `count` trials: Clopper and Pearson (1934), exact. */
struct interval interval_of_share(size_t successes, size_t count);

/* b's share less a's: Newcombe (1998), method 10, from Wilson's intervals. */
struct interval interval_of_share_difference(size_t a_successes, size_t a_count,
                                             size_t b_successes, size_t b_count);

#endif
