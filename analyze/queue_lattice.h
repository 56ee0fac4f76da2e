/* The waiting-time distribution of M/G/1. The wait is a geometric sum of residual
 * services (Pollaczek-Khinchine in Benes' form): P(n terms) = (1 - rho) rho^n, each with
 * the density (1 - F(y)) / E[S]. On a lattice of step h the sum follows from Panjer's
 * recursion (1981). Residual services rounded down to the lattice give waits that are too
 * short, rounded up ones that are too long: the truth lies between. */
#ifndef TOKTRACE_QUEUE_LATTICE_H
#define TOKTRACE_QUEUE_LATTICE_H

#include <stdbool.h>
#include <stddef.h>

/* Beyond this the recursion, whose time grows with the square, takes seconds. */
enum { QUEUE_LATTICE_MAX = 1 << 14 };

/* Start from {0}. */
struct queue_lattice {
    double step_s;
    size_t count;
    double *low;  /* owned; low[k] <= P(W <= k step_s): residuals rounded up */
    double *high; /* owned; high[k] >= P(W <= k step_s): rounded down */
};

/* A value known to lie in [low, high]; NaN: beyond the lattice. */
struct bracket {
    double low;
    double high;
};

/* residual[k] = P(residual service <= k step_s), k in 0..count, ascending from 0;
 * 0 < rho < 1, count <= QUEUE_LATTICE_MAX. */
void queue_lattice_fill(struct queue_lattice *lattice, double rho, double step_s,
                        const double *residual, size_t count);

void queue_lattice_release(struct queue_lattice *lattice);

/* The p-quantile of the wait. */
struct bracket queue_lattice_quantile(const struct queue_lattice *lattice, double p);

/* P(W <= (k + 1/2) step_s) to second order in the step: the mean of low[k] and high[k],
 * since n residual services lose n / 2 steps on average by rounding down and gain them by
 * rounding up, and a sum on the lattice stands for its cell. */
double queue_lattice_cdf(const struct queue_lattice *lattice, size_t k);

#endif
