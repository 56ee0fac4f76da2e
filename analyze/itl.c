#include "analyze/itl.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

void itl_release(struct itl *itl)
{
    for (size_t i = 0; i < BOOTSTRAP_GROUPS; i++) {
        histogram_release(&itl->single[i]);
        histogram_release(&itl->multi[i]);
        histogram_release(&itl->spread[i]);
    }
}

static uint64_t count_negative(const struct clock_gaps *gaps)
{
    uint64_t negative = 0;
    for (size_t i = 0; i < gaps->count; i++)
        negative += gaps->gap_ns[i] < 0;
    for (size_t i = 0; i < gaps->multi_count; i++)
        negative += gaps->multi[i].gap_ns < 0;
    return negative;
}

void itl_add(struct itl *itl, const struct clock_gaps *gaps)
{
    if (gaps->count + gaps->multi_count == 0) {
        itl->excluded++;
        return;
    }
    unsigned group = bootstrap_group(itl->requests++);
    histogram_add(&itl->single[group], gaps->gap_ns, gaps->count);
    for (size_t i = 0; i < gaps->multi_count; i++) {
        const struct multi_gap *multi = &gaps->multi[i];
        histogram_add(&itl->multi[group], &multi->gap_ns, 1);
        if (multi->tokens > 0)
            histogram_add_spread(&itl->spread[group], multi->spread_ns, multi->tokens);
    }
    if (itl->single[group].moments.min < 0 || itl->multi[group].moments.min < 0)
        itl->negative += count_negative(gaps); /* else there is none to look for */
}

/* The histograms of all groups with only the buckets that hold something: few, so that a
 * replicate of the bootstrap is a short sum. */
struct dense {
    double *middles_ns; /* of the buckets, ascending */
    double *counts;     /* group after group, `width` each */
    double *sums;       /* of one replicate */
    size_t width;
};

static void dense_release(struct dense *dense)
{
    free(dense->middles_ns);
    free(dense->counts);
    free(dense->sums);
}

static double count_at(const struct histogram *histogram, size_t bucket)
{
    return histogram->counts ? (double)histogram->counts[bucket] : 0;
}

static void dense_init(struct dense *dense, const struct histogram *total,
                       const struct histogram *first, const struct histogram *second,
                       size_t groups)
{
    *dense = (struct dense){ 0 };
    for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        dense->width += total->counts[bucket] > 0;
    dense->middles_ns = memory_new(dense->width, sizeof *dense->middles_ns);
    dense->sums = memory_new(dense->width, sizeof *dense->sums);
    dense->counts = memory_new(groups * dense->width, sizeof *dense->counts);
    size_t column = 0;
    for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        if (total->counts[bucket] == 0)
            continue;
        dense->middles_ns[column] = histogram_bucket_middle(bucket);
        for (size_t group = 0; group < groups; group++)
            dense->counts[group * dense->width + column] =
                count_at(&first[group], bucket) + count_at(&second[group], bucket);
        column++;
    }
}

/* Sums up the groups as often as they were drawn; returns the number of gaps. */
static double dense_replicate(struct dense *dense, const uint32_t *weights, size_t groups)
{
    for (size_t i = 0; i < dense->width; i++)
        dense->sums[i] = 0;
    for (size_t group = 0; group < groups; group++) {
        const double *counts = dense->counts + group * dense->width;
        for (size_t i = 0; weights[group] > 0 && i < dense->width; i++)
            dense->sums[i] += weights[group] * counts[i];
    }
    double total = 0;
    for (size_t i = 0; i < dense->width; i++)
        total += dense->sums[i];
    return total;
}

/* The p-quantile of a replicate, as the middle of its bucket. */
static double dense_quantile_ns(const struct dense *dense, double total, double p)
{
    double rank = (total - 1) * p;
    double seen = 0;
    for (size_t i = 0; i < dense->width; i++) {
        seen += dense->sums[i];
        if (seen > rank)
            return dense->middles_ns[i];
    }
    return dense->middles_ns[dense->width - 1];
}

/* Replicates of several quantiles, in ns: an array of them for each. */
static void draw_replicates(struct dense *dense, size_t groups, unsigned stream,
                            const double *quantiles, size_t count,
                            double (*replicates_ns)[BOOTSTRAP_REPLICATES])
{
    uint32_t weights[BOOTSTRAP_GROUPS];
    gsl_rng *generator = bootstrap_generator(stream);
    for (size_t i = 0; i < BOOTSTRAP_REPLICATES; i++) {
        bootstrap_draw(generator, weights, groups);
        double total = dense_replicate(dense, weights, groups);
        for (size_t j = 0; j < count; j++)
            replicates_ns[j][i] = dense_quantile_ns(dense, total, quantiles[j]);
    }
    gsl_rng_free(generator);
}

static void merge_groups(struct histogram *total, const struct histogram *first,
                         const struct histogram *second, size_t groups)
{
    for (size_t i = 0; i < groups; i++) {
        histogram_merge(total, &first[i]);
        histogram_merge(total, &second[i]);
    }
}

double itl_quantile_ns(const struct itl *itl, double p)
{
    struct histogram total = { 0 };
    merge_groups(&total, itl->single, itl->multi, bootstrap_groups(itl->requests));
    double result = total.counts ? histogram_quantile(&total, p) : NAN;
    histogram_release(&total);
    return result;
}

static bool replicates_of(const struct itl *itl, const struct histogram *others,
                          const struct histogram *total, unsigned stream,
                          const double *quantiles, size_t count,
                          double (*replicates_ns)[BOOTSTRAP_REPLICATES])
{
    size_t groups = bootstrap_groups(itl->requests);
    if (groups < 2 || !total->counts)
        return false;
    struct dense dense;
    dense_init(&dense, total, itl->single, others, groups);
    draw_replicates(&dense, groups, stream, quantiles, count, replicates_ns);
    dense_release(&dense);
    return true;
}

bool itl_replicates_ns(const struct itl *itl, unsigned stream, const double *quantiles,
                       size_t count, double (*replicates_ns)[BOOTSTRAP_REPLICATES])
{
    struct histogram total = { 0 };
    merge_groups(&total, itl->single, itl->multi, bootstrap_groups(itl->requests));
    bool known = replicates_of(itl, itl->multi, &total, stream, quantiles, count,
                               replicates_ns);
    histogram_release(&total);
    return known;
}

/* As bootstrap_interval, of ns, in seconds. */
static struct interval seconds_interval(double *replicates_ns)
{
    struct interval result = bootstrap_interval(replicates_ns, BOOTSTRAP_REPLICATES);
    result.low /= NS_PER_S;
    result.high /= NS_PER_S;
    return result;
}

struct distribution itl_distribution(const struct itl *itl, bool per_token)
{
    const struct histogram *others = per_token ? itl->spread : itl->multi;
    double replicates_ns[DISTRIBUTION_HEADLINES][BOOTSTRAP_REPLICATES];
    double quantiles[DISTRIBUTION_HEADLINES];
    struct histogram total = { 0 };
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++)
        quantiles[i] = distribution_percentiles[distribution_headlines[i]].p;
    merge_groups(&total, itl->single, others, bootstrap_groups(itl->requests));
    struct distribution result = distribution_of_histogram(&total, itl->excluded);
    if (replicates_of(itl, others, &total, 0, quantiles, DISTRIBUTION_HEADLINES,
                      replicates_ns))
        for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++)
            result.headline[i] = seconds_interval(replicates_ns[i]);
    histogram_release(&total);
    return result;
}
