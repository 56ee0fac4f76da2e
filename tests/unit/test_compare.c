/* Comparisons of made-up runs whose truth is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analyze/compare.h"
#include "analyze/contrast.h"
#include "analyze/pairs.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

enum { REQUESTS = 1000, TOKENS = 101 };

/* What sets a run apart; `rows` is shared by runs of one plan. */
struct law {
    double tpot_factor;
    unsigned long seed;
};

/* Requests with lognormal TTFT, and TPOT of 10 ms with 10 % of scatter between
 * requests. */
static void make_run(struct analysis *run, struct law law)
{
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(generator, law.seed);
    *run = (struct analysis){ 0 };
    run->collection.samples = memory_new(REQUESTS, sizeof *run->collection.samples);
    run->collection.count = REQUESTS;
    for (size_t i = 0; i < REQUESTS; i++) {
        double ttft_ns = gsl_ran_lognormal(generator, log(50e6), 0.5);
        double tpot_ns = 10e6 * law.tpot_factor * gsl_ran_lognormal(generator, 0, 0.1);
        struct request_sample *sample = &run->collection.samples[i];
        *sample = (struct request_sample){
            .row = i, .due_ns = (int64_t)i, .outcome = OUTCOME_OK, .choices = 1,
            .output_tokens = TOKENS, .output_events = TOKENS, .first_event_tokens = 1,
        };
        sample->arrival.first_ns = sample->arrival.first_content_ns = llround(ttft_ns);
        sample->arrival.span_ns = llround(tpot_ns * (TOKENS - 1));
        sample->arrival.last_ns = sample->arrival.first_ns + sample->arrival.span_ns;
        sample->app = sample->arrival;
    }
    gsl_rng_free(generator);
    run->summary.verdict.valid = true;
    run->summary.tokens.counted_by = COUNTED_USAGE;
    run->summary.requests.planned = REQUESTS;
    run->summary.requests.succeeded = REQUESTS;
}

static void compare_laws(struct comparison *comparison, struct law a, struct law b,
                         const struct compare_request *request)
{
    struct analysis *runs = memory_new(2, sizeof *runs);
    make_run(&runs[0], a);
    make_run(&runs[1], b);
    compare_runs(comparison, (struct compare_side){ &runs[0], 1 },
                 (struct compare_side){ &runs[1], 1 }, request);
    free(runs[0].collection.samples);
    free(runs[1].collection.samples);
    free(runs);
}

/* 100 pairs of runs of one law: at most 7 may be called different, metric by metric. */
static void test_equals(void **state)
{
    (void)state;
    const struct compare_request request = { .flavour = BY_ARRIVAL };
    unsigned different[COMPARE_METRICS] = { 0 };
    for (unsigned long seed = 1; seed <= 100; seed++) {
        struct comparison comparison;
        compare_laws(&comparison, (struct law){ 1, seed }, (struct law){ 1, seed + 1000 },
                     &request);
        assert_true(comparison.same_plan && comparison.paired);
        for (size_t i = 0; i < REQUEST_METRICS; i++)
            different[i] += comparison.metrics[i].verdict != COMPARE_NO_DIFFERENCE;
    }
    for (size_t i = 0; i < REQUEST_METRICS; i++)
        assert_in_range(different[i], 0, 7);
}

/* A TPOT 5 % longer: called worse in at least 95 of 100. */
static void test_shift(void **state)
{
    (void)state;
    const struct compare_request request = { .flavour = BY_ARRIVAL };
    unsigned worse = 0;
    unsigned better = 0;
    for (unsigned long seed = 1; seed <= 100; seed++) {
        struct comparison comparison;
        compare_laws(&comparison, (struct law){ 1, seed },
                     (struct law){ 1.05, seed + 1000 }, &request);
        worse += comparison.metrics[METRIC_TPOT].verdict == COMPARE_WORSE;
        compare_laws(&comparison, (struct law){ 1.05, seed },
                     (struct law){ 1, seed + 1000 }, &request);
        better += comparison.metrics[METRIC_TPOT].verdict == COMPARE_BETTER;
    }
    assert_in_range(worse, 95, 100);
    assert_in_range(better, 95, 100);
}

