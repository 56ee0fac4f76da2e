/* The chi-square law for any number of degrees of freedom: exact up to 1,000; beyond,
 * where exact series grow slow and fail to converge, by the cube root of Wilson and
 * Hilferty (1931), which is within 1e-5 there. */
#ifndef TOKTRACE_CHI_SQUARE_H
#define TOKTRACE_CHI_SQUARE_H

/* P(X <= x) and P(X > x), x >= 0, with freedom > 0 degrees, whole or not. */
double chi_square_below(double x, double freedom);
double chi_square_above(double x, double freedom);

/* The x with P(X <= x) = p, 0 < p < 1. */
double chi_square_quantile(double p, double freedom);

#endif
