/* How much one set of values differs from another: ratios and differences of their mean,
 * median and 99th percentile, with intervals. */
#ifndef TOKTRACE_CONTRAST_H
#define TOKTRACE_CONTRAST_H

#include <stddef.h>

#include "analyze/interval.h"
#include "analyze/itl.h"

enum contrast_statistic { CONTRAST_MEAN, CONTRAST_P50, CONTRAST_P99, CONTRASTS };

/* "mean", "p50", "p99". */
extern const char *const contrast_names[CONTRASTS];

/* The level of the two tests (median and p99) that together judge a metric. Each errs in
 * 1.5 % by its own account; the bootstrap of a 99th percentile of some hundred requests
 * errs more often than it says, and both together stayed below 5 % in 500 comparisons of
 * equals (2.6 to 4.8 %, by metric). */
#define CONTRAST_JOINT_CONFIDENCE 0.985

/* Of one statistic; NaN and unknown where a side has no values. */
struct contrast {
    double a;
    double b;
    double difference; /* b - a */
    double ratio;      /* b / a; NaN when a is not above 0 */
    struct interval difference95;
    struct interval ratio95;
    struct interval ratio_joint; /* at CONTRAST_JOINT_CONFIDENCE */
};

/* Bootstrap over requests. When `paired`, a[i] and b[i] belong to the same row and are
 * drawn together, and both counts are the same. */
void contrast_values(const double *a, size_t a_count, const double *b, size_t b_count,
                     bool paired, struct contrast result[CONTRASTS]);

/* Gaps between events, by bootstrap over requests, not paired. Quantiles come from
 * histograms: differences below twice HISTOGRAM_RELATIVE_ERROR mean nothing. */
void contrast_itl(const struct itl *a, const struct itl *b,
                  struct contrast result[CONTRASTS]);

/* One value of a statistic from each of several runs: the variance is that between runs,
 * as Welch's t interval, on logarithms for the ratio. Needs two runs on each side. */
struct contrast contrast_runs(const double *a, size_t a_count, const double *b,
                              size_t b_count);

#endif
