/* Exact quantiles of numbers held in memory. */
#ifndef TOKTRACE_QUANTILE_H
#define TOKTRACE_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Ascending order in time linear in count (radix sort on the bits). No value may be NaN;
 * -0.0 comes before 0.0. */
void quantile_sort(double *values, size_t count);

/* As above for whole numbers. */
void quantile_sort_int(int64_t *values, size_t count);

/* The p-quantile, 0 <= p <= 1, of count >= 1 ascending values: linear interpolation
 * between the order statistics around (count - 1)p. Type 7 of Hyndman and Fan (1996), the
 * default of numpy and R, rounded as numpy rounds it. */
double quantile_of_sorted(const double *sorted, size_t count, double p);

#endif
