#include "analyze/contrast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "analyze/bootstrap.h"
#include "analyze/moments.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

const char *const contrast_names[CONTRASTS] = { "mean", "p50", "p99" };

/* Values of one side, ascending, each with the bootstrap group of its request. */
struct grouped_value {
    double value;
    unsigned group;
};

enum { BLOCK_VALUES = 256 };

/* How many values of a block are of each group. */
struct block {
    uint16_t counts[BOOTSTRAP_GROUPS];
};

struct side {
    struct grouped_value *values; /* owned */
    /* owned; of BLOCK_VALUES values each, the last of fewer */
    struct block *blocks;
    size_t count;
    size_t block_count;
    double sums[BOOTSTRAP_GROUPS]; /* of the values of each group */
    double sizes[BOOTSTRAP_GROUPS];
};

static int compare_values(const void *left, const void *right)
{
    double a = ((const struct grouped_value *)left)->value;
    double b = ((const struct grouped_value *)right)->value;
    return (a > b) - (a < b);
}

static void side_init(struct side *side, const double *values, size_t count)
{
    size_t block_count = (count + BLOCK_VALUES - 1) / BLOCK_VALUES;
    *side = (struct side){
        .values = memory_new(count, sizeof *side->values),
        .blocks = memory_new(block_count, sizeof *side->blocks),
        .count = count,
        .block_count = block_count,
    };
    for (size_t i = 0; i < count; i++) {
        unsigned group = bootstrap_group(i);
        side->values[i] = (struct grouped_value){ values[i], group };
        side->sums[group] += values[i];
        side->sizes[group]++;
    }
    qsort(side->values, count, sizeof *side->values, compare_values);
    for (size_t i = 0; i < count; i++)
        side->blocks[i / BLOCK_VALUES].counts[side->values[i].group]++;
}

static void side_release(struct side *side)
{
    free(side->values);
    free(side->blocks);
}

/* A quantile of a replicate, found in one ascending walk over the values. */
struct order_walk {
    double position;
    double below; /* the value at floor(position), NaN until it is passed */
    double above; /* the one after it */
};

/* True when a value that is still wanted lies among the first `seen`. */
static bool order_walk_wants(const struct order_walk *walk, double seen)
{
    double rank = floor(walk->position);
    return (isnan(walk->below) && seen > rank) || (isnan(walk->above) && seen > rank + 1);
}

static void order_walk_pass(struct order_walk *walk, double seen, double value)
{
    double rank = floor(walk->position);
    if (isnan(walk->below) && seen > rank)
        walk->below = value;
    if (isnan(walk->above) && seen > rank + 1)
        walk->above = value;
}

static double order_walk_value(const struct order_walk *walk)
{
    double share = walk->position - floor(walk->position);
    return isnan(walk->above) ? walk->below
                              : walk->below + (walk->above - walk->below) * share;
}

static double block_weight(const struct block *block, const uint32_t *weights)
{
    uint32_t sum = 0; /* at most 256 values, each drawn at most 256 times */
    for (size_t group = 0; group < BOOTSTRAP_GROUPS; group++)
        sum += block->counts[group] * weights[group];
    return sum;
}

/* Walks value by value only where a wanted one lies. */
static void side_walk(const struct side *side, const uint32_t *weights,
                      struct order_walk *median, struct order_walk *tail)
{
    double seen = 0;
    for (size_t block = 0; block < side->block_count; block++) {
        double weight = block_weight(&side->blocks[block], weights);
        if (!order_walk_wants(median, seen + weight) &&
            !order_walk_wants(tail, seen + weight)) {
            seen += weight;
            continue;
        }
        size_t end = (block + 1) * BLOCK_VALUES;
        for (size_t i = block * BLOCK_VALUES; i < end && i < side->count; i++) {
            seen += weights[side->values[i].group];
            order_walk_pass(median, seen, side->values[i].value);
            order_walk_pass(tail, seen, side->values[i].value);
        }
    }
}

