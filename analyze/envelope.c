#include "analyze/envelope.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>

#include "analyze/bootstrap.h"
#include "analyze/moments.h"
#include "formats/base/memory.h"

enum {
    BOOTSTRAP_POINTS = 1000,
    BOOTSTRAP_FITS = 200,
    /* Each narrows the bracket by 0.618: to 4e-9 of its width, and to 2e-4 of a narrower
     * one, far below the spread of the replicates. */
    SEARCH_STEPS = 40,
    BOOTSTRAP_STEPS = 18,
};

/* Below this ratio of standard deviation to mean of x, its slope is not told from the
 * intercept. */
#define MIN_VARIATION 0.01

struct points {
    double *x;
    double *y;
    double *residuals; /* scratch */
    size_t count;
};

static void points_init(struct points *points, size_t count)
{
    *points = (struct points){
        .x = memory_new(count, sizeof(double)),
        .y = memory_new(count, sizeof(double)),
        .residuals = memory_new(count, sizeof(double)),
        .count = count,
    };
}

static void points_release(struct points *points)
{
    free(points->x);
    free(points->y);
    free(points->residuals);
}

/* The best intercept for a slope: the low quantile of the residuals. */
static double best_intercept(const struct points *points, double slope)
{
    for (size_t i = 0; i < points->count; i++)
        points->residuals[i] = points->y[i] - slope * points->x[i];
    size_t rank = (size_t)((double)points->count * ENVELOPE_QUANTILE);
    return gsl_stats_select(points->residuals, 1, points->count, rank);
}

/* The loss of quantile regression with the best intercept; convex in the slope. */
static double loss_at(const struct points *points, double slope)
{
    double intercept = best_intercept(points, slope);
    double above = 0;
    double below = 0;
    for (size_t i = 0; i < points->count; i++) {
        double residual = points->y[i] - slope * points->x[i] - intercept;
        above += residual > 0 ? residual : 0;
        below -= residual < 0 ? residual : 0;
    }
    return ENVELOPE_QUANTILE * above + (1 - ENVELOPE_QUANTILE) * below;
}

/* Walks from `from` by growing steps until the loss rises; convexity puts the minimum
 * before that. */
static double bracket_end(const struct points *points, double from, double step)
{
    double best = loss_at(points, from);
    double at = from + step;
    double loss = loss_at(points, at);
    while (loss <= best && isfinite(at)) {
        best = loss;
        step *= 2;
        at += step;
        loss = loss_at(points, at);
    }
    return at;
}

/* Golden-section search. */
static double best_slope(const struct points *points, double start, double step,
                         int steps)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double low = bracket_end(points, start, -step);
    double high = bracket_end(points, start, step);
    double left = high - ratio * (high - low);
    double right = low + ratio * (high - low);
    double left_loss = loss_at(points, left);
    double right_loss = loss_at(points, right);
    for (int i = 0; i < steps; i++) {
        if (left_loss <= right_loss) {
            high = right;
            right = left;
            right_loss = left_loss;
            left = high - ratio * (high - low);
            left_loss = loss_at(points, left);
        } else {
            low = left;
            left = right;
            left_loss = right_loss;
            right = low + ratio * (high - low);
            right_loss = loss_at(points, right);
        }
    }
    return (low + high) / 2;
}

static struct interval slope_interval(const struct points *points, double slope,
                                      double step)
{
    size_t size = points->count < BOOTSTRAP_POINTS ? points->count : BOOTSTRAP_POINTS;
    double shrink = sqrt((double)size / (double)points->count);
    double slopes[BOOTSTRAP_FITS];
    struct points drawn;
    points_init(&drawn, size);
    gsl_rng *generator = bootstrap_generator(0);
    for (size_t i = 0; i < BOOTSTRAP_FITS; i++) {
        for (size_t j = 0; j < size; j++) {
            size_t from = gsl_rng_uniform_int(generator, points->count);
            drawn.x[j] = points->x[from];
            drawn.y[j] = points->y[from];
        }
        double drawn_slope = best_slope(&drawn, slope, step / 20, BOOTSTRAP_STEPS);
        slopes[i] = slope + (drawn_slope - slope) * shrink;
    }
    gsl_rng_free(generator);
    points_release(&drawn);
    return bootstrap_interval(slopes, BOOTSTRAP_FITS);
}

static struct envelope no_line(const char *reason)
{
    return (struct envelope){
        .reason = reason,
        .slope = NAN,
        .intercept = NAN,
        .slope_interval = interval_unknown,
    };
}

static double spread_of(const double *values, size_t count, double *mean)
{
    struct moments moments = { 0 };
    for (size_t i = 0; i < count; i++)
        moments_add(&moments, values[i], 1);
    *mean = moments.mean;
    return moments_sd(&moments);
}

struct envelope envelope_fit(const double *x, const double *y, size_t count)
{
    if (count < ENVELOPE_POINTS_MIN)
        return no_line("too few requests");
    double mean_x;
    double mean_y;
    double sd_x = spread_of(x, count, &mean_x);
    double sd_y = spread_of(y, count, &mean_y);
    if (sd_x <= MIN_VARIATION * fabs(mean_x))
        return no_line("input lengths do not vary");

    size_t stride = (count + ENVELOPE_POINTS_MAX - 1) / ENVELOPE_POINTS_MAX;
    struct points points;
    points_init(&points, count / stride);
    for (size_t i = 0; i < points.count; i++) {
        points.x[i] = x[i * stride];
        points.y[i] = y[i * stride];
    }
    double step = sd_y > 0 ? sd_y / sd_x : 1 / sd_x;
    struct envelope result = { 0 };
    result.slope = best_slope(&points, 0, step, SEARCH_STEPS);
    result.intercept = best_intercept(&points, result.slope);
    result.slope_interval = slope_interval(&points, result.slope, step);
    points_release(&points);
    return result;
}
