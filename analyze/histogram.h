/* A log-linear histogram of signed times in ns: each power of two is cut into 128 equal
 * buckets, so that the middle of a bucket is within 0.4 % of every value in it, and
 * values from -256 to 255 are exact. All 64-bit values have a bucket; two histograms
 * merge by adding. */
#ifndef TOKTRACE_HISTOGRAM_H
#define TOKTRACE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/moments.h"

/* Bound on |reported - true| / |true| of a quantile: half of 1/128. */
#define HISTOGRAM_RELATIVE_ERROR 0.00390625

enum {
    HISTOGRAM_BUCKET_BITS = 7,
    HISTOGRAM_SIDE = (64 - HISTOGRAM_BUCKET_BITS) << HISTOGRAM_BUCKET_BITS,
    HISTOGRAM_BUCKETS = 2 * HISTOGRAM_SIDE, /* negative values first, then 0 and above */
};

/* Start from {0}. Memory is taken at the first value. */
struct histogram {
    uint64_t *counts;       /* owned, HISTOGRAM_BUCKETS of them, or NULL */
    struct moments moments; /* exact, in ns */
};

void histogram_release(struct histogram *histogram);

/* Adds values_ns[0..count). */
void histogram_add(struct histogram *histogram, const int64_t *values_ns, size_t count);

/* Adds a gap that brought `tokens` >= 1 tokens as that many equal gaps. */
void histogram_add_spread(struct histogram *histogram, int64_t gap_ns, uint32_t tokens);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* The p-quantile in ns as quantile_of_sorted defines it, every order statistic taken as
 * the middle of its bucket, and never outside the exact extremes. Needs at least one
 * value. */
double histogram_quantile(const struct histogram *histogram, double p);

/* The bucket of a value, and the middle of a bucket in ns. */
static inline size_t histogram_bucket(int64_t value_ns)
{
    int64_t sign = value_ns >> 63;
    uint64_t magnitude = (uint64_t)(value_ns ^ sign);
    unsigned top = 63 - (unsigned)__builtin_clzll(magnitude | 1 << HISTOGRAM_BUCKET_BITS);
    unsigned shift = top - HISTOGRAM_BUCKET_BITS;
    int64_t index = (int64_t)(((uint64_t)shift << HISTOGRAM_BUCKET_BITS) +
                              (magnitude >> shift));
    return (size_t)(HISTOGRAM_SIDE + (index ^ sign));
}

double histogram_bucket_middle(size_t bucket);

#endif
