/* The lower edge of a cloud of points as a straight line: what y costs per x when nothing
 * is added by queueing, which only adds. A linear quantile regression at a low quantile
 * (Koenker and Bassett 1978), so that neither the slow many nor a few lucky points
 * decide. */
#ifndef TOKTRACE_ENVELOPE_H
#define TOKTRACE_ENVELOPE_H

#include <stddef.h>

#include "analyze/interval.h"

/* A tenth of the points lie below the line. */
#define ENVELOPE_QUANTILE 0.1

enum {
    ENVELOPE_POINTS_MIN = 20,
    ENVELOPE_POINTS_MAX = 1 << 16, /* of more, every n-th is taken */
};

struct envelope {
    const char *reason; /* why there is no line, in words; NULL when there is one */
    double slope;
    double intercept;
    /* By a bootstrap of at most 1,000 points, its spread scaled by the square root of the
     * ratio of the sizes (m out of n; Bickel, Goetze and van Zwet 1997). */
    struct interval slope_interval;
};

/* Fits x[0..count), y[0..count). No line when there are too few points or x hardly
 * varies. */
struct envelope envelope_fit(const double *x, const double *y, size_t count);

#endif
