#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/moments.h"
#include "tests/unit/assert_close.h"

static void add_run(struct moments *moments, const int64_t *values, size_t count)
{
    struct moments_run run = moments_run_start(values[0]);
    for (size_t i = 0; i < count; i++)
        moments_run_add(&run, values[i]);
    moments_run_end(&run, count, moments);
}

static void test_empty_and_one(void **state)
{
    (void)state;
    struct moments moments = { 0 };
    assert_true(isnan(moments_sd(&moments)));
    moments_add(&moments, 3, 1);
    assert_int_equal(moments.count, 1);
    assert_close(moments.mean, 3, 0);
    assert_true(isnan(moments_sd(&moments)));
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared distances 32. */
static void test_known(void **state)
{
    (void)state;
    const int64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    struct moments moments = { 0 };
    add_run(&moments, values, 3);
    add_run(&moments, values + 3, 5);
    assert_int_equal(moments.count, 8);
    assert_close(moments.mean, 5, 1e-15);
    assert_close(moments_sd(&moments), sqrt(32.0 / 7), 1e-14);
    assert_close(moments.min, 2, 0);
    assert_close(moments.max, 9, 0);

    struct moments weighted = { 0 };
    moments_add(&weighted, 2, 1);
    moments_add(&weighted, 4, 3);
    moments_add(&weighted, 5, 2);
    moments_add(&weighted, 7, 1);
    moments_add(&weighted, 9, 1);
    assert_int_equal(weighted.count, 8);
    assert_close(weighted.mean, 5, 1e-15);
    assert_close(moments_sd(&weighted), sqrt(32.0 / 7), 1e-14);
}

/* Sums of squares would lose all digits: the values differ by 1 at 10^15. */
static void test_far_from_zero(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    int64_t values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = INT64_C(1000000000000000) + (int64_t)(i % 2);
    struct moments moments = { 0 };
    for (size_t i = 0; i < COUNT; i += 10)
        add_run(&moments, values + i, 10);
    assert_close(moments_sd(&moments), sqrt(0.25 * COUNT / (COUNT - 1)), 1e-9);
}

static void test_merge(void **state)
{
    (void)state;
    struct moments left = { 0 };
    struct moments right = { 0 };
    struct moments empty = { 0 };
    moments_add(&right, 1, 1);
    moments_add(&right, 3, 1);
    moments_merge(&left, &empty);
    assert_int_equal(left.count, 0);
    moments_merge(&left, &right);
    moments_merge(&left, &empty);
    assert_int_equal(left.count, 2);
    assert_close(left.mean, 2, 0);
    assert_close(moments_sd(&left), sqrt(2), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_and_one),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_far_from_zero),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
