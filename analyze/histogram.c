#include "analyze/histogram.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "formats/base/memory.h"

void histogram_release(struct histogram *histogram)
{
    free(histogram->counts);
    *histogram = (struct histogram){ 0 };
}

static void ensure_counts(struct histogram *histogram)
{
    if (!histogram->counts)
        histogram->counts = memory_new(HISTOGRAM_BUCKETS, sizeof *histogram->counts);
}

void histogram_add(struct histogram *histogram, const int64_t *values_ns, size_t count)
{
    if (count == 0)
        return;
    ensure_counts(histogram);
    uint64_t *counts = histogram->counts;
    struct moments_run run = moments_run_start(values_ns[0]);
    for (size_t i = 0; i < count; i++) {
        counts[histogram_bucket(values_ns[i])]++;
        moments_run_add(&run, values_ns[i]);
    }
    moments_run_end(&run, count, &histogram->moments);
}

void histogram_add_spread(struct histogram *histogram, int64_t gap_ns, uint32_t tokens)
{
    assert(tokens > 0);
    ensure_counts(histogram);
    double share_ns = (double)gap_ns / tokens;
    histogram->counts[histogram_bucket(llround(share_ns))] += tokens;
    moments_add(&histogram->moments, share_ns, tokens);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (!from->counts)
        return;
    ensure_counts(into);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->counts[i] += from->counts[i];
    moments_merge(&into->moments, &from->moments);
}

double histogram_bucket_middle(size_t bucket)
{
    if (bucket < HISTOGRAM_SIDE) /* -1 - v lies where v does on the other side */
        return -1 - histogram_bucket_middle(2 * (size_t)HISTOGRAM_SIDE - 1 - bucket);
    size_t index = bucket - HISTOGRAM_SIDE;
    size_t octave = index >> HISTOGRAM_BUCKET_BITS;
    if (octave < 2)
        return (double)index;
    unsigned shift = (unsigned)octave - 1;
    size_t lowest = index - ((size_t)shift << HISTOGRAM_BUCKET_BITS);
    return ldexp((double)lowest, (int)shift) + (ldexp(1, (int)shift) - 1) / 2;
}

/* The order statistics `rank` and rank + 1 (from 0; the last one twice): the extremes as
 * they are, the others as middles of their buckets. */
static void order_statistics(const struct histogram *histogram, uint64_t rank,
                             double pair[2])
{
    uint64_t last = histogram->moments.count - 1;
    uint64_t wanted[2] = { rank, rank < last ? rank + 1 : last };
    uint64_t seen = 0;
    size_t found = 0;
    for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS && found < 2; bucket++) {
        seen += histogram->counts[bucket];
        while (found < 2 && seen > wanted[found])
            pair[found++] = histogram_bucket_middle(bucket);
    }
    if (wanted[0] == 0)
        pair[0] = histogram->moments.min;
    if (wanted[1] == last)
        pair[1] = histogram->moments.max;
}

double histogram_quantile(const struct histogram *histogram, double p)
{
    assert(histogram->moments.count > 0 && p >= 0 && p <= 1);
    double position = (double)(histogram->moments.count - 1) * p;
    uint64_t rank = (uint64_t)position;
    double pair[2] = { 0 };
    order_statistics(histogram, rank, pair);
    double value = pair[0] + (pair[1] - pair[0]) * (position - (double)rank);
    return fmin(fmax(value, histogram->moments.min), histogram->moments.max);
}
