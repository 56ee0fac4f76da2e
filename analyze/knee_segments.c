/* The rules on the curve of completed over offered load. */
#include <math.h>
#include <stdlib.h>

#include "analyze/bootstrap.h"
#include "analyze/knee_rules.h"
#include "formats/base/memory.h"

enum { RATES_MIN = 3, STEPS = 80, REPLICATES = 200 };

/* Below the lowest load the knee is sought down to this share of it. */
#define LOWEST_SHARE 0.1
/* Chi-square with one degree of freedom exceeds this in 1 of 1000 cases: a knee must
 * explain that much more than none. */
#define GAIN_MIN 10.83
/* A percentile interval from 20 batches is too short by sqrt(19 / 20) x 1.96 / 2.09. */
#define FEW_BATCHES 1.1
/* Counts of whole requests leave this much open even when every batch is alike. */
#define RELATIVE_ERROR_MIN 0.002

struct throughput_points {
    double *offered_per_s;
    double *completed_per_s;
    double *weight;
    size_t count;
};

static struct throughput_points points_new(size_t count)
{
    return (struct throughput_points){
        .offered_per_s = memory_new(count, sizeof(double)),
        .completed_per_s = memory_new(count, sizeof(double)),
        .weight = memory_new(count, sizeof(double)),
    };
}

static void points_free(struct throughput_points *points)
{
    free(points->offered_per_s);
    free(points->completed_per_s);
    free(points->weight);
}

/* Squared distances from: completed = offered up to the knee, then a line on from there
 * with the slope that fits best (flat when it rests on one rate only). */
static double misfit_at(double knee_per_s, void *context)
{
    const struct throughput_points *points = context;
    double misfit = 0;
    double xx = 0;
    double xy = 0;
    double yy = 0;
    double first = INFINITY;
    double last = 0;
    for (size_t i = 0; i < points->count; i++) {
        double beyond = points->offered_per_s[i] - knee_per_s;
        double above = points->completed_per_s[i] - fmin(points->offered_per_s[i],
                                                         knee_per_s);
        if (beyond <= 0) {
            misfit += points->weight[i] * above * above;
            continue;
        }
        xx += points->weight[i] * beyond * beyond;
        xy += points->weight[i] * beyond * above;
        yy += points->weight[i] * above * above;
        first = fmin(first, points->offered_per_s[i]);
        last = fmax(last, points->offered_per_s[i]);
    }
    bool sloped = last > first * 1.02 && xy < 0;
    return misfit + (sloped ? yy - xy * xy / xx : yy);
}

static double fit_knee(struct throughput_points *points, double low, double high)
{
    return search_minimum(misfit_at, points, low, high, STEPS);
}

/* The stage's rates with its batches as drawn. */
static void set_point(struct throughput_points *points, size_t at,
                      const struct stage_evidence *evidence, const uint32_t *times)
{
    double planned = 0;
    double completed = 0;
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++) {
        planned += times[i] * evidence->planned[i];
        completed += times[i] * evidence->completed[i];
    }
    double span_s = evidence->to_s - evidence->from_s;
    points->offered_per_s[at] = planned / span_s;
    points->completed_per_s[at] = completed / span_s;
}

static void set_points(struct throughput_points *points,
                       const struct knee_stages *stages, gsl_rng *generator)
{
    uint32_t times[EVIDENCE_BATCHES];
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++)
        times[i] = 1;
    for (size_t i = 0; i < stages->count; i++) {
        if (generator != NULL)
            bootstrap_draw(generator, times, EVIDENCE_BATCHES);
        set_point(points, i, stages->items[i].evidence, times);
    }
}

/* Weights by the error of completed less offered: what is random in both drops out. */
static struct throughput_points points_of(const struct knee_stages *stages)
{
    struct throughput_points points = points_new(stages->count);
    points.count = stages->count;
    set_points(&points, stages, NULL);
    for (size_t i = 0; i < stages->count; i++) {
        const struct stage_evidence *evidence = stages->items[i].evidence;
        double gap[EVIDENCE_BATCHES];
        for (size_t batch = 0; batch < EVIDENCE_BATCHES; batch++)
            gap[batch] = evidence->completed[batch] - evidence->planned[batch];
        double error = stage_rate(evidence, gap).error;
        double edge = evidence->bunch / (evidence->to_s - evidence->from_s) / sqrt(6);
        double least = points.offered_per_s[i] * RELATIVE_ERROR_MIN;
        points.weight[i] = 1 / (error * error + edge * edge + least * least);
    }
    return points;
}

void knee_by_segments(struct knee_finding *finding, const struct knee_stages *stages)
{
    if (knee_distinct_rates(stages, 0, stages->count) < RATES_MIN) {
        knee_unknown(finding, "fewer than %d loads", RATES_MIN);
        return;
    }
    struct throughput_points points = points_of(stages);
    double lowest = stages->items[0].evidence->planned_per_s;
    double highest = stages->items[stages->count - 1].evidence->planned_per_s;
    double knee_per_s = fit_knee(&points, lowest * LOWEST_SHARE, highest);
    double gain = misfit_at(INFINITY, &points) - misfit_at(knee_per_s, &points);
    if (gain < GAIN_MIN) {
        finding->state = KNEE_ABOVE;
        points_free(&points);
        return;
    }
    double values[REPLICATES];
    gsl_rng *generator = bootstrap_generator(2);
    for (size_t i = 0; i < REPLICATES; i++) {
        set_points(&points, stages, generator);
        values[i] = fit_knee(&points, lowest * LOWEST_SHARE, highest);
    }
    gsl_rng_free(generator);
    points_free(&points);
    struct interval interval = bootstrap_interval(values, REPLICATES);
    double below = fmax(knee_per_s - interval.low, 0) * FEW_BATCHES;
    double above = fmax(interval.high - knee_per_s, 0) * FEW_BATCHES;
    double least = highest * RELATIVE_ERROR_MIN / 2;
    knee_found(finding, knee_per_s < lowest ? KNEE_BELOW : KNEE_FOUND, knee_per_s,
               fmax(below + above, least) / 4, knee_per_s - fmax(below, least),
               knee_per_s + fmax(above, least));
}

double kneedle(const struct knee_stages *stages)
{
    if (knee_distinct_rates(stages, 0, stages->count) < RATES_MIN)
        return NAN;
    struct throughput_points points = points_new(stages->count);
    set_points(&points, stages, NULL);
    double from = points.offered_per_s[0];
    double span = points.offered_per_s[stages->count - 1] - from;
    double low = INFINITY;
    double high = 0;
    for (size_t i = 0; i < stages->count; i++) {
        low = fmin(low, points.completed_per_s[i]);
        high = fmax(high, points.completed_per_s[i]);
    }
    double farthest = 0;
    double knee_per_s = NAN;
    for (size_t i = 0; i < stages->count; i++) {
        double above = (points.completed_per_s[i] - low) / (high - low) -
                       (points.offered_per_s[i] - from) / span;
        if (above > farthest) {
            farthest = above;
            knee_per_s = stages->items[i].evidence->planned_per_s;
        }
    }
    points_free(&points);
    return knee_per_s;
}
