/* Laws that a service time may follow, fitted by greatest likelihood. Times in
 * seconds. */
#ifndef TOKTRACE_SERVICE_LAWS_H
#define TOKTRACE_SERVICE_LAWS_H

#include <stddef.h>

#include <gsl/gsl_rng.h>

enum service_law_kind {
    /* the same for all, but for timing noise: Laplace around the median, of a scale up to
     * 1 % of it */
    LAW_DETERMINISTIC,
    LAW_EXPONENTIAL,
    LAW_GAMMA,
    LAW_LOGNORMAL,
    LAW_HYPEREXPONENTIAL, /* of two phases */
    SERVICE_LAWS,
};

struct service_law {
    enum service_law_kind kind;
    /* deterministic: median, scale; exponential: mean; gamma: shape, scale; lognormal:
     * mean and sd of the logarithm; hyperexponential: share of phase 1, mean of phase 1,
     * mean of phase 2 */
    double parameters[3];
};

/* "deterministic", ... */
extern const char *const service_law_names[SERVICE_LAWS];

/* How many parameters the law's fit chooses. */
unsigned service_law_freedom(enum service_law_kind kind);

/* Names of a law's parameters, as keys of JSON; NULL beyond the last. */
const char *service_law_parameter_name(enum service_law_kind kind, unsigned parameter);

/* The law of this kind that makes `count` >= 1 ascending values above 0 most likely. */
struct service_law service_law_fit(enum service_law_kind kind, const double *sorted,
                                   size_t count);

/* Logarithm of the density at x > 0. */
double service_law_log_density(const struct service_law *law, double x);

/* P(S <= x). */
double service_law_cdf(const struct service_law *law, double x);

/* A value of the law. */
double service_law_draw(const struct service_law *law, gsl_rng *generator);

#endif
