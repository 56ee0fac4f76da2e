#include "analyze/bootstrap.h"

#include <math.h>
#include <string.h>

#include "formats/base/quantile.h"

enum { GENERATOR_SEED = 20260524 };

/* Finalizer of splitmix64 (Steele, Lea and Flood 2014): neighbours land in unrelated
 * groups, so a slow phase of the run does not fall into step with the groups. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

unsigned bootstrap_group(uint64_t ordinal)
{
    if (ordinal < BOOTSTRAP_GROUPS)
        return (unsigned)ordinal;
    return (unsigned)(scramble(ordinal) % BOOTSTRAP_GROUPS);
}

gsl_rng *bootstrap_generator(unsigned stream)
{
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(generator, GENERATOR_SEED + stream);
    return generator;
}

void bootstrap_draw(gsl_rng *generator, uint32_t *weights, size_t groups)
{
    memset(weights, 0, groups * sizeof *weights);
    for (size_t i = 0; i < groups; i++)
        weights[gsl_rng_uniform_int(generator, groups)]++;
}

struct interval bootstrap_interval_at(const double *sorted, size_t count,
                                      double confidence)
{
    if (count == 0)
        return interval_unknown;
    double miss = (1 - confidence) / 2;
    return (struct interval){
        .known = true,
        .low = quantile_of_sorted(sorted, count, miss),
        .high = quantile_of_sorted(sorted, count, 1 - miss),
    };
}

struct interval bootstrap_interval(double *replicates, size_t count)
{
    quantile_sort(replicates, count);
    return bootstrap_interval_at(replicates, count, INTERVAL_CONFIDENCE);
}

void ratio_add(struct ratio_sums *sums, double above, double below)
{
    unsigned group = bootstrap_group(sums->count++);
    sums->above[group] += above;
    sums->below[group] += below;
}

size_t bootstrap_groups(uint64_t requests)
{
    return requests < BOOTSTRAP_GROUPS ? (size_t)requests : BOOTSTRAP_GROUPS;
}

double ratio_value(const struct ratio_sums *sums)
{
    double above = 0;
    double below = 0;
    for (size_t i = 0; i < BOOTSTRAP_GROUPS; i++) {
        above += sums->above[i];
        below += sums->below[i];
    }
    return below == 0 ? NAN : above / below;
}

struct interval ratio_interval(const struct ratio_sums *sums)
{
    size_t groups = bootstrap_groups(sums->count);
    if (groups < 2)
        return interval_unknown;
    double replicates[BOOTSTRAP_REPLICATES];
    uint32_t weights[BOOTSTRAP_GROUPS];
    size_t defined = 0;
    gsl_rng *generator = bootstrap_generator(0);
    for (size_t i = 0; i < BOOTSTRAP_REPLICATES; i++) {
        double above = 0;
        double below = 0;
        bootstrap_draw(generator, weights, groups);
        for (size_t group = 0; group < groups; group++) {
            above += weights[group] * sums->above[group];
            below += weights[group] * sums->below[group];
        }
        if (below != 0)
            replicates[defined++] = above / below;
    }
    gsl_rng_free(generator);
    return bootstrap_interval(replicates, defined);
}
