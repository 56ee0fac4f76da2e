/* Count, mean, variance and extremes of numbers that pass by, without loss of digits:
 * merged by the pairwise formulas of Chan, Golub and LeVeque (1979), never as sums of
 * squares. */
#ifndef TOKTRACE_MOMENTS_H
#define TOKTRACE_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Start from {0}. */
struct moments {
    uint64_t count;
    double mean;
    double m2; /* sum of squared distances from the mean */
    double min; /* of count >= 1 */
    double max;
};

/* Adds `weight` >= 1 copies of value. */
void moments_add(struct moments *moments, double value, uint64_t weight);

/* Adds values[0..count). */
void moments_add_ints(struct moments *moments, const int64_t *values, size_t count);

void moments_merge(struct moments *into, const struct moments *from);

/* Standard deviation of the sample (divisor count - 1); NaN for less than two. */
double moments_sd(const struct moments *moments);

#endif
