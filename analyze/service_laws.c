#include "analyze/service_laws.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_psi.h>

#include "formats/base/quantile.h"
#include "analyze/chi_square.h"

#define NOISE_SHARE_MAX 0.01  /* of a deterministic time */
#define NOISE_LEAST_S 1e-8    /* a tenth of the log's resolution: as good as none */

enum { NEWTON_STEPS = 50, EM_STEPS = 200 };

const char *const service_law_names[SERVICE_LAWS] = {
    [LAW_DETERMINISTIC] = "deterministic",
    [LAW_EXPONENTIAL] = "exponential",
    [LAW_GAMMA] = "gamma",
    [LAW_LOGNORMAL] = "lognormal",
    [LAW_HYPEREXPONENTIAL] = "hyperexponential",
};

static const char *const parameter_names[SERVICE_LAWS][3] = {
    [LAW_DETERMINISTIC] = { "median_s", "noise_s", NULL },
    [LAW_EXPONENTIAL] = { "mean_s", NULL, NULL },
    [LAW_GAMMA] = { "shape", "scale_s", NULL },
    [LAW_LOGNORMAL] = { "log_mean", "log_sd", NULL },
    [LAW_HYPEREXPONENTIAL] = { "phase_1_share", "phase_1_mean_s", "phase_2_mean_s" },
};

const char *service_law_parameter_name(enum service_law_kind kind, unsigned parameter)
{
    return parameter < 3 ? parameter_names[kind][parameter] : NULL;
}

