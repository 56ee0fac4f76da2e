#include "analyze/distribution.h"

#include <math.h>

#include "analyze/moments.h"
#include "formats/base/clock.h"
#include "formats/base/quantile.h"

const struct percentile distribution_percentiles[DISTRIBUTION_PERCENTILES] = {
    { "p1", 0.01 },  { "p5", 0.05 },  { "p10", 0.1 },  { "p25", 0.25 }, { "p50", 0.5 },
    { "p75", 0.75 }, { "p90", 0.9 },  { "p95", 0.95 }, { "p99", 0.99 },
    { "p99_9", 0.999 },
};

const size_t distribution_headlines[DISTRIBUTION_HEADLINES] = { 4, 6, 7, 8 };

static struct distribution distribution_empty(uint64_t excluded)
{
    struct distribution empty = {
        .excluded = excluded, .mean = NAN, .sd = NAN, .min = NAN, .max = NAN,
    };
    for (size_t i = 0; i < DISTRIBUTION_PERCENTILES; i++)
        empty.percentile_s[i] = NAN;
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++)
        empty.headline[i] = interval_unknown;
    return empty;
}

static void set_moments(struct distribution *distribution, const struct moments *moments,
                        double per_s)
{
    distribution->count = moments->count;
    distribution->mean = moments->mean / per_s;
    distribution->sd = moments_sd(moments) / per_s;
    distribution->min = moments->min / per_s;
    distribution->max = moments->max / per_s;
}

struct distribution distribution_of_values(double *values_s, size_t count,
                                           uint64_t excluded)
{
    struct distribution result = distribution_empty(excluded);
    if (count == 0)
        return result;
    struct moments moments = { 0 };
    for (size_t i = 0; i < count; i++)
        moments_add(&moments, values_s[i], 1);
    set_moments(&result, &moments, 1);

    quantile_sort(values_s, count);
    for (size_t i = 0; i < DISTRIBUTION_PERCENTILES; i++)
        result.percentile_s[i] =
            quantile_of_sorted(values_s, count, distribution_percentiles[i].p);
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++) {
        double p = distribution_percentiles[distribution_headlines[i]].p;
        result.headline[i] = interval_of_quantile(values_s, count, p);
    }
    return result;
}

struct distribution distribution_of_histogram(const struct histogram *histogram,
                                              uint64_t excluded)
{
    struct distribution result = distribution_empty(excluded);
    if (histogram->moments.count == 0)
        return result;
    set_moments(&result, &histogram->moments, NS_PER_S);
    result.relative_error = HISTOGRAM_RELATIVE_ERROR;
    for (size_t i = 0; i < DISTRIBUTION_PERCENTILES; i++)
        result.percentile_s[i] =
            histogram_quantile(histogram, distribution_percentiles[i].p) / NS_PER_S;
    return result;
}

double distribution_headline(const struct distribution *distribution, size_t headline)
{
    return distribution->percentile_s[distribution_headlines[headline]];
}
