#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analyze/arrival_tests.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

/* Arrivals at these ms. */
static void run_on(struct arrival_tests *tests, const double *at_ms, size_t count)
{
    struct queue_event *events = memory_new(count + 1, sizeof *events);
    for (size_t i = 0; i < count; i++)
        events[i].arrival_ns = llround(at_ms[i] * NS_PER_MS);
    arrival_tests_run(tests, events, count);
    free(events);
}

/* Gaps 1, 3, 1, 3 ms: mean 2, variance 1, squared CV 1/4; neighbours lie on opposite
 * sides: -3/4 with the sums over n. */
static void test_by_hand(void **state)
{
    (void)state;
    const double at_ms[] = { 0, 1, 4, 5, 8 };
    struct arrival_tests tests;
    run_on(&tests, at_ms, 5);
    assert_int_equal(tests.gaps, 4);
    assert_close(tests.mean_gap_s, 0.002, 1e-12);
    assert_close(tests.squared_cv, 0.25, 1e-9);
    assert_close(tests.lag1, -0.75, 1e-9);
    assert_close(tests.zero_share, 0, 0);
    /* Windows of 1 ms from 0 to 8: counts 1 1 0 0 1 1 0 0, mean 1/2, variance 2/7. */
    assert_int_equal(tests.dispersion[0].window_ns, NS_PER_MS);
    assert_int_equal(tests.dispersion[0].windows, 8);
    assert_close(tests.dispersion[0].index, 4.0 / 7, 1e-9);
    /* 3 ms: two whole windows with 2 and 2 of the events. */
    assert_int_equal(tests.dispersion[1].windows, 2);
    assert_close(tests.dispersion[1].index, 0, 1e-12);
    assert_true(isnan(tests.dispersion[2].index));
}

/* A constant gap is as far from exponential as can be told: at the mean F is 1 - 1/e. */
static void test_constant_gaps(void **state)
{
    (void)state;
    double at_ms[1000];
    for (size_t i = 0; i < 1000; i++)
        at_ms[i] = (double)i * 10;
    struct arrival_tests tests;
    run_on(&tests, at_ms, 1000);
    assert_close(tests.distance, 1 - exp(-1), 1e-3);
    assert_close(tests.anderson_p_value, 0.01, 1e-12);
    assert_close(tests.squared_cv, 0, 1e-12);
    assert_true(isnan(tests.lag1)); /* no scatter to correlate */
}

/* Nothing, one, two events, all at one time: what cannot be told is NaN, nothing else. */
static void test_too_few(void **state)
{
    (void)state;
    const double same_ms[] = { 5, 5, 5, 5 };
    struct arrival_tests tests;
    for (size_t count = 0; count <= 1; count++) {
        run_on(&tests, same_ms, count);
        assert_int_equal(tests.gaps, 0);
        assert_true(isnan(tests.mean_gap_s) && isnan(tests.squared_cv));
        assert_true(isnan(tests.anderson_darling) && isnan(tests.distance));
    }
    run_on(&tests, same_ms, 4);
    assert_close(tests.mean_gap_s, 0, 0);
    assert_close(tests.zero_share, 1, 0);
    assert_true(isnan(tests.squared_cv) && isnan(tests.lag1));
    assert_int_equal(tests.tested, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_constant_gaps),
        cmocka_unit_test(test_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