unsigned service_law_freedom(enum service_law_kind kind)
{
    static const unsigned freedom[SERVICE_LAWS] = {
        [LAW_DETERMINISTIC] = 2, [LAW_EXPONENTIAL] = 1,      [LAW_GAMMA] = 2,
        [LAW_LOGNORMAL] = 2,     [LAW_HYPEREXPONENTIAL] = 3,
    };
    return freedom[kind];
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static void fit_deterministic(double *out, const double *sorted, size_t count)
{
    double off = 0;
    out[0] = quantile_of_sorted(sorted, count, 0.5);
    for (size_t i = 0; i < count; i++)
        off += fabs(sorted[i] - out[0]);
    double noise = fmin(off / (double)count, NOISE_SHARE_MAX * out[0]);
    out[1] = fmax(noise, NOISE_LEAST_S);
}

/* Newton on the shape (Choi and Wette 1969); s = log of mean - mean of log >= 0. */
static void fit_gamma(double *out, const double *sorted, size_t count)
{
    double logs = 0;
    double mean = mean_of(sorted, count);
    for (size_t i = 0; i < count; i++)
        logs += log(sorted[i]);
    double s = fmax(log(mean) - logs / (double)count, 1e-12);
    double shape = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
    for (unsigned step = 0; step < NEWTON_STEPS && shape < 1e6; step++) {
        double miss = log(shape) - gsl_sf_psi(shape) - s;
        double next = shape - miss / (1 / shape - gsl_sf_psi_1(shape));
        if (!(next > 0) || fabs(next - shape) <= 1e-12 * shape)
            break;
        shape = next;
    }
    out[0] = shape;
    out[1] = mean / shape;
}

static void fit_lognormal(double *out, const double *sorted, size_t count)
{
    double logs = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        logs += log(sorted[i]);
    double mean = logs / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (log(sorted[i]) - mean) * (log(sorted[i]) - mean);
    out[0] = mean;
    out[1] = fmax(sqrt(squares / (double)count), 1e-9);
}

/* Balanced means for the first guess: the usual start where the squared coefficient of
 * variation is above 1. */
static void guess_phases(double *out, const double *sorted, size_t count)
{
    double mean = mean_of(sorted, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += sorted[i] * sorted[i];
    double cv2 = fmax(squares / (double)count / (mean * mean) - 1, 1.05);
    out[0] = (1 + sqrt((cv2 - 1) / (cv2 + 1))) / 2;
    out[1] = mean / (2 * out[0]);
    out[2] = mean / (2 * (1 - out[0]));
}

/* Expectation and maximisation (Dempster, Laird and Rubin 1977). */
static void fit_hyperexponential(double *out, const double *sorted, size_t count)
{
    guess_phases(out, sorted, count);
    double total = mean_of(sorted, count) * (double)count;
    for (unsigned step = 0; step < EM_STEPS; step++) {
        double first = 0;
        double time = 0;
        double ratio = (1 - out[0]) / out[0] * out[1] / out[2];
        double faster = 1 / out[1] - 1 / out[2];
        for (size_t i = 0; i < count; i++) {
            double share = 1 / (1 + ratio * exp(sorted[i] * faster));
            first += share;
            time += share * sorted[i];
        }
        double second = (double)count - first;
        if (!(first > 0 && second > 0 && time > 0 && total > time))
            return;
        double moved = fabs(first / (double)count - out[0]);
        out[0] = first / (double)count;
        out[1] = time / first;
        out[2] = (total - time) / second;
        if (moved < 1e-8)
            return;
    }
}

struct service_law service_law_fit(enum service_law_kind kind, const double *sorted,
                                   size_t count)
{
    struct service_law law = { .kind = kind };
    switch (kind) {
    case LAW_DETERMINISTIC:
        fit_deterministic(law.parameters, sorted, count);
        break;
    case LAW_GAMMA:
        fit_gamma(law.parameters, sorted, count);
        break;
    case LAW_LOGNORMAL:
        fit_lognormal(law.parameters, sorted, count);
        break;
    case LAW_HYPEREXPONENTIAL:
        fit_hyperexponential(law.parameters, sorted, count);
        break;
    default:
        law.parameters[0] = mean_of(sorted, count);
    }
    return law;
}

static double log_exponential(double mean, double x)
{
    return -log(mean) - x / mean;
}

double service_law_log_density(const struct service_law *law, double x)
{
    const double *p = law->parameters;
    double first;
    double second;
    switch (law->kind) {
    case LAW_DETERMINISTIC:
        return -log(2 * p[1]) - fabs(x - p[0]) / p[1];
    case LAW_GAMMA:
        return (p[0] - 1) * log(x) - x / p[1] - lgamma(p[0]) - p[0] * log(p[1]);
    case LAW_LOGNORMAL:
        first = (log(x) - p[0]) / p[1];
        return -log(x * p[1]) - log(2 * M_PI) / 2 - first * first / 2;
    case LAW_HYPEREXPONENTIAL:
        first = log(p[0]) + log_exponential(p[1], x);
        second = log1p(-p[0]) + log_exponential(p[2], x);
        return fmax(first, second) + log1p(exp(-fabs(first - second)));
    default:
        return log_exponential(p[0], x);
    }
}

double service_law_cdf(const struct service_law *law, double x)
{
    const double *p = law->parameters;
    switch (law->kind) {
    case LAW_DETERMINISTIC:
        return gsl_cdf_laplace_P(x - p[0], p[1]);
    case LAW_GAMMA:
        return chi_square_below(2 * x / p[1], 2 * p[0]);
    case LAW_LOGNORMAL:
        return gsl_cdf_lognormal_P(x, p[0], p[1]);
    case LAW_HYPEREXPONENTIAL:
        return -p[0] * expm1(-x / p[1]) - (1 - p[0]) * expm1(-x / p[2]);
    default:
        return -expm1(-x / p[0]);
    }
}

double service_law_draw(const struct service_law *law, gsl_rng *generator)
{
    const double *p = law->parameters;
    switch (law->kind) {
    case LAW_DETERMINISTIC:
        return p[0] + gsl_ran_laplace(generator, p[1]);
    case LAW_GAMMA:
        return fmax(gsl_ran_gamma(generator, p[0], p[1]), DBL_MIN);
    case LAW_LOGNORMAL:
        return gsl_ran_lognormal(generator, p[0], p[1]);
    case LAW_HYPEREXPONENTIAL:
        return gsl_ran_exponential(generator,
                                   gsl_rng_uniform(generator) < p[0] ? p[1] : p[2]);
    default:
        return gsl_ran_exponential(generator, p[0]);
    }
}
