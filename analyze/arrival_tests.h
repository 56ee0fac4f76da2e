/* Is the stream of arrivals a Poisson process? Effect sizes beside p-values: with many
 * events every test rejects. */
#ifndef TOKTRACE_ARRIVAL_TESTS_H
#define TOKTRACE_ARRIVAL_TESTS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/queue_events.h"

enum { DISPERSION_WINDOWS = 7 };

/* Counts in equal windows: variance / mean, 1 for a Poisson process. */
struct dispersion {
    int64_t window_ns;
    size_t windows; /* whole ones in the span */
    double index;   /* NaN for less than two windows */
    /* of a Poisson process, two-sided: (windows - 1) index is chi-square */
    double p_value;
};

struct arrival_tests {
    size_t gaps;
    double mean_gap_s;
    double squared_cv;     /* variance / mean^2; 1 for exponential gaps */
    double zero_share;     /* of gaps that are 0: events with one stamp */
    double lag1;           /* correlation of successive gaps; 0 for independent ones */
    double lag1_p_value;   /* two-sided, normal limit */
    size_t tested;         /* gaps, evenly chosen, that the next three look at */
    double anderson_darling; /* A^2 against the exponential law of the same mean */
    /* from 0.01 to 0.15, its ends meaning at most and at least */
    double anderson_p_value;
    double distance;       /* largest |F_n(x) - F(x)|: the effect size, 0 to 1 */
    struct dispersion dispersion[DISPERSION_WINDOWS]; /* 1 ms to 1 s */
};

/* Events in order of arrival. Numbers that so few events cannot give are NaN. */
void arrival_tests_run(struct arrival_tests *tests, const struct queue_event *events,
                       size_t count);

#endif