/* The statistics when each value counts as often as its group was drawn. */
static void side_replicate(const struct side *side, const uint32_t *weights,
                           double result[CONTRASTS])
{
    double total = 0;
    double sum = 0;
    for (size_t group = 0; group < BOOTSTRAP_GROUPS; group++) {
        total += weights[group] * side->sizes[group];
        sum += weights[group] * side->sums[group];
    }
    struct order_walk median = { (total - 1) * 0.5, NAN, NAN };
    struct order_walk tail = { (total - 1) * 0.99, NAN, NAN };
    side_walk(side, weights, &median, &tail);
    result[CONTRAST_MEAN] = total > 0 ? sum / total : NAN;
    result[CONTRAST_P50] = order_walk_value(&median);
    result[CONTRAST_P99] = order_walk_value(&tail);
}

/* Bootstrap replicates of both sides, per statistic. */
struct replicates {
    double a[CONTRASTS][BOOTSTRAP_REPLICATES];
    double b[CONTRASTS][BOOTSTRAP_REPLICATES];
    size_t count;
};

static struct contrast contrast_of_points(double a, double b)
{
    return (struct contrast){
        .a = a,
        .b = b,
        .difference = b - a,
        .ratio = a > 0 ? b / a : NAN,
        .difference95 = interval_unknown,
        .ratio95 = interval_unknown,
        .ratio_joint = interval_unknown,
    };
}

static void set_intervals(struct contrast *contrast, const double *a, const double *b,
                          size_t count)
{
    double differences[BOOTSTRAP_REPLICATES];
    double ratios[BOOTSTRAP_REPLICATES];
    size_t positive = 0;
    for (size_t i = 0; i < count; i++) {
        differences[i] = b[i] - a[i];
        if (a[i] > 0)
            ratios[positive++] = b[i] / a[i];
    }
    contrast->difference95 = bootstrap_interval(differences, count);
    if (positive < count)
        return; /* some denominators are not above 0: a ratio says nothing */
    contrast->ratio95 = bootstrap_interval(ratios, count);
    contrast->ratio_joint = bootstrap_interval_at(ratios, count,
                                                  CONTRAST_JOINT_CONFIDENCE);
}

static void draw_replicates(struct replicates *replicates, const struct side *a,
                            const struct side *b, bool paired)
{
    size_t a_groups = bootstrap_groups(a->count);
    size_t b_groups = bootstrap_groups(b->count);
    gsl_rng *generator = bootstrap_generator(0);
    replicates->count = BOOTSTRAP_REPLICATES;
    for (size_t i = 0; i < BOOTSTRAP_REPLICATES; i++) {
        uint32_t weights[BOOTSTRAP_GROUPS] = { 0 };
        double a_values[CONTRASTS];
        double b_values[CONTRASTS];
        bootstrap_draw(generator, weights, a_groups);
        side_replicate(a, weights, a_values);
        if (!paired)
            bootstrap_draw(generator, weights, b_groups);
        side_replicate(b, weights, b_values);
        for (size_t j = 0; j < CONTRASTS; j++) {
            replicates->a[j][i] = a_values[j];
            replicates->b[j][i] = b_values[j];
        }
    }
    gsl_rng_free(generator);
}

void contrast_values(const double *a, size_t a_count, const double *b, size_t b_count,
                     bool paired, struct contrast result[CONTRASTS])
{
    assert(!paired || a_count == b_count);
    for (size_t j = 0; j < CONTRASTS; j++)
        result[j] = contrast_of_points(NAN, NAN);
    if (a_count == 0 || b_count == 0)
        return;

    uint32_t once[BOOTSTRAP_GROUPS];
    for (size_t group = 0; group < BOOTSTRAP_GROUPS; group++)
        once[group] = 1;
    double a_values[CONTRASTS];
    double b_values[CONTRASTS];
    struct side sides[2];
    side_init(&sides[0], a, a_count);
    side_init(&sides[1], b, b_count);
    side_replicate(&sides[0], once, a_values);
    side_replicate(&sides[1], once, b_values);
    for (size_t j = 0; j < CONTRASTS; j++)
        result[j] = contrast_of_points(a_values[j], b_values[j]);
    if (a_count >= 2 && b_count >= 2) {
        struct replicates *replicates = memory_new(1, sizeof *replicates);
        draw_replicates(replicates, &sides[0], &sides[1], paired);
        for (size_t j = 0; j < CONTRASTS; j++)
            set_intervals(&result[j], replicates->a[j], replicates->b[j],
                          replicates->count);
        free(replicates);
    }
    side_release(&sides[0]);
    side_release(&sides[1]);
}

