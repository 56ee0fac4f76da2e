/* The distribution function of the gamma law. */
#ifndef TOKTRACE_GAMMA_LAW_H
#define TOKTRACE_GAMMA_LAW_H

/* P(X < x) for shape > 0, scale 1: the regularized lower incomplete gamma function, by
 * its series (DLMF 8.11.4) or continued fraction (DLMF 8.9.2), whichever converges.
 * Relative error about 1e-13 for shapes from 1e-4 to 1e4. */
double gamma_law_below(double shape, double x);

#endif