static void test_margin(void **state)
{
    (void)state;
    const struct compare_request request = { .flavour = BY_ARRIVAL, .margin = 0.1 };
    struct comparison comparison;
    compare_laws(&comparison, (struct law){ 1, 1 }, (struct law){ 1.05, 2 }, &request);
    assert_int_equal(comparison.metrics[METRIC_TPOT].verdict, COMPARE_NO_DIFFERENCE);
    compare_laws(&comparison, (struct law){ 1, 1 }, (struct law){ 1.3, 2 }, &request);
    assert_int_equal(comparison.metrics[METRIC_TPOT].verdict, COMPARE_WORSE);
}

static void test_not_comparable(void **state)
{
    (void)state;
    struct compare_request request = { .flavour = BY_ARRIVAL };
    struct analysis *runs = memory_new(2, sizeof *runs);
    struct compare_side a = { &runs[0], 1 };
    struct compare_side b = { &runs[1], 1 };
    struct comparison comparison;
    make_run(&runs[0], (struct law){ 1, 1 });
    make_run(&runs[1], (struct law){ 1, 2 });

    runs[1].summary.tokens.counted_by = COUNTED_EVENTS;
    compare_runs(&comparison, a, b, &request);
    assert_string_equal(comparison.metrics[METRIC_TPOT].reason,
                        "tokens are counted in different ways");
    assert_int_equal(comparison.metrics[METRIC_NTPOT].verdict, COMPARE_NOT_COMPARABLE);
    assert_int_equal(comparison.metrics[METRIC_TTFT].verdict, COMPARE_NO_DIFFERENCE);

    runs[1].summary.verdict.valid = false;
    compare_runs(&comparison, a, b, &request);
    assert_string_equal(comparison.metrics[METRIC_TTFT].reason,
                        "a run is not to be believed");
    request.ignore_verdicts = true;
    compare_runs(&comparison, a, b, &request);
    assert_int_equal(comparison.metrics[METRIC_TTFT].verdict, COMPARE_NO_DIFFERENCE);

    runs[1].collection.samples[7].due_ns++;
    compare_runs(&comparison, a, b, &request);
    assert_false(comparison.same_plan);
    assert_string_equal(comparison.metrics[METRIC_TTFT].reason, "the plans differ");
    request.across_plans = true;
    compare_runs(&comparison, a, b, &request);
    assert_false(comparison.paired);
    assert_int_equal(comparison.metrics[METRIC_TTFT].verdict, COMPARE_NO_DIFFERENCE);
    free(runs[0].collection.samples);
    free(runs[1].collection.samples);
    free(runs);
}

/* Repetitions may have a plan each, if the other side has those plans too. */
static void test_plans_of_repetitions(void **state)
{
    (void)state;
    const struct compare_request request = { .flavour = BY_ARRIVAL };
    struct analysis *runs = memory_new(6, sizeof *runs);
    struct comparison comparison;
    const struct compare_side a = { &runs[0], 3 };
    const struct compare_side b = { &runs[3], 3 };
    for (size_t i = 0; i < 6; i++) {
        make_run(&runs[i], (struct law){ 1, i + 1 });
        runs[i].collection.samples[0].due_ns = -(int64_t)(i % 3); /* plans 0, 1, 2 */
    }
    compare_runs(&comparison, a, b, &request);
    assert_true(comparison.same_plan && !comparison.paired);
    assert_int_equal(comparison.metrics[METRIC_TTFT].verdict, COMPARE_NO_DIFFERENCE);
    compare_runs(&comparison, a, (struct compare_side){ &runs[3], 2 }, &request);
    assert_false(comparison.same_plan);
    runs[5].collection.samples[0].due_ns = 0; /* plans 0, 1, 0 */
    compare_runs(&comparison, a, b, &request);
    assert_false(comparison.same_plan);
    for (size_t i = 0; i < 6; i++)
        free(runs[i].collection.samples);
    free(runs);
}

