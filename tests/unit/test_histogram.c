#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analyze/histogram.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"
#include "tests/unit/assert_close.h"

static void test_small_values_are_exact(void **state)
{
    (void)state;
    for (int64_t value = -256; value <= 255; value++)
        assert_close(histogram_bucket_middle(histogram_bucket(value)), (double)value, 0);
}

static void assert_bucket_holds(int64_t value)
{
    double middle = histogram_bucket_middle(histogram_bucket(value));
    double distance = fabs(middle - (double)value);
    assert_true(distance <= HISTOGRAM_RELATIVE_ERROR * fabs((double)value));
}

static void test_relative_error(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 63; bit++)
        for (int64_t step = -2; step <= 2; step++) {
            int64_t value = (INT64_C(1) << bit) + step;
            assert_bucket_holds(value);
            assert_bucket_holds(-value);
            assert_bucket_holds(value + value / 3);
            assert_bucket_holds(value + value / 128);
        }
    assert_bucket_holds(INT64_MAX);
    assert_bucket_holds(INT64_MIN);
}

static void test_buckets_ascend_without_gaps(void **state)
{
    (void)state;
    assert_int_equal(histogram_bucket(INT64_MIN), 0);
    assert_int_equal(histogram_bucket(INT64_MAX), HISTOGRAM_BUCKETS - 1);
    size_t before = histogram_bucket(-70000);
    for (int64_t value = -69999; value < 70000; value++) {
        size_t bucket = histogram_bucket(value);
        assert_true(bucket == before || bucket == before + 1);
        before = bucket;
    }
}

static void test_quantiles_against_exact(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    int64_t values[COUNT];
    double exact[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = llround(1e6 * exp(3.0 * sin((double)i))); /* 50 us to 20 ms */
        exact[i] = (double)values[i];
    }
    struct histogram histogram = { 0 };
    histogram_add(&histogram, values, COUNT);
    quantile_sort(exact, COUNT);
    for (double p = 0; p <= 1; p += 0.001)
        assert_close_relative(histogram_quantile(&histogram, p),
                              quantile_of_sorted(exact, COUNT, p),
                              HISTOGRAM_RELATIVE_ERROR);
    assert_close(histogram_quantile(&histogram, 0), exact[0], 0.5);
    assert_close(histogram_quantile(&histogram, 1), exact[COUNT - 1], 0.5);
    histogram_release(&histogram);
}

static void test_negative_values_keep_their_place(void **state)
{
    (void)state;
    const int64_t values[] = { -100, 0, 50, -3, 200 };
    struct histogram histogram = { 0 };
    histogram_add(&histogram, values, 5);
    assert_close(histogram_quantile(&histogram, 0), -100, 0);
    assert_close(histogram_quantile(&histogram, 0.25), -3, 0);
    assert_close(histogram_quantile(&histogram, 0.5), 0, 0);
    assert_close(histogram_quantile(&histogram, 0.75), 50, 0);
    assert_close(histogram_quantile(&histogram, 0.875), 125, 0);
    histogram_release(&histogram);
}

static void test_spread_and_merge(void **state)
{
    (void)state;
    struct histogram left = { 0 };
    struct histogram right = { 0 };
    const int64_t values[] = { 100, 200 };
    histogram_merge(&left, &right);
    assert_int_equal(left.moments.count, 0);
    histogram_add_spread(&left, 120, 4); /* 30, 30, 30, 30 */
    histogram_add(&right, values, 2);
    histogram_merge(&left, &right);
    assert_int_equal(left.moments.count, 6);
    assert_close(left.moments.mean, 70, 1e-12);
    assert_close(histogram_quantile(&left, 0.5), 30, 0);
    assert_close(histogram_quantile(&left, 0.8), 100, 0);
    assert_close(histogram_quantile(&left, 1), 200, 0);
    histogram_release(&left);
    histogram_release(&right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_values_are_exact),
        cmocka_unit_test(test_relative_error),
        cmocka_unit_test(test_buckets_ascend_without_gaps),
        cmocka_unit_test(test_quantiles_against_exact),
        cmocka_unit_test(test_negative_values_keep_their_place),
        cmocka_unit_test(test_spread_and_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
