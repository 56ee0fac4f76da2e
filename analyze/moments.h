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

/* Whole numbers on their way into moments, for loops that do other things with them too.
 * Distances from the first value are summed: they are small where the values are alike,
 * so that the squares keep their digits. */
struct moments_run {
    double origin;
    double sum;
    double squares;
    int64_t min;
    int64_t max;
};

static inline struct moments_run moments_run_start(int64_t first)
{
    return (struct moments_run){ .origin = (double)first, .min = first, .max = first };
}

static inline void moments_run_add(struct moments_run *run, int64_t value)
{
    double distance = (double)value - run->origin;
    run->sum += distance;
    run->squares += distance * distance;
    run->min = value < run->min ? value : run->min;
    run->max = value > run->max ? value : run->max;
}

/* Adds the `count` >= 1 values of the run. */
void moments_run_end(const struct moments_run *run, uint64_t count,
                     struct moments *moments);

void moments_merge(struct moments *into, const struct moments *from);

/* Standard deviation of the sample (divisor count - 1); NaN for less than two. */
double moments_sd(const struct moments *moments);

#endif
