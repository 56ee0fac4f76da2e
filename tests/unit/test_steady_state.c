#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analyze/steady_state.h"
#include "analyze/warm_up.h"
#include "tests/unit/assert_close.h"

enum { COUNT = 1000 };

static void fill(double *values, gsl_rng *generator)
{
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 10 + gsl_ran_gaussian(generator, 1);
}

static void test_too_few(void **state)
{
    (void)state;
    double values[STEADY_STATE_VALUES_MIN] = { 0 };
    assert_false(steady_state_find(values, 0).known);
    assert_false(steady_state_find(values, STEADY_STATE_VALUES_MIN - 1).known);
    struct steady_state all_equal = steady_state_find(values, STEADY_STATE_VALUES_MIN);
    assert_true(all_equal.known && all_equal.settled);
    assert_int_equal(all_equal.warm_up, 0);
}

/* The first 100 are far above the rest: they go, and hardly more. */
static void test_step(void **state)
{
    (void)state;
    double values[COUNT];
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 50; seed++) {
        gsl_rng_set(generator, seed);
        fill(values, generator);
        for (size_t i = 0; i < 100; i++)
            values[i] += 20;
        struct steady_state found = steady_state_find(values, COUNT);
        assert_true(found.settled);
        assert_in_range(found.warm_up, 100, 400);
    }
    gsl_rng_free(generator);
}

/* Without a warm-up little is cut: of 100 series not more than 10 lose over a quarter. */
static void test_steady(void **state)
{
    (void)state;
    double values[COUNT];
    unsigned long wrong = 0;
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 100; seed++) {
        gsl_rng_set(generator, seed);
        fill(values, generator);
        struct steady_state found = steady_state_find(values, COUNT);
        wrong += !found.settled || found.warm_up > COUNT / 4;
    }
    gsl_rng_free(generator);
    assert_in_range(wrong, 0, 10);
}

/* A queue that grows to the end never settles. */
static void test_growing(void **state)
{
    (void)state;
    double values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 0.02 + 0.001 * (double)i;
    assert_false(steady_state_find(values, COUNT).settled);
}

/* Requests 10 ms apart, written in the reverse of their due order; TTFT is 100 ms for the
 * first 200 and 20 ms, or 21, for the others. */
static void test_warm_up(void **state)
{
    (void)state;
    static struct request_sample samples[COUNT];
    struct log_facts logs[1] = { { 0 } };
    for (size_t i = 0; i < COUNT; i++) {
        int64_t due_ns = 10000000 * (int64_t)i;
        int64_t ttft_ns = i < 200 ? 100000000 : 20000000 + 1000000 * (int64_t)(i % 2);
        samples[COUNT - 1 - i] = (struct request_sample){
            .outcome = OUTCOME_OK,
            .due_ns = due_ns,
            .sent_ns = due_ns,
            .arrival = { .first_ns = due_ns + ttft_ns },
        };
    }
    struct collection collection = {
        .samples = samples, .count = COUNT, .logs = logs, .log_count = 1, .epoch_count =
            1,
    };
    struct warm_up found = warm_up_of(&collection);
    assert_true(found.state.settled);
    assert_int_equal(found.state.warm_up, 200);
    assert_close(found.seconds, 2, 1e-12);
    assert_close(found.rise, 0.0205 / 0.1, 1e-12);

    collection.epoch_count = 2;
    assert_false(warm_up_of(&collection).state.known);
    collection.epoch_count = 1;
    collection.count = 0;
    assert_false(warm_up_of(&collection).state.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
