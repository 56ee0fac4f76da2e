#include "analyze/chi_square.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#define EXACT_FREEDOM 1000

/* The standard normal value that x corresponds to. */
static double normal_of(double x, double freedom)
{
    double spread = 2 / (9 * freedom);
    return (cbrt(x / freedom) - 1 + spread) / sqrt(spread);
}

double chi_square_below(double x, double freedom)
{
    if (freedom <= EXACT_FREEDOM)
        return gsl_cdf_chisq_P(x, freedom);
    return gsl_cdf_ugaussian_P(normal_of(x, freedom));
}

double chi_square_above(double x, double freedom)
{
    if (freedom <= EXACT_FREEDOM)
        return gsl_cdf_chisq_Q(x, freedom);
    return gsl_cdf_ugaussian_Q(normal_of(x, freedom));
}

double chi_square_quantile(double p, double freedom)
{
    if (freedom <= EXACT_FREEDOM)
        return gsl_cdf_chisq_Pinv(p, freedom);
    double spread = 2 / (9 * freedom);
    double root = 1 - spread + gsl_cdf_ugaussian_Pinv(p) * sqrt(spread);
    return freedom * root * root * root;
}
