#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyze/envelope.h"
#include "analyze/ntpot_parts.h"
#include "tests/unit/assert_close.h"

enum { COUNT = 500 };

/* Numbers in (0, 1) without a pattern (a Weyl sequence on the golden ratio). */
static double spread(size_t i)
{
    double x = ((double)i + 0.5) * 0.6180339887498949;
    return x - floor(x);
}

/* Half of the points lie on y = 0.02 + 1e-5 x, the others above it: the line is found. */
static void test_exact_edge(void **state)
{
    (void)state;
    double x[COUNT];
    double y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = 100 + 3000 * spread(i);
        y[i] = 0.02 + 1e-5 * x[i] + (i % 2 == 0 ? 0 : spread(7 * i));
    }
    struct envelope line = envelope_fit(x, y, COUNT);
    assert_null(line.reason);
    assert_close_relative(line.slope, 1e-5, 1e-6);
    assert_close(line.intercept, 0.02, 1e-9);
    assert_true(line.slope_interval.known);
    assert_true(line.slope_interval.low <= 1e-5 + 1e-12);
    assert_true(line.slope_interval.high >= 1e-5 - 1e-12);
}

/* Waiting that grows with x shifts the mean slope to 2e-5, the lower edge far less. */
static void test_queueing_only_adds(void **state)
{
    (void)state;
    double x[COUNT];
    double y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = 3000 * spread(i);
        y[i] = 0.02 + 1e-5 * x[i] - 0.01 * log(spread(13 * i));
    }
    struct envelope line = envelope_fit(x, y, COUNT);
    assert_true(line.slope_interval.low < 1e-5 && line.slope_interval.high > 1e-5);
    assert_close_relative(line.slope, 1e-5, 0.1);
}

static void test_not_identifiable(void **state)
{
    (void)state;
    double x[COUNT];
    double y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = 512;
        y[i] = spread(i);
    }
    struct envelope same = envelope_fit(x, y, COUNT);
    assert_string_equal(same.reason, "input lengths do not vary");
    assert_true(isnan(same.slope));
    assert_false(same.slope_interval.known);
    x[0] = 1;
    assert_string_equal(envelope_fit(x, y, 19).reason, "too few requests");
    assert_string_equal(envelope_fit(x, y, 0).reason, "too few requests");
}

/* All y equal: the slope is 0, and the search for it ends. */
static void test_flat(void **state)
{
    (void)state;
    double x[COUNT];
    double y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (double)i;
        y[i] = 0.5;
    }
    struct envelope line = envelope_fit(x, y, COUNT);
    assert_close(line.slope, 0, 1e-8);
    assert_close(line.intercept, 0.5, 1e-5);
}

enum { MS = 1000000 };

/* TTFT = 15 ms + 10 us per uncached token + the request's wait; TPOT 5 ms, N = 10. */
static struct request_sample sample_of(uint32_t input, uint32_t cached, double wait_ms)
{
    int64_t first_ns = 15 * MS + 10000 * (int64_t)(input - cached) + (int64_t)(wait_ms *
                                                                               MS);
    struct request_sample sample = {
        .outcome = OUTCOME_OK, .input_tokens = input, .cached_tokens = cached,
        .output_tokens = 10, .output_events = 10, .first_event_tokens = 1, .choices = 1,
    };
    sample.arrival = (struct token_times){
        .first_ns = first_ns, .last_ns = first_ns + 45 * MS, .span_ns = 45 * MS,
    };
    return sample;
}

/* Nine requests of ten do not wait; each tenth waits 100 ms. The rest of a request is
 * 15 ms - k1 x 5 ms + its wait. */
static void test_parts(void **state)
{
    (void)state;
    struct request_sample samples[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        samples[i] = sample_of(1000 + (uint32_t)(1000 * spread(i)), i % 2 == 0 ? 0 : 500,
                               i % 10 == 9 ? 100 : 0);
    struct ntpot_parts parts = ntpot_parts_of(samples, COUNT);
    assert_close(parts.decode_s, 0.005, 1e-15);
    assert_close(parts.decode_interval.low, 0.005, 1e-12);
    assert_null(parts.prefill.reason);
    assert_close_relative(parts.prefill.slope, 1e-5, 1e-6);
    assert_int_equal(parts.queue.count, COUNT);
    assert_close(distribution_headline(&parts.queue, HEADLINE_P50), 0.010, 1e-7);
    assert_close(parts.queue.max, 0.110, 1e-7);
    assert_close(parts.queue.mean, 0.020, 1e-7);
    assert_close(parts.queue_per_output_s + parts.prefill_per_output_s +
                 parts.decode_per_output_s, parts.ntpot_s, 1e-12);
    assert_close(parts.decode_per_output_s, 0.005, 1e-12);
    assert_close(parts.queue_per_output_s, 0.002, 1e-8);
}

static void test_parts_without_variation(void **state)
{
    (void)state;
    struct request_sample samples[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        samples[i] = sample_of(1000, 0, 0);
    struct ntpot_parts parts = ntpot_parts_of(samples, COUNT);
    assert_non_null(parts.prefill.reason);
    assert_int_equal(parts.queue.count, 0);
    assert_int_equal(parts.queue.excluded, COUNT);
    assert_true(isnan(parts.queue_per_output_s));
    /* 15 ms + 10 ms of prefill - 5 ms */
    assert_close(parts.queue_and_prefill.mean, 0.020, 1e-12);
}

static void test_failures_are_left_out(void **state)
{
    (void)state;
    struct request_sample samples[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        samples[i] = sample_of(1000 + (uint32_t)(1000 * spread(i)), 0, 0);
        samples[i].outcome = i % 2 == 0 ? OUTCOME_OK : OUTCOME_TIMEOUT;
    }
    struct ntpot_parts parts = ntpot_parts_of(samples, COUNT);
    assert_int_equal(parts.queue.count, COUNT / 2);
    parts = ntpot_parts_of(samples, 0);
    assert_int_equal(parts.queue_and_prefill.count, 0);
    assert_true(isnan(parts.decode_s));
    assert_false(parts.decode_interval.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_edge),
        cmocka_unit_test(test_queueing_only_adds),
        cmocka_unit_test(test_not_identifiable),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_without_variation),
        cmocka_unit_test(test_failures_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
