/* Poisson plans pass the tests of their name as often as the level of each test says:
 * 200 seeds of 10,000 gaps at each of four rates. Rejections at 5 % are binomial, 10 ±
 * 3.1 of 200; outside 1 to 24 by chance once in 10,000. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "assert_close.h"
#include "plan_making.h"
#include "replay/plan_stats.h"

enum { SEEDS = 200, GAPS = 10000 };
static const double NORMAL_97_5 = 1.959964; /* standard normal quantile */

struct rejections {
    int anderson_darling;
    int correlation;
    int dispersion;
    int mean;
};

static void test_plan(struct rejections *rejections, double rate_per_s, int64_t seed)
{
    struct plan_options options = plan_defaults();
    options.trace = NULL;
    options.arrivals = "poisson";
    options.rate_per_s = rate_per_s;
    options.requests = GAPS + 1;
    options.input_tokens = "1";
    options.output_tokens = "1";
    options.seed = seed;
    struct plan plan = make_plan(&options);
    struct plan_stats stats;
    plan_stats_compute(&stats, &plan, &options);
    plan_release(&plan);
    assert_int_equal(stats.count, GAPS + 1);
    assert_true(stats.test.mean_given);
    rejections->anderson_darling += stats.test.p_value < 0.05;
    /* Correlation of independent gaps: sd 1/sqrt(n). Span: n gaps of mean and sd
     * 1/rate. */
    rejections->correlation += fabs(stats.gap_correlation) * sqrt(GAPS) > NORMAL_97_5;
    rejections->mean += fabs(stats.span_s * rate_per_s - GAPS) / sqrt(GAPS) > NORMAL_97_5;
    /* Dispersion of Poisson counts in m windows: chi-square over m, sd sqrt(2/m). */
    for (int i = 0; i < DISPERSION_WINDOWS; i++) {
        double windows = stats.span_s / dispersion_window_s[i];
        double per_window = rate_per_s * dispersion_window_s[i];
        if (windows > 1000 && per_window >= 1) {
            double excess = fabs(stats.dispersion[i] - 1) / sqrt(2 / windows);
            rejections->dispersion += excess > NORMAL_97_5;
            return;
        }
    }
}

static void check_rate(double rate_per_s, int64_t first_seed, bool has_windows)
{
    struct rejections rejections = { 0 };
    for (int64_t seed = first_seed; seed < first_seed + SEEDS; seed++)
        test_plan(&rejections, rate_per_s, seed);
    assert_in_range(rejections.anderson_darling, 1, 24);
    assert_in_range(rejections.correlation, 1, 24);
    assert_in_range(rejections.mean, 1, 24);
    if (has_windows)
        assert_in_range(rejections.dispersion, 1, 24);
}

static void at_1_per_s(void **state)
{
    (void)state;
    check_rate(1, 1, true);
}

static void at_2_per_s(void **state)
{
    (void)state;
    check_rate(2, 1001, true);
}

static void at_10_per_s(void **state)
{
    (void)state;
    check_rate(10, 2001, true);
}

/* 10,000 gaps last 10 s: too few windows for a test of dispersion. */
static void at_1000_per_s(void **state)
{
    (void)state;
    check_rate(1000, 3001, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_1_per_s),
        cmocka_unit_test(at_2_per_s),
        cmocka_unit_test(at_10_per_s),
        cmocka_unit_test(at_1000_per_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
