#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>

#include "analyze/knee_rules.h"

enum { BRENT_STEPS = 40 };

/* `middle` is below both ends, or Brent's method declines and the middle stands. */
static double refine(search_fn *function, void *context, double low, double middle,
                     double high)
{
    gsl_function wrapped = { .function = function, .params = context };
    gsl_min_fminimizer *minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    double best = middle;
    if (gsl_min_fminimizer_set(minimizer, &wrapped, middle, low, high) == GSL_SUCCESS) {
        for (size_t i = 0; i < BRENT_STEPS; i++)
            if (gsl_min_fminimizer_iterate(minimizer) != GSL_SUCCESS)
                break;
        best = gsl_min_fminimizer_x_minimum(minimizer);
    }
    gsl_min_fminimizer_free(minimizer);
    return best;
}

double search_minimum(search_fn *function, void *context, double low, double high,
                      size_t steps)
{
    double span = (high - low) / (double)steps;
    double least = function(low, context);
    size_t best = 0;
    for (size_t i = 1; i <= steps; i++) {
        double value = function(low + span * (double)i, context);
        if (value < least) {
            least = value;
            best = i;
        }
    }
    double at = low + span * (double)best;
    if (best == 0 || best == steps)
        return at;
    return refine(function, context, at - span, at, at + span);
}
