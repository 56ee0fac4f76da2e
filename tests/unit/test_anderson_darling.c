/* Points of the limit: table 4.2 of D'Agostino & Stephens (1986), given to three
 * decimals. Statistics: the definition, by hand. Statistical tests fix their seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "assert_close.h"
#include "formats/base/anderson_darling.h"
#include "formats/base/random.h"

static void statistic_of_one_and_two_values(void **state)
{
    (void)state;
    double half[] = { 0.5 };
    assert_close(anderson_darling_statistic(half, 1), -1 + 2 * log(2), 1e-12);
    /* -2 - [1·(ln ¼ + ln ¼) + 3·(ln ¾ + ln ¾)]/2 */
    double quarters[] = { 0.25, 0.75 };
    assert_close(anderson_darling_statistic(quarters, 2),
                 -2 - (2 * log(0.25) + 6 * log(0.75)) / 2, 1e-12);
}

static void ends_stay_finite(void **state)
{
    (void)state;
    double ends[] = { 0, 1 };
    double statistic = anderson_darling_statistic(ends, 2);
    assert_true(isfinite(statistic) && statistic > 100);
}

static void limit_passes_the_published_points(void **state)
{
    (void)state;
    static const double points[][2] = {
        { 1.248, 0.25 },  { 1.933, 0.10 }, { 2.492, 0.05 },
        { 3.070, 0.025 }, { 3.880, 0.01 },
    };
    for (size_t i = 0; i < 5; i++)
        assert_close_relative(anderson_darling_p_value(points[i][0], 1000000),
                              points[i][1], 0.01);
}

static void exponential_table_is_met_and_clamped(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    assert_close(anderson_darling_p_value_exponential(1.341, MANY), 0.05, 1e-4);
    assert_close(anderson_darling_p_value_exponential(1.606, MANY), 0.025, 1e-4);
    assert_close(anderson_darling_p_value_exponential(0.1, MANY), 0.15, 1e-12);
    assert_close(anderson_darling_p_value_exponential(50, MANY), 0.01, 1e-12);
    /* The correction for small samples: 1.341/(1 + 0.6/10). */
    assert_close(anderson_darling_p_value_exponential(1.341 / 1.06, 10), 0.05, 1e-4);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* 1,000 uniform samples of 20: a test at 5 % rejects 50 ± 6.9; outside 4 sd once in
 * 16,000. */
static void uniform_samples_are_rejected_as_often_as_stated(void **state)
{
    (void)state;
    enum { SAMPLES = 1000, SIZE = 20 };
    int rejected = 0;
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        double values[SIZE];
        struct random_stream stream;
        random_stream_init(&stream, 1, 1, sample);
        for (int i = 0; i < SIZE; i++)
            values[i] = random_uniform(&stream);
        qsort(values, SIZE, sizeof *values, compare);
        double statistic = anderson_darling_statistic(values, SIZE);
        rejected += anderson_darling_p_value(statistic, SIZE) < 0.05;
    }
    assert_in_range(rejected, 50 - 28, 50 + 28);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistic_of_one_and_two_values),
        cmocka_unit_test(ends_stay_finite),
        cmocka_unit_test(limit_passes_the_published_points),
        cmocka_unit_test(exponential_table_is_met_and_clamped),
        cmocka_unit_test(uniform_samples_are_rejected_as_often_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
