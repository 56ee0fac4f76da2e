#include "formats/base/anderson_darling.h"

#include <float.h>
#include <math.h>

static double inside_unit_interval(double u)
{
    if (u < DBL_MIN)
        return DBL_MIN;
    return u > 1 - DBL_EPSILON / 2 ? 1 - DBL_EPSILON / 2 : u;
}

double anderson_darling_statistic(const double *sorted, size_t count)
{
    double sum = 0;
    double n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double low = inside_unit_interval(sorted[i]);
        double high = inside_unit_interval(sorted[count - 1 - i]);
        sum += (2 * (double)i + 1) * (log(low) + log1p(-high));
    }
    return -n - sum / n;
}

static double polynomial(const double *coefficients, size_t count, double x)
{
    double value = 0;
    while (count-- > 0)
        value = value * x + coefficients[count];
    return value;
}

/* P(A² < z) for an infinite sample. */
static double limit(double z)
{
    static const double small[] = { 2.00012,  .247105,  -.0649821,
                                    .0347962, -.011672, .00168691 };
    static const double large[] = { 1.0776,    -2.30695, .43424,
                                    -.082433,  .008056,  -.0003146 };
    if (z <= 0)
        return 0;
    if (z < 2)
        return exp(-1.2337141 / z) / sqrt(z) * polynomial(small, 6, z);
    return exp(-exp(polynomial(large, 6, z)));
}

/* What a sample of n adds to the limit x. */
static double correction(double n, double x)
{
    static const double right[] = { -130.2137, 745.2337, -1705.091,
                                    1950.646,  -1116.360, 255.7844 };
    static const double middle[] = { -.00022633, 6.54034,  -14.6538,
                                     14.458,     -8.259,   1.91864 };
    double c = .01265 + .1757 / n;
    if (x > .8)
        return polynomial(right, 6, x) / n;
    if (x < c) {
        double t = x / c;
        t = sqrt(t) * (1 - t) * (49 * t - 102);
        return t * (.0037 / (n * n) + .00078 / n + .00006) / n;
    }
    double t = (x - c) / (.8 - c);
    return polynomial(middle, 6, t) * (.04213 + .01365 / n) / n;
}

double anderson_darling_p_value(double statistic, size_t count)
{
    double x = limit(statistic);
    double p = 1 - x - correction((double)count, x);
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

double anderson_darling_p_value_exponential(double statistic, size_t count)
{
    static const struct {
        double statistic;
        double p;
    } table[] = {
        { 0.922, 0.15 },  { 1.078, 0.10 }, { 1.341, 0.05 },
        { 1.606, 0.025 }, { 1.957, 0.01 },
    };
    enum { POINTS = sizeof table / sizeof *table };
    double modified = statistic * (1 + 0.6 / (double)count);
    if (modified <= table[0].statistic)
        return table[0].p;
    size_t i = 1;
    while (i < POINTS && table[i].statistic < modified)
        i++;
    if (i == POINTS)
        return table[POINTS - 1].p;
    double part = (modified - table[i - 1].statistic)
                  / (table[i].statistic - table[i - 1].statistic);
    return table[i - 1].p * pow(table[i].p / table[i - 1].p, part);
}
