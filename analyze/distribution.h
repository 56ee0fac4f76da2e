/* What is reported of many values of one kind, in seconds: moments, percentiles,
 * intervals for the headline ones, and how many values were missing. */
#ifndef TOKTRACE_DISTRIBUTION_H
#define TOKTRACE_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/histogram.h"
#include "analyze/interval.h"

enum { DISTRIBUTION_PERCENTILES = 10, DISTRIBUTION_HEADLINES = 4 };

struct percentile {
    const char *name; /* "p50", "p99_9" */
    double p;         /* 0.5, 0.999 */
};
extern const struct percentile distribution_percentiles[DISTRIBUTION_PERCENTILES];

/* Those that get an interval: p50, p90, p95, p99, as indices into the above. */
extern const size_t distribution_headlines[DISTRIBUTION_HEADLINES];

struct distribution {
    uint64_t count;
    uint64_t excluded;     /* undefined for so many */
    double relative_error; /* of the percentiles: 0 when exact */
    double mean; /* with count 0 all of these are NaN */
    double sd;   /* NaN for count < 2 */
    double min;
    double max;
    double percentile_s[DISTRIBUTION_PERCENTILES];
    struct interval headline[DISTRIBUTION_HEADLINES];
};

/* Of values_s[0..count), which are sorted in place; exact, with exact intervals. */
struct distribution distribution_of_values(double *values_s, size_t count,
                                           uint64_t excluded);

/* Of a histogram of ns; without intervals. */
struct distribution distribution_of_histogram(const struct histogram *histogram,
                                              uint64_t excluded);

/* The value of the percentile called p50, p90, p95 or p99 by its place among the
 * headlines. */
double distribution_headline(const struct distribution *distribution, size_t headline);

enum { HEADLINE_P50, HEADLINE_P90, HEADLINE_P95, HEADLINE_P99 };

#endif
