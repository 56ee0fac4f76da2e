/* The M/G/1-shaped fit of latency over load.
 *
 * A queue in steady state waits w = b x / (c - x) at load x. A stage that lasts h falls
 * short of that near the capacity c and has no steady state beyond it. Over the stage the
 * wait grows from 0 to about 2w, so that c 2w / h more requests per second come than go.
 * With what goes in the place of x, w (c - x + 2 c w / h) = b x, whose root is
 *     w = h / 4c (x - c + sqrt((x - c)^2 + 8 b c x / h)):
 * b x / (c - x) for x well below c, h (x - c) / 2c (the fluid limit) well above, and
 * growing with the square root of h at c, as a diffusion does. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_randist.h>

#include "analyze/bootstrap.h"
#include "analyze/knee_rules.h"
#include "formats/base/memory.h"

enum { RATES_MIN = 4, STARTS = 8, ITERATIONS = 60, REPLICATES = 200, UNKNOWNS = 3 };

/* The curve is a model: no mean is held to be known better than this. */
#define RELATIVE_ERROR_MIN 0.05
/* What the curve leaves out, such as steps that grow with the batch, moves its capacity:
 * by up to 1.5 % in simulated engines. This share of it is added to its error. */
#define MODEL_ERROR 0.015
/* Beyond this times the highest load nothing can be said. */
#define FARTHEST 5.0

const struct knee_curve knee_curve_unknown = { NAN, NAN, NAN, NAN };

struct latency_point {
    double rate_per_s;
    double horizon_s; /* h */
    double latency_s;
    double error_s;
};

struct latency_points {
    struct latency_point *items;
    size_t count;
};

/* From the unknowns' logarithms: all are positive. The horizon is the caller's to set. */
static struct knee_curve curve_of(const gsl_vector *unknowns)
{
    return (struct knee_curve){
        .a_s = exp(gsl_vector_get(unknowns, 0)),
        .b_s = exp(gsl_vector_get(unknowns, 1)),
        .c_per_s = exp(gsl_vector_get(unknowns, 2)),
    };
}

double knee_curve_s(const struct knee_curve *curve, double rate_per_s)
{
    double over = rate_per_s - curve->c_per_s;
    double h_s = curve->horizon_s;
    double spread = 8 * curve->b_s * curve->c_per_s * rate_per_s / h_s;
    double root = hypot(over, sqrt(spread));
    /* the form without cancellation on each side of the capacity */
    double sum = over > 0 ? root + over : spread / (root - over);
    return curve->a_s + h_s / (4 * curve->c_per_s) * sum;
}

static int residuals(const gsl_vector *unknowns, void *context, gsl_vector *result)
{
    const struct latency_points *points = context;
    struct knee_curve curve = curve_of(unknowns);
    for (size_t i = 0; i < points->count; i++) {
        const struct latency_point *point = &points->items[i];
        curve.horizon_s = point->horizon_s;
        double distance = knee_curve_s(&curve, point->rate_per_s) - point->latency_s;
        gsl_vector_set(result, i, distance / point->error_s);
    }
    return GSL_SUCCESS;
}

/* Fits from one starting capacity; the sum of squares, or infinity. */
static double fit_from(gsl_multifit_nlinear_workspace *workspace,
                       gsl_multifit_nlinear_fdf *system, const struct knee_curve *start,
                       struct knee_curve *fitted)
{
    double logs[UNKNOWNS] = { log(start->a_s), log(start->b_s), log(start->c_per_s) };
    gsl_vector_view view = gsl_vector_view_array(logs, UNKNOWNS);
    int info;
    if (gsl_multifit_nlinear_init(&view.vector, system, workspace) != GSL_SUCCESS)
        return INFINITY;
    gsl_multifit_nlinear_driver(ITERATIONS, 1e-8, 1e-8, 0, NULL, NULL, &info, workspace);
    *fitted = curve_of(gsl_multifit_nlinear_position(workspace));
    const gsl_vector *rest = gsl_multifit_nlinear_residual(workspace);
    double squares = 0;
    for (size_t i = 0; i < rest->size; i++)
        squares += gsl_vector_get(rest, i) * gsl_vector_get(rest, i);
    return isfinite(squares) ? squares : INFINITY;
}

/* The best fit; all NaN when there is none. Starts from several capacities, since the sum
 * of squares may have more than one valley. */
