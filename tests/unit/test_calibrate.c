#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/calibrate.h"

static void assert_fit(const struct calibration_point *points, size_t count,
                       double words_per_token, double overhead)
{
    struct body_options body = BODY_OPTIONS_INIT;
    calibrate_fit(points, count, &body);
    assert_true(fabs(body.words_per_token - words_per_token) < 1e-12);
    assert_true(fabs(body.overhead_tokens - overhead) < 1e-9);
}

static void test_a_line(void **state)
{
    (void)state;
    /* tokens = 10 + 2 words */
    const struct calibration_point points[] = { { 10, 30 }, { 20, 50 }, { 40, 90 } };
    assert_fit(points, 3, 0.5, 10);
}

static void test_one_length(void **state)
{
    (void)state;
    const struct calibration_point points[] = { { 10, 20 }, { 10, 20 } };
    assert_fit(points, 2, 0.5, 0);
}

static void test_no_negative_overhead(void **state)
{
    (void)state;
    /* The line through both has -10 at 0: through the origin instead, 40 tokens / 20
     * words. */
    const struct calibration_point points[] = { { 10, 15 }, { 30, 65 } };
    assert_fit(points, 2, 0.5, 0);
}

static void test_nothing_to_learn(void **state)
{
    (void)state;
    const struct calibration_point points[] = { { 10, 0 }, { 20, 0 } };
    assert_fit(points, 2, 1, 0);
    assert_fit(NULL, 0, 1, 0);
}

static void test_words_of_a_length(void **state)
{
    (void)state;
    struct body_options body = BODY_OPTIONS_INIT;
    body.words_per_token = 0.5;
    body.overhead_tokens = 10;
    assert_int_equal(body_options_words(&body, 110), 50);
    assert_int_equal(body_options_words(&body, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line),
        cmocka_unit_test(test_one_length),
        cmocka_unit_test(test_no_negative_overhead),
        cmocka_unit_test(test_nothing_to_learn),
        cmocka_unit_test(test_words_of_a_length),
    };
    return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
