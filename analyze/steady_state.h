/* Where a series leaves its warm-up: MSER-5 (White 1997; White, Cobb and Spratt 2000).
 * Means of five values each are taken, and as many of the first are left out as make the
 * standard error of the mean of the rest least. */
#ifndef TOKTRACE_STEADY_STATE_H
#define TOKTRACE_STEADY_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum { STEADY_STATE_BATCH = 5, STEADY_STATE_VALUES_MIN = 50 };

struct steady_state {
    bool known;      /* false: fewer than STEADY_STATE_VALUES_MIN values */
    bool settled;    /* false: the best cut lies beyond the first half */
    size_t warm_up;  /* values to leave out, a multiple of 5; 0 unless settled */
};

struct steady_state steady_state_find(const double *values, size_t count);

#endif