void contrast_itl(const struct itl *a, const struct itl *b,
                  struct contrast result[CONTRASTS])
{
    enum { QUANTILES = 2 };
    static const double quantiles[QUANTILES] = { 0.5, 0.99 };
    static const size_t places[QUANTILES] = { CONTRAST_P50, CONTRAST_P99 };
    double a_ns[QUANTILES][BOOTSTRAP_REPLICATES];
    double b_ns[QUANTILES][BOOTSTRAP_REPLICATES];
    struct distribution a_gaps = itl_distribution(a, false);
    struct distribution b_gaps = itl_distribution(b, false);
    bool known = itl_replicates_ns(a, 0, quantiles, QUANTILES, a_ns) &&
                 itl_replicates_ns(b, 1, quantiles, QUANTILES, b_ns);
    result[CONTRAST_MEAN] = contrast_of_points(a_gaps.mean, b_gaps.mean);
    for (size_t j = 0; j < QUANTILES; j++) {
        struct contrast *contrast = &result[places[j]];
        *contrast = contrast_of_points(itl_quantile_ns(a, quantiles[j]) / NS_PER_S,
                                       itl_quantile_ns(b, quantiles[j]) / NS_PER_S);
        for (size_t i = 0; known && i < BOOTSTRAP_REPLICATES; i++) {
            a_ns[j][i] /= NS_PER_S;
            b_ns[j][i] /= NS_PER_S;
        }
        if (known)
            set_intervals(contrast, a_ns[j], b_ns[j], BOOTSTRAP_REPLICATES);
    }
}

/* Welch's interval of mean(b) - mean(a); Satterthwaite's degrees of freedom. */
static struct interval welch(const struct moments *a, const struct moments *b,
                             double confidence)
{
    double a_part = a->m2 / (double)(a->count - 1) / (double)a->count;
    double b_part = b->m2 / (double)(b->count - 1) / (double)b->count;
    double error = sqrt(a_part + b_part);
    double centre = b->mean - a->mean;
    double half = 0;
    if (error > 0) {
        double freedom = (a_part + b_part) * (a_part + b_part) /
                         (a_part * a_part / (double)(a->count - 1) +
                          b_part * b_part / (double)(b->count - 1));
        half = error * gsl_cdf_tdist_Qinv((1 - confidence) / 2, freedom);
    }
    return (struct interval){ .known = true, .low = centre - half, .high = centre +
                             half };
}

static struct interval exponential_of(struct interval interval)
{
    interval.low = exp(interval.low);
    interval.high = exp(interval.high);
    return interval;
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            return false;
    return true;
}

static struct moments moments_of(const double *values, size_t count, bool logarithms)
{
    struct moments moments = { 0 };
    for (size_t i = 0; i < count; i++)
        moments_add(&moments, logarithms ? log(values[i]) : values[i], 1);
    return moments;
}

struct contrast contrast_runs(const double *a, size_t a_count, const double *b,
                              size_t b_count)
{
    struct moments a_plain = moments_of(a, a_count, false);
    struct moments b_plain = moments_of(b, b_count, false);
    bool enough = a_count >= 2 && b_count >= 2;
    if (a_count == 0 || b_count == 0)
        return contrast_of_points(NAN, NAN);
    struct contrast result = contrast_of_points(a_plain.mean, b_plain.mean);
    if (enough)
        result.difference95 = welch(&a_plain, &b_plain, INTERVAL_CONFIDENCE);
    if (!all_positive(a, a_count) || !all_positive(b, b_count))
        return result;
    struct moments a_log = moments_of(a, a_count, true);
    struct moments b_log = moments_of(b, b_count, true);
    result.ratio = exp(b_log.mean - a_log.mean);
    if (enough) {
        result.ratio95 = exponential_of(welch(&a_log, &b_log, INTERVAL_CONFIDENCE));
        result.ratio_joint =
            exponential_of(welch(&a_log, &b_log, CONTRAST_JOINT_CONFIDENCE));
    }
    return result;
}
