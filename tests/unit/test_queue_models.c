#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/queue_models.h"
#include "tests/unit/assert_close.h"

/* Services of mean 1 at lambda = 1/2, no set-up, events one by one. */
static struct queue_inputs exponential(void)
{
    return (struct queue_inputs){
        .rate_per_s = 0.5, .service_s = 1, .service_2 = 2, .service_3 = 6,
        .gap_squared_cv = 1, .setup_s = 0, .setup_2 = 0, .batch = 1, .batch_2 = 1,
    };
}

static struct queue_predictions predict(struct queue_inputs inputs)
{
    queue_inputs_assume_independent(&inputs);
    return queue_predict(&inputs);
}

/* M/M/1: W = rho / (1 - rho) E[S] = 1, E[W^2] = 2 rho / (1 - rho)^2 = 4. All models agree
 * where their assumptions do. */
static void test_mm1(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    struct queue_predictions predictions = predict(inputs);
    assert_close(predictions.rho, 0.5, 0);
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        if (model != MODEL_KINGMAN)
            assert_close(predictions.mean_s[model], 1, 1e-12);
    assert_close(predictions.mg1_2, 4, 1e-12);
    /* 0.5 (4 + 1) / (2 * 0.5) = 2.5: a bound, not an equality. */
    assert_close(predictions.mean_s[MODEL_KINGMAN], 2.5, 1e-12);
}

/* M/D/1: half of M/M/1. */
static void test_md1(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.service_2 = inputs.service_3 = 1;
    struct queue_predictions predictions = predict(inputs);
    assert_close(predictions.mean_s[MODEL_MG1], 0.5, 1e-12);
    /* 2 / 4 + 0.5 / 1.5 */
    assert_close(predictions.mg1_2, 0.5 + 1.0 / 3, 1e-12);
    assert_close(predictions.mean_s[MODEL_KLB], 0.5, 1e-12);
}

/* A constant set-up of 1: (2 + 0.5) / (2 * 1.5) = 5/6 more. An exponential one:
 * E[V^2] = 2, and V = 1 adds (2 + 1) / 3 = 1. */
static void test_setup(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.setup_s = inputs.setup_2 = 1;
    struct queue_predictions predictions = predict(inputs);
    assert_close(predictions.mean_s[MODEL_MG1_SETUP], 1 + 5.0 / 6, 1e-12);
    inputs.setup_2 = 2;
    predictions = predict(inputs);
    assert_close(predictions.mean_s[MODEL_MG1_SETUP], 2, 1e-12);
    assert_close(predictions.mean_s[MODEL_MG1], 1, 1e-12);
}

/* Batches of always 2, constant services: batch services of 2 at 1/4 per second wait
 * 0.25 * 4 / (2 * 0.5) = 1; the second of a pair waits 1 more, 1/2 on average. A set-up
 * of 1 is paid at 1/4 per second: (2 + 0.25) / (2 * 1.25) = 0.9. */
static void test_batches(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.service_2 = 1;
    inputs.batch = 2;
    inputs.batch_2 = 4;
    inputs.setup_s = inputs.setup_2 = 1;
    struct queue_predictions predictions = predict(inputs);
    assert_close(predictions.mean_s[MODEL_BATCH], 1.5, 1e-12);
    assert_close(predictions.mean_s[MODEL_BATCH_SETUP], 2.4, 1e-12);
}

/* Who finds the server idle takes it for 3, always; the others for 1: a free share of
 * 1/2, a cycle of 1/2 + 3/2 = 2. Work met: 0.5 (0.5 * 9 + 0.5 * 3 * 1) / (2 * 0.5 * 2)
 * = 1.5; and of the 1/4 that find it idle each pays a set-up of 2. That the mean over all
 * services is another leaves it alone. */
static void test_first_service_of_its_own(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.service_s = 0.9;
    inputs.setup_s = 2;
    inputs.events = (struct queue_occupancy){
        .idle_s = 3, .idle_2 = 9, .busy_s = 1, .busy_2 = 1
    };
    assert_close(queue_predict(&inputs).mean_s[MODEL_MG1_SETUP], 2, 1e-12);
    inputs.events.busy_s = 2;
    assert_true(isnan(queue_predict(&inputs).mean_s[MODEL_MG1_SETUP]));
}

/* Batches of 2 at 1/4 per second that take 2, of which the first event all: an event
 * waits 1/4 * 4 / (2 * 0.5) = 1 for other batches, and every second 2 for its fellow. */
static void test_batches_of_unequal_services(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.batch = 2;
    inputs.batch_service_2 = 4;
    inputs.batch_inner_s = 1;
    assert_close(queue_predict(&inputs).mean_s[MODEL_BATCH], 2, 1e-12);
}

/* D/M/1 at rho = 1/2: the factor is exp(-2 * 0.5 / 1.5) with c_a = 0, c_s = 1, on
 * rho E[S] / (2 (1 - rho)) = 1/2. Even arrivals wait less, bursts more. */
static void test_klb(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.gap_squared_cv = 0;
    struct queue_predictions predictions = predict(inputs);
    assert_close(predictions.mean_s[MODEL_KLB], 0.5 * exp(-2.0 / 3), 1e-12);
    inputs.gap_squared_cv = 5;
    predictions = predict(inputs);
    /* 0.5 * 6 exp(-0.5 * 4 / 9) */
    assert_close(predictions.mean_s[MODEL_KLB], 3 * exp(-2.0 / 9), 1e-12);
}

/* No steady state, no services, unknown set-up: no number. */
static void test_no_answer(void **state)
{
    (void)state;
    struct queue_inputs inputs = exponential();
    inputs.setup_s = inputs.setup_2 = NAN;
    struct queue_predictions predictions = predict(inputs);
    assert_true(isnan(predictions.mean_s[MODEL_MG1_SETUP]));
    assert_close(predictions.mean_s[MODEL_MG1], 1, 1e-12);
    inputs.rate_per_s = 1;
    predictions = predict(inputs);
    assert_close(predictions.rho, 1, 0);
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        assert_true(isnan(predictions.mean_s[model]));
    inputs.rate_per_s = NAN;
    assert_true(isnan(predict(inputs).mean_s[MODEL_MG1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm1),   cmocka_unit_test(test_md1),
        cmocka_unit_test(test_setup), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_first_service_of_its_own),
        cmocka_unit_test(test_batches_of_unequal_services),
        cmocka_unit_test(test_klb),   cmocka_unit_test(test_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
