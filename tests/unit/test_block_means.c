#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/block_means.h"
#include "tests/unit/assert_close.h"

/* Every item falls in one block, blocks are consecutive and of nearly one size. */
static void test_blocks(void **state)
{
    (void)state;
    size_t sizes[BLOCK_COUNT] = { 0 };
    unsigned before = 0;
    for (size_t i = 0; i < 1000; i++) {
        unsigned block = block_of(i, 1000);
        assert_true(block == before || block == before + 1);
        assert_true(block < BLOCK_COUNT);
        sizes[before = block]++;
    }
    for (size_t i = 0; i < BLOCK_COUNT; i++)
        assert_true(sizes[i] == 31 || sizes[i] == 32);
    assert_int_equal(block_of((size_t)1 << 30, ((size_t)1 << 30) + 1), BLOCK_COUNT - 1);
}

/* Two values, 1 and 3: mean 2, standard error 1, t with one degree 12.706. */
static void test_two_values(void **state)
{
    (void)state;
    struct block_sums sums = { 0 };
    block_add(&sums, 0, 1);
    block_add(&sums, 16, 3);
    struct estimate mean = block_ratio(&sums);
    assert_close(mean.value, 2, 0);
    assert_true(mean.interval.known);
    assert_close(mean.interval.low, 0, 0); /* none is below */
    assert_close(mean.interval.high, 2 + 12.7062, 1e-4);
    const double parts[] = { 1, 3 };
    struct interval same = block_interval_of_parts(2, parts, 2);
    assert_close(same.low, 2 - 12.7062, 1e-4);
}

/* What one value or none cannot tell. */
static void test_too_few(void **state)
{
    (void)state;
    struct block_sums sums = { 0 };
    assert_true(isnan(block_ratio(&sums).value));
    assert_true(isnan(block_squared_cv(&sums, &sums).value));
    block_add(&sums, 3, 7);
    assert_close(block_ratio(&sums).value, 7, 0);
    assert_false(block_ratio(&sums).interval.known);
    assert_false(block_interval_of_parts(7, sums.value, 1).known);
}

/* 1, 1, 2, 4: mean 2, mean square 5.5, squared coefficient of variation 0.375. Residuals
 * by hand, each over 4: (y^2 - 5.5) / 4 - (y - 2) 2 * 5.5 / 8 = 0.25, 0.25, -0.375,
 * -0.125 -> sum 0. */
static void test_squared_cv(void **state)
{
    (void)state;
    const double values[] = { 1, 1, 2, 4 };
    struct block_sums first = { 0 };
    struct block_sums second = { 0 };
    for (unsigned i = 0; i < 4; i++) {
        block_add(&first, i, values[i]);
        block_add(&second, i, values[i] * values[i]);
    }
    struct estimate cv2 = block_squared_cv(&first, &second);
    assert_close(cv2.value, 0.375, 1e-12);
    double squares = (0.25 * 0.25 + 0.25 * 0.25 + 0.375 * 0.375 + 0.125 * 0.125) / 16;
    double half = 3.182446 * sqrt(squares * 4 / 3); /* t with three degrees */
    assert_close(cv2.interval.high - cv2.value, half, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_two_values),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_squared_cv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
