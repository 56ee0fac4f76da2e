/* The Anderson-Darling test: how far a sample lies from a continuous law. */
#ifndef TOKTRACE_ANDERSON_DARLING_H
#define TOKTRACE_ANDERSON_DARLING_H

#include <stddef.h>

/* The statistic A² of count >= 1 values F(x) of the law's distribution function,
 * ascending. Values are kept off 0 and 1 by the smallest step of a double. */
double anderson_darling_statistic(const double *sorted, size_t count);

/* P(A² > statistic) when the law was fully given, none of it estimated from the
 * sample: limit for large count and its correction (Marsaglia & Marsaglia 2004). */
double anderson_darling_p_value(double statistic, size_t count);

/* The same when the law was exponential and its mean the sample's: the points of
 * Stephens (1974), which scipy has too, log-linear between them; beyond them 0.15 or
 * 0.01. Slightly conservative: by simulation the 5 % point is passed by 4.7 % of
 * exponential samples. */
double anderson_darling_p_value_exponential(double statistic, size_t count);

#endif
