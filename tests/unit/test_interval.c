#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/bootstrap.h"
#include "analyze/interval.h"
#include "tests/unit/assert_close.h"

static void assert_ranks(size_t count, double p, size_t low, size_t high)
{
    size_t found_low = 0;
    size_t found_high = 0;
    assert_true(interval_ranks(count, p, 0.95, &found_low, &found_high));
    assert_int_equal(found_low, low);
    assert_int_equal(found_high, high);
}

/* Medians: the table every nonparametric textbook has (e.g. Conover, table A3): n = 6: 1,
 * 6; 10: 2, 9; 20: 6, 15; 50: 18, 33; 100: 40, 61. */
static void test_median_ranks(void **state)
{
    (void)state;
    assert_ranks(6, 0.5, 1, 6);
    assert_ranks(10, 0.5, 2, 9);
    assert_ranks(20, 0.5, 6, 15);
    assert_ranks(50, 0.5, 18, 33);
    assert_ranks(100, 0.5, 40, 61);
}

/* The 0.9-quantile of 50: P(B <= 40) = 0.02454 and P(B <= 41) = 0.05787, so 41;
 * P(B <= 48) = 0.9662 and P(B <= 49) = 0.9948, so 50. */
static void test_upper_ranks(void **state)
{
    (void)state;
    assert_ranks(50, 0.9, 41, 50);
}

/* Two-sided needs (1 - p)-tails of 2.5 %: p^n <= 0.025, so n >= 6 for the median, 72 for
 * the 0.95 and 368 for the 0.99-quantile. */
static void test_too_small_samples(void **state)
{
    (void)state;
    size_t low;
    size_t high;
    assert_false(interval_ranks(0, 0.5, 0.95, &low, &high));
    assert_false(interval_ranks(5, 0.5, 0.95, &low, &high));
    assert_false(interval_ranks(71, 0.95, 0.95, &low, &high));
    assert_true(interval_ranks(72, 0.95, 0.95, &low, &high));
    assert_false(interval_ranks(367, 0.99, 0.95, &low, &high));
    assert_true(interval_ranks(368, 0.99, 0.95, &low, &high));

    const double sorted[] = { 1, 2, 3 };
    assert_false(interval_of_quantile(sorted, 3, 0.5).known);
}

static void test_million(void **state)
{
    (void)state;
    size_t low;
    size_t high;
    assert_true(interval_ranks(1000000, 0.5, 0.95, &low, &high));
    /* normal approximation: 500000 -+ 1.96 * 500 */
    assert_in_range(low, 499018, 499024);
    assert_in_range(high, 500978, 500984);
}

/* Clopper-Pearson: 0 of 10: 1 - 0.025^(1/10) = 0.30850; 5 of 10: 0.18709, 0.81291. */
static void test_share(void **state)
{
    (void)state;
    struct interval none = interval_of_share(0, 10);
    assert_close(none.low, 0, 0);
    assert_close(none.high, 1 - pow(0.025, 0.1), 1e-9);
    struct interval half = interval_of_share(5, 10);
    assert_close(half.low, 0.18709, 1e-5);
    assert_close(half.high, 0.81291, 1e-5);
    struct interval all = interval_of_share(10, 10);
    assert_close(all.low, pow(0.025, 0.1), 1e-9);
    assert_close(all.high, 1, 0);
    assert_false(interval_of_share(0, 0).known);
}

/* Where the inversion of the beta law in gsl fails: 1,900 of 2,000; by the normal law
 * 0.95 -+ 1.96 x 0.00487, and by Clopper and Pearson a little lower. */
static void test_share_of_many(void **state)
{
    (void)state;
    struct interval interval = interval_of_share(1900, 2000);
    assert_close(interval.low, 0.9396, 5e-4);
    assert_close(interval.high, 0.9592, 5e-4);
    interval = interval_of_share(5000000, 10000000);
    assert_close(interval.low, 0.5 - 1.959964 * 0.5 / sqrt(1e7), 1e-7);
    assert_close(interval.high, 0.5 + 1.959964 * 0.5 / sqrt(1e7), 1e-7);
}

/* 10^8: the normal law. */
static void test_ranks_of_very_many(void **state)
{
    (void)state;
    size_t low;
    size_t high;
    assert_true(interval_ranks(100000000, 0.99, 0.95, &low, &high));
    double half = 1.959964 * sqrt(1e8 * 0.99 * 0.01);
    assert_close((double)low, 99e6 - half, 3);
    assert_close((double)high, 99e6 + half, 3);
}

static void test_groups(void **state)
{
    (void)state;
    size_t sizes[BOOTSTRAP_GROUPS] = { 0 };
    for (uint64_t i = 0; i < BOOTSTRAP_GROUPS; i++)
        assert_int_equal(bootstrap_group(i), i);
    for (uint64_t i = 0; i < 256000; i++)
        sizes[bootstrap_group(i)]++;
    for (size_t i = 0; i < BOOTSTRAP_GROUPS; i++)
        assert_in_range(sizes[i], 840, 1160); /* 1000 -+ 5 standard deviations */
}

static void test_draw_keeps_the_number(void **state)
{
    (void)state;
    gsl_rng *generator = bootstrap_generator(0);
    uint32_t weights[10];
    for (int round = 0; round < 100; round++) {
        uint32_t sum = 0;
        bootstrap_draw(generator, weights, 10);
        for (size_t i = 0; i < 10; i++)
            sum += weights[i];
        assert_int_equal(sum, 10);
    }
    gsl_rng_free(generator);
}

static void test_ratio(void **state)
{
    (void)state;
    struct ratio_sums sums = { 0 };
    assert_true(isnan(ratio_value(&sums)));
    assert_false(ratio_interval(&sums).known);
    ratio_add(&sums, 10, 4);
    assert_close(ratio_value(&sums), 2.5, 0);
    assert_false(ratio_interval(&sums).known);
    ratio_add(&sums, 20, 4);
    assert_close(ratio_value(&sums), 3.75, 0);

    /* Constant quotient: every replicate gives it. */
    struct ratio_sums constant = { 0 };
    for (int i = 1; i <= 1000; i++)
        ratio_add(&constant, 3.0 * i, i);
    struct interval interval = ratio_interval(&constant);
    assert_true(interval.known);
    assert_close(interval.low, 3, 1e-12);
    assert_close(interval.high, 3, 1e-12);
}

/* A mean of 1,000 values 0 and 2: standard error 1/sqrt(1000), so the interval is 1 -+
 * 0.062. */
static void test_ratio_width(void **state)
{
    (void)state;
    struct ratio_sums sums = { 0 };
    for (int i = 0; i < 1000; i++)
        ratio_add(&sums, (i * 7 % 10 < 5) ? 0 : 2, 1);
    struct interval interval = ratio_interval(&sums);
    assert_close(ratio_value(&sums), 1, 1e-12);
    assert_close(interval.high - interval.low, 2 * 1.96 / sqrt(1000), 0.025);
    assert_true(interval.low < 1 && interval.high > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median_ranks),   cmocka_unit_test(test_upper_ranks),
        cmocka_unit_test(test_too_small_samples), cmocka_unit_test(test_million),
        cmocka_unit_test(test_share),          cmocka_unit_test(test_groups),
        cmocka_unit_test(test_share_of_many), cmocka_unit_test(test_ranks_of_very_many),
        cmocka_unit_test(test_draw_keeps_the_number), cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_ratio_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
