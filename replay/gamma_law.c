#include "replay/gamma_law.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 100000 };

/* x^shape e^-x / Γ(shape + 1) */
static double leading_factor(double shape, double x)
{
    return exp(shape * log(x) - x - lgamma(shape + 1));
}

static double by_series(double shape, double x)
{
    double term = 1;
    double sum = 1;
    for (int n = 1; n < TERMS_MAX && term > sum * DBL_EPSILON; n++) {
        term *= x / (shape + n);
        sum += term;
    }
    return leading_factor(shape, x) * sum;
}

/* The upper function, by Lentz's method. */
static double above_by_fraction(double shape, double x)
{
    double b = x + 1 - shape;
    double c = 1 / DBL_MIN;
    double d = 1 / b;
    double value = d;
    for (int n = 1; n < TERMS_MAX; n++) {
        double a = -n * (n - shape);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        value *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return leading_factor(shape, x) * shape * value;
}

double gamma_law_below(double shape, double x)
{
    if (x <= 0)
        return 0;
    return x < shape + 1 ? by_series(shape, x) : 1 - above_by_fraction(shape, x);
}