static struct knee_curve fit_curve(struct latency_points *points)
{
    double least_s = INFINITY;
    double highest_per_s = 0;
    double horizons_s = 0;
    for (size_t i = 0; i < points->count; i++) {
        least_s = fmin(least_s, points->items[i].latency_s);
        highest_per_s = fmax(highest_per_s, points->items[i].rate_per_s);
        horizons_s += points->items[i].horizon_s;
    }
    gsl_multifit_nlinear_parameters parameters =
        gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *workspace = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &parameters, points->count, UNKNOWNS);
    gsl_multifit_nlinear_fdf system = {
        .f = residuals, .n = points->count, .p = UNKNOWNS, .params = points,
    };
    double best = INFINITY;
    struct knee_curve curve = knee_curve_unknown;
    for (size_t i = 0; i < STARTS; i++) {
        struct knee_curve start = {
            .a_s = least_s,
            .b_s = least_s / 20,
            .c_per_s = highest_per_s * (0.5 + 0.15 * (double)i),
        };
        struct knee_curve fitted;
        double squares = fit_from(workspace, &system, &start, &fitted);
        if (squares < best) {
            best = squares;
            curve = fitted;
        }
    }
    curve.horizon_s = horizons_s / (double)points->count;
    gsl_multifit_nlinear_free(workspace);
    return curve;
}

/* One replicate: stages drawn with replacement, each mean moved by its error. */
static double replicate(const struct latency_points *points, struct latency_points *drawn,
                        gsl_rng *generator)
{
    drawn->count = points->count;
    for (size_t i = 0; i < points->count; i++) {
        size_t from = gsl_rng_uniform_int(generator, points->count);
        struct latency_point *point = &drawn->items[i];
        *point = points->items[from];
        double moved =
            point->latency_s + gsl_ran_gaussian(generator, point->error_s);
        point->latency_s = fmax(moved, point->latency_s / 10);
    }
    return fit_curve(drawn).c_per_s;
}

static void fit_with_interval(struct knee_finding *finding, struct knee_curve *curve,
                              struct latency_points *points)
{
    double highest_per_s = points->items[points->count - 1].rate_per_s;
    double values[REPLICATES];
    size_t count = 0;
    struct latency_points drawn = {
        .items = memory_new(points->count, sizeof *drawn.items),
    };
    gsl_rng *generator = bootstrap_generator(1);
    struct knee_curve fitted = fit_curve(points);
    double c_per_s = fitted.c_per_s;
    for (size_t i = 0; i < REPLICATES; i++) {
        double value = replicate(points, &drawn, generator);
        if (isfinite(value))
            values[count++] = value;
    }
    gsl_rng_free(generator);
    free(drawn.items);
    struct interval interval = bootstrap_interval(values, count);
    if (!(interval.known && interval.high < highest_per_s * FARTHEST)) {
        knee_unknown(finding, "latency rises too little with load to say where it would "
                              "grow without bound");
        return;
    }
    *curve = fitted;
    double lowest_per_s = points->items[0].rate_per_s;
    enum knee_state state = c_per_s > highest_per_s  ? KNEE_ABOVE
                            : c_per_s < lowest_per_s ? KNEE_BELOW
                                                     : KNEE_FOUND;
    double model = 2 * MODEL_ERROR * c_per_s;
    double below = hypot(fmax(c_per_s - interval.low, 0), model);
    double above = hypot(fmax(interval.high - c_per_s, 0), model);
    knee_found(finding, state, c_per_s, (below + above) / 4, c_per_s - below,
               c_per_s + above);
}

/* Whether the answers that came stand for all of the load: those cut off were the
 * slowest, and a generator that waited for answers offered less. */
static bool is_whole(const struct stage_evidence *evidence,
                     const struct stage_signs *signs)
{
    if (evidence->closed && signs->falls_short)
        return false;
    double sent = 0;
    double answered = 0;
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++) {
        sent += evidence->sent[i];
        answered += evidence->answered[i];
    }
    return answered > 0.98 * sent;
}

void knee_by_latency(struct knee_finding *finding, struct knee_curve *curve,
                     const struct knee_stages *stages)
{
    struct latency_points points = {
        .items = memory_new(stages->count, sizeof *points.items),
    };
    double last_per_s = 0;
    size_t rates = 0;
    for (size_t i = 0; i < stages->count; i++) {
        const struct stage_evidence *evidence = stages->items[i].evidence;
        struct stage_estimate latency = stage_latency(evidence);
        if (!isfinite(latency.error) || latency.value <= 0 ||
            !is_whole(evidence, stages->items[i].signs))
            continue;
        points.items[points.count++] = (struct latency_point){
            .rate_per_s = evidence->planned_per_s,
            .horizon_s = evidence->from_s + evidence->to_s,
            .latency_s = latency.value,
            .error_s = fmax(latency.error, latency.value * RELATIVE_ERROR_MIN),
        };
        rates += evidence->planned_per_s != last_per_s;
        last_per_s = evidence->planned_per_s;
    }
    if (rates < RATES_MIN)
        knee_unknown(finding, "loads whose latencies are whole: %zu, expected %d or more",
                     rates, RATES_MIN);
    else
        fit_with_interval(finding, curve, &points);
    free(points.items);
}
