/* How often intervals hold the truth, over many samples from a known law. Seeds are
 * fixed, so a run gives the same counts each time; the bands are such that right code
 * with other seeds would leave them in less than one of 10,000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analyze/bootstrap.h"
#include "analyze/envelope.h"
#include "analyze/interval.h"
#include "analyze/itl.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

static gsl_rng *generator_with(unsigned long seed)
{
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(generator, seed);
    return generator;
}

static bool holds(const struct interval *interval, double truth)
{
    return interval->known && interval->low <= truth && truth <= interval->high;
}

/* The median of 100: P(40 <= B <= 60), B binomial(100, 1/2), is 0.9648; of 4,000 samples
 * 3,859 -+ 11.7. */
static void test_order_statistics(void **state)
{
    (void)state;
    enum { SAMPLES = 4000, SIZE = 100 };
    gsl_rng *generator = generator_with(1);
    double values[SIZE];
    unsigned hits = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (size_t i = 0; i < SIZE; i++)
            values[i] = gsl_ran_exponential(generator, 1);
        quantile_sort(values, SIZE);
        struct interval interval = interval_of_quantile(values, SIZE, 0.5);
        hits += holds(&interval, log(2));
    }
    gsl_rng_free(generator);
    assert_in_range(hits, 3859 - 47, 3859 + 47);
}

/* The 0.99-quantile of 1,000: ranks from the binomial give 0.9563 or more. */
static void test_tail(void **state)
{
    (void)state;
    enum { SAMPLES = 2000, SIZE = 1000 };
    gsl_rng *generator = generator_with(2);
    double values[SIZE];
    unsigned hits = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (size_t i = 0; i < SIZE; i++)
            values[i] = gsl_ran_lognormal(generator, 0, 1);
        quantile_sort(values, SIZE);
        struct interval interval = interval_of_quantile(values, SIZE, 0.99);
        hits += holds(&interval, exp(2.3263478740408408));
    }
    gsl_rng_free(generator);
    assert_in_range(hits, 1862, SAMPLES); /* 0.95 x 2,000 - 4 x 9.7 */
}

/* Means of 1,000 exponentials over groups: near the nominal 0.95, a little below. */
static void test_ratio(void **state)
{
    (void)state;
    enum { SAMPLES = 1000, SIZE = 1000 };
    gsl_rng *generator = generator_with(3);
    struct ratio_sums *sums = memory_new(1, sizeof *sums);
    unsigned hits = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        *sums = (struct ratio_sums){ 0 };
        for (size_t i = 0; i < SIZE; i++)
            ratio_add(sums, gsl_ran_exponential(generator, 3), 1);
        struct interval interval = ratio_interval(sums);
        hits += holds(&interval, 3);
    }
    free(sums);
    gsl_rng_free(generator);
    assert_in_range(hits, 915, 975);
}

/* 400 answers of 20 gaps; an answer's gaps are its own pace, lognormal around 10 ms,
 * times 0.9 to 1.1. The median over all gaps is 10 ms (both laws are symmetric in the
 * log, nearly so the second). An interval that took gaps as independent would hold it in
 * half of the samples. */
static void test_gaps(void **state)
{
    (void)state;
    enum { SAMPLES = 150, REQUESTS = 400, GAPS = 20 };
    gsl_rng *generator = generator_with(4);
    unsigned hits = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        struct itl *itl = memory_new(1, sizeof *itl);
        for (int request = 0; request < REQUESTS; request++) {
            int64_t gap_ns[GAPS];
            double pace_ns = gsl_ran_lognormal(generator, log(10e6), 0.5);
            for (size_t i = 0; i < GAPS; i++)
                gap_ns[i] = llround(pace_ns * gsl_ran_flat(generator, 0.9, 1.1));
            itl_add(itl, &(struct clock_gaps){ .gap_ns = gap_ns, .count = GAPS });
        }
        struct distribution result = itl_distribution(itl, false);
        hits += holds(&result.headline[HEADLINE_P50], 10e-3);
        itl_release(itl);
        free(itl);
    }
    gsl_rng_free(generator);
    assert_in_range(hits, 130, 149);
}

/* The slope of the lower envelope: 0.02 + 1e-5 x + an exponential. */
static void test_slope(void **state)
{
    (void)state;
    enum { SAMPLES = 60, SIZE = 400 };
    gsl_rng *generator = generator_with(5);
    unsigned hits = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double x[SIZE];
        double y[SIZE];
        for (size_t i = 0; i < SIZE; i++) {
            x[i] = gsl_ran_flat(generator, 100, 4000);
            y[i] = 0.02 + 1e-5 * x[i] + gsl_ran_exponential(generator, 0.01);
        }
        struct envelope line = envelope_fit(x, y, SIZE);
        hits += holds(&line.slope_interval, 1e-5);
    }
    gsl_rng_free(generator);
    assert_in_range(hits, 50, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_statistics),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
