/* Bootstrap over requests, never over single tokens, at a cost that does not grow with
 * their number: requests are dealt at random into at most 256 groups, and groups are
 * drawn with replacement. With up to 256 requests each is its own group: the ordinary
 * bootstrap (Efron 1979). Beyond, groups of independent requests are independent
 * themselves, and 256 of them give a standard error to within 4.4 % (1 / sqrt(2 x 256)).
 * The seed is fixed: the same data give the same interval. */
#ifndef TOKTRACE_BOOTSTRAP_H
#define TOKTRACE_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "analyze/interval.h"

enum { BOOTSTRAP_GROUPS = 256, BOOTSTRAP_REPLICATES = 400 };

/* The group of the request with this ordinal (0, 1, 2...) among those that count. */
unsigned bootstrap_group(uint64_t ordinal);

/* The number of groups that so many requests fill. */
size_t bootstrap_groups(uint64_t requests);

/* A generator with a fixed seed; streams are independent of each other. Caller frees with
 * gsl_rng_free. */
gsl_rng *bootstrap_generator(unsigned stream);

/* One replicate: how often each of `groups` groups is drawn in `groups` draws. */
void bootstrap_draw(gsl_rng *generator, uint32_t *weights, size_t groups);

/* The central part of the replicates' values (sorted in place): the percentile
 * interval. */
struct interval bootstrap_interval(double *replicates, size_t count);

/* The same at another confidence; the replicates are sorted already. */
struct interval bootstrap_interval_at(const double *sorted, size_t count,
                                      double confidence);

/* A quotient of sums over requests, kept per group. Start from {0}. */
struct ratio_sums {
    double above[BOOTSTRAP_GROUPS];
    double below[BOOTSTRAP_GROUPS];
    uint64_t count; /* requests added */
};

/* Adds one request's share of both sums. */
void ratio_add(struct ratio_sums *sums, double above, double below);

/* The quotient of the sums; NaN while the lower one is 0. */
double ratio_value(const struct ratio_sums *sums);

/* Needs two requests. */
struct interval ratio_interval(const struct ratio_sums *sums);

#endif