/* Rows that failed on one side, or that a side has twice, are in no pair. */
static void test_pairs(void **state)
{
    (void)state;
    struct request_sample a[] = {
        { .row = 3, .outcome = OUTCOME_OK }, { .row = 1, .outcome = OUTCOME_OK },
        { .row = 2, .outcome = OUTCOME_TIMEOUT }, { .row = 5, .outcome = OUTCOME_OK },
        { .row = 5, .outcome = OUTCOME_OK }, { .row = 9, .outcome = OUTCOME_OK },
    };
    struct request_sample b[] = {
        { .row = 2, .outcome = OUTCOME_OK }, { .row = 3, .outcome = OUTCOME_OK },
        { .row = 1, .outcome = OUTCOME_OK }, { .row = 5, .outcome = OUTCOME_OK },
        { .row = 8, .outcome = OUTCOME_OK },
    };
    struct collection left = { .samples = a, .count = 6 };
    struct collection right = { .samples = b, .count = 5 };
    struct pairs pairs = pair_rows(&left, &right);
    assert_int_equal(pairs.count, 2);
    assert_ptr_equal(pairs.items[0].a, &a[1]);
    assert_ptr_equal(pairs.items[0].b, &b[2]);
    assert_ptr_equal(pairs.items[1].a, &a[0]);
    assert_ptr_equal(pairs.items[1].b, &b[1]);
    free(pairs.items);
}

/* 1, 2, 3 against 2, 4, 6: difference of means 2, Welch: variances 1 and 4 over 3 each,
 * error sqrt(5/3), freedom (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 50/17, t = 3.2188. */
static void test_repetitions(void **state)
{
    (void)state;
    const double a[] = { 1, 2, 3 };
    const double b[] = { 2, 4, 6 };
    struct contrast contrast = contrast_runs(a, 3, b, 3);
    assert_close(contrast.difference, 2, 1e-15);
    assert_close(contrast.ratio, 2, 1e-12); /* of geometric means */
    assert_true(contrast.difference95.known);
    assert_close(contrast.difference95.low, 2 - 3.2188 * sqrt(5.0 / 3), 1e-4);
    assert_close(contrast.difference95.high, 2 + 3.2188 * sqrt(5.0 / 3), 1e-4);
    assert_false(contrast_runs(a, 1, b, 3).difference95.known);
    assert_true(isnan(contrast_runs(a, 0, b, 3).ratio));

    const double with_zero[] = { 0, 1 };
    contrast = contrast_runs(a, 3, with_zero, 2);
    assert_false(contrast.ratio95.known);
    assert_true(contrast.difference95.known);
}

/* Statistics by hand, and no interval from one value. */
static void test_values(void **state)
{
    (void)state;
    const double a[] = { 4, 1, 2, 3 };
    const double b[] = { 2, 4, 6, 8 };
    struct contrast contrasts[CONTRASTS];
    contrast_values(a, 4, b, 4, false, contrasts);
    assert_close(contrasts[CONTRAST_MEAN].a, 2.5, 1e-15);
    assert_close(contrasts[CONTRAST_P50].b, 5, 1e-15);
    assert_close(contrasts[CONTRAST_P99].a, 3.97, 1e-12);
    assert_close(contrasts[CONTRAST_MEAN].ratio, 2, 1e-15);
    assert_true(contrasts[CONTRAST_MEAN].ratio95.known);
    contrast_values(a, 1, b, 4, false, contrasts);
    assert_false(contrasts[CONTRAST_MEAN].ratio95.known);
    contrast_values(a, 0, b, 4, false, contrasts);
    assert_true(isnan(contrasts[CONTRAST_P50].b));

    /* b = 2a, paired: every replicate gives the ratio exactly */
    const double twice[] = { 8, 2, 4, 6 };
    contrast_values(a, 4, twice, 4, true, contrasts);
    assert_close(contrasts[CONTRAST_P50].ratio95.low, 2, 1e-12);
    assert_close(contrasts[CONTRAST_P50].ratio95.high, 2, 1e-12);
}

/* Newcombe's example: 56 of 70 against 48 of 80: 0.2, from 0.0524 to 0.3339. */
static void test_share_difference(void **state)
{
    (void)state;
    struct interval interval = interval_of_share_difference(48, 80, 56, 70);
    assert_close(interval.low, 0.0524, 5e-5);
    assert_close(interval.high, 0.3339, 5e-5);
    assert_false(interval_of_share_difference(0, 0, 1, 2).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_not_comparable),
        cmocka_unit_test(test_plans_of_repetitions),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_repetitions),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_share_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
