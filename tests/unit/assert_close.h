/* Comparisons of doubles for cmocka, which has none before 1.1.6. Include after
 * <cmocka.h>. */
#ifndef TOKTRACE_ASSERT_CLOSE_H
#define TOKTRACE_ASSERT_CLOSE_H

#include <math.h>

/* Fails unless |actual - expected| <= tolerance; a NaN is never close. */
#define assert_close(actual, expected, tolerance) \
    check_close((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/* As assert_close, the tolerance a fraction of |expected|. */
#define assert_close_relative(actual, expected, fraction)                                \
    check_close((actual), (expected), fabs(expected) * (fraction), #actual, __FILE__,    \
                __LINE__)

static inline void check_close(double actual, double expected, double tolerance,
                               const char *what, const char *file, int line)
{
    if (fabs(actual - expected) <= tolerance)
        return;
    print_error("%s is %.17g, expected %.17g within %g\n", what, actual, expected,
                tolerance);
    _fail(file, line);
}

#endif
