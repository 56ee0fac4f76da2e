#include "analyze/block_means.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

const struct estimate estimate_unknown = {
    .value = NAN,
    .interval = { .known = false, .low = NAN, .high = NAN },
};

static double half_width(double variance, size_t parts)
{
    double upper = 1 - (1 - INTERVAL_CONFIDENCE) / 2;
    return gsl_cdf_tdist_Pinv(upper, (double)parts - 1) * sqrt(variance);
}

static struct interval around(double value, double half)
{
    return (struct interval){ .known = true, .low = value - half, .high = value + half };
}

struct interval block_interval(double value, const double *residuals, size_t blocks)
{
    if (blocks < 2)
        return interval_unknown;
    double squares = 0;
    for (size_t i = 0; i < blocks; i++)
        squares += residuals[i] * residuals[i];
    double variance = squares * (double)blocks / (double)(blocks - 1);
    return around(value, half_width(variance, blocks));
}

static double sum_of(const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < BLOCK_COUNT; i++)
        sum += values[i];
    return sum;
}

struct estimate block_ratio(const struct block_sums *sums)
{
    double weight = sum_of(sums->weight);
    double residuals[BLOCK_COUNT];
    size_t used = 0;
    if (!(weight > 0))
        return estimate_unknown;
    double ratio = sum_of(sums->value) / weight;
    for (size_t i = 0; i < BLOCK_COUNT; i++)
        if (sums->weight[i] > 0)
            residuals[used++] = (sums->value[i] - ratio * sums->weight[i]) / weight;
    struct interval interval = block_interval(ratio, residuals, used);
    interval.low = interval.low < 0 ? 0 : interval.low;
    return (struct estimate){ .value = ratio, .interval = interval };
}

struct estimate block_squared_cv(const struct block_sums *first,
                                 const struct block_sums *second)
{
    double weight = sum_of(first->weight);
    double mean = sum_of(first->value) / weight;
    double square = sum_of(second->value) / weight;
    double residuals[BLOCK_COUNT];
    size_t used = 0;
    if (!(weight > 0) || !(mean > 0))
        return estimate_unknown;
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        double items = first->weight[i];
        if (!(items > 0))
            continue;
        double of_square = (second->value[i] - square * items) / (mean * mean);
        double of_mean = (first->value[i] - mean * items) * 2 * square / pow(mean, 3);
        residuals[used++] = (of_square - of_mean) / weight;
    }
    double value = square / (mean * mean) - 1;
    struct interval interval = block_interval(value, residuals, used);
    interval.low = interval.low < 0 ? 0 : interval.low;
    return (struct estimate){ .value = value, .interval = interval };
}

struct interval block_interval_of_parts(double value, const double *parts, size_t count)
{
    double sum = 0;
    double squares = 0;
    if (count < 2)
        return interval_unknown;
    for (size_t i = 0; i < count; i++)
        sum += parts[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (parts[i] - mean) * (parts[i] - mean);
    double variance = squares / (double)(count - 1) / (double)count;
    return around(value, half_width(variance, count));
}
