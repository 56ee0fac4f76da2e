#include "analyze/service_fit.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/bootstrap.h"
#include "formats/base/anderson_darling.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum {
    FITTED_MAX = 10000,
    FITTED_MIN = 20,
    GOF_MAX = 500,
    GOF_REPLICATES = 199,
    TAIL_MIN = 20, /* values in the tail */
};

#define TAIL_SHARE 0.01
#define CELL_S 1e-7 /* resolution of the log: no density tells more than its cell */

/* Sums for the correlation of two series. */
struct pair_sums {
    double n, x, y, xx, yy, xy;
};

static void pair_add(struct pair_sums *sums, double x, double y)
{
    sums->n += 1;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->yy += y * y;
    sums->xy += x * y;
}

static double pair_correlation(const struct pair_sums *sums)
{
    double xx = sums->xx - sums->x * sums->x / sums->n;
    double yy = sums->yy - sums->y * sums->y / sums->n;
    double xy = sums->xy - sums->x * sums->y / sums->n;
    if (sums->n < 3 || !(xx > 0) || !(yy > 0))
        return NAN;
    return xy / sqrt(xx * yy);
}

static void test_dependence(struct service_fit *fit, const struct queue_event *events,
                            size_t count)
{
    struct pair_sums lag = { 0 };
    struct pair_sums backlog = { 0 };
    double sums[2] = { 0 };
    double counts[2] = { 0 };
    double before_s = NAN;
    size_t zeros = 0;
    for (size_t i = 0; i < count; i++) {
        zeros += events[i].service_ns == 0;
        if (events[i].service_ns <= 0)
            continue;
        double service_s = (double)events[i].service_ns / NS_PER_S;
        double wait_s = (double)queue_wait_ns(&events[i]) / NS_PER_S;
        bool waited = !queue_found_idle(&events[i]);
        pair_add(&backlog, service_s, waited ? wait_s : 0);
        sums[waited] += service_s;
        counts[waited] += 1;
        if (!isnan(before_s))
            pair_add(&lag, before_s, service_s);
        before_s = service_s;
    }
    fit->zero_share = (double)zeros / (double)count;
    fit->services = (size_t)(counts[0] + counts[1]);
    fit->lag1 = pair_correlation(&lag);
    fit->backlog_correlation = pair_correlation(&backlog);
    fit->idle_mean_s = sums[0] / counts[0];
    fit->waited_mean_s = sums[1] / counts[1];
}

/* Up to FITTED_MAX services above 0, evenly chosen, in their order. Caller frees. */
static double *choose_sample(const struct queue_event *events, size_t count,
                             size_t services, size_t *chosen)
{
    size_t wanted = services < FITTED_MAX ? services : FITTED_MAX;
    double *sample = memory_new(wanted, sizeof *sample);
    size_t seen = 0;
    *chosen = 0;
    for (size_t i = 0; i < count && *chosen < wanted; i++) {
        if (events[i].service_ns <= 0)
            continue;
        if (seen++ == *chosen * services / wanted)
            sample[(*chosen)++] = (double)events[i].service_ns / NS_PER_S;
    }
    return sample;
}

static double aic_of(const struct service_law *law, const double *sample, size_t count)
{
    double likelihood = 0;
    for (size_t i = 0; i < count; i++)
        likelihood += fmin(0, service_law_log_density(law, sample[i]) + log(CELL_S));
    return 2 * (double)service_law_freedom(law->kind) - 2 * likelihood;
}

static double distance_of(const struct service_law *law, const double *sorted,
                          size_t count)
{
    double distance = 0;
    double n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double p = service_law_cdf(law, sorted[i]);
        distance = fmax(distance, fmax((double)(i + 1) / n - p, p - (double)i / n));
    }
    return distance;
}

/* A^2 of ascending values against the law of this kind that fits them best. */
static double fitted_statistic(enum service_law_kind kind, double *sorted, size_t count)
{
    struct service_law law = service_law_fit(kind, sorted, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = service_law_cdf(&law, sorted[i]);
    return anderson_darling_statistic(sorted, count);
}

/* The share of samples of the fitted law that lie as far from their own fit (Stute,
 * Gonzalez Manteiga and Presedo Quindimil 1993). Overwrites the values, ascending. */
static double goodness_of_fit(enum service_law_kind kind, double *values, size_t count)
{
    struct service_law drawn_from = service_law_fit(kind, values, count);
    double statistic = fitted_statistic(kind, values, count);
    gsl_rng *generator = bootstrap_generator(0);
    unsigned farther = 0;
    for (unsigned replicate = 0; replicate < GOF_REPLICATES; replicate++) {
        for (size_t i = 0; i < count; i++)
            values[i] = service_law_draw(&drawn_from, generator);
        quantile_sort(values, count);
        farther += fitted_statistic(kind, values, count) >= statistic;
    }
    gsl_rng_free(generator);
    return (1 + (double)farther) / (1 + GOF_REPLICATES);
}

/* Hill (1975): from the logarithms of the largest values over the next one. */
static void estimate_tail(struct service_fit *fit, const double *sorted, size_t count)
{
    size_t tail = (size_t)((double)count * TAIL_SHARE);
    tail = tail < TAIL_MIN ? TAIL_MIN : tail;
    if (count < 10 * TAIL_MIN)
        return;
    double sum = 0;
    for (size_t i = count - tail; i < count; i++)
        sum += log(sorted[i] / sorted[count - tail - 1]);
    if (!(sum > 0))
        return;
    fit->tail_index = (double)tail / sum;
    fit->tail_index_error = fit->tail_index / sqrt((double)tail);
}

/* Sorts the sample. */
static void fit_laws(struct service_fit *fit, double *sample)
{
    double few[GOF_MAX];
    /* Evenly chosen before sorting: chosen after it, they would lie too close. */
    fit->gof_sample = fit->fitted < GOF_MAX ? fit->fitted : GOF_MAX;
    for (size_t i = 0; i < fit->gof_sample; i++)
        few[i] = sample[i * fit->fitted / fit->gof_sample];
    quantile_sort(few, fit->gof_sample);
    quantile_sort(sample, fit->fitted);
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++) {
        fit->laws[kind] = service_law_fit(kind, sample, fit->fitted);
        fit->aic[kind] = aic_of(&fit->laws[kind], sample, fit->fitted);
        if (fit->aic[kind] < fit->aic[fit->best])
            fit->best = kind;
    }
    const struct service_law *best = &fit->laws[fit->best];
    fit->distance = distance_of(best, sample, fit->fitted);
    fit->gof_p_value = goodness_of_fit(fit->best, few, fit->gof_sample);
}

void service_fit_run(struct service_fit *fit, const struct queue_event *events,
                     size_t count)
{
    *fit = (struct service_fit){
        .zero_share = NAN, .distance = NAN, .gof_p_value = NAN, .tail_index = NAN,
        .tail_index_error = NAN, .lag1 = NAN, .backlog_correlation = NAN,
        .idle_mean_s = NAN, .waited_mean_s = NAN,
    };
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++)
        fit->aic[kind] = NAN;
    if (count == 0)
        return;
    test_dependence(fit, events, count);
    if (fit->services < FITTED_MIN)
        return;
    double *sample = choose_sample(events, count, fit->services, &fit->fitted);
    fit_laws(fit, sample);
    estimate_tail(fit, sample, fit->fitted);
    free(sample);
}
