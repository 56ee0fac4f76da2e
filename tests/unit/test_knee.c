/* The rules for the knee on stages made by arithmetic: requests that come, stay and go at
 * exact times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gsl/gsl_errno.h>
#include <math.h>

#include "analyze/knee.h"
#include "formats/arrivals.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

static const double stage_s = 100;

/* A server that takes requests one by one at `capacity_per_s`, each staying 0.2 s beside
 * its wait; arrivals are evenly spaced. */
static struct stage_evidence stage_of(double rate_per_s, double capacity_per_s)
{
    struct stage_evidence evidence = { .planned_per_s = rate_per_s };
    size_t count = (size_t)(rate_per_s * stage_s);
    struct stage_visit *visits = memory_new(count, sizeof *visits);
    double free_s = 0;
    for (size_t i = 0; i < count; i++) {
        double due_s = (double)i / rate_per_s;
        free_s = fmax(free_s, due_s) + 1 / capacity_per_s;
        int64_t due_ns = (int64_t)(due_s * NS_PER_S);
        visits[i] = (struct stage_visit){ due_ns, due_ns,
                                          (int64_t)((free_s + 0.2) * NS_PER_S), true };
    }
    stage_evidence_fill(&evidence, visits, count, 0, (int64_t)(stage_s * NS_PER_S));
    free(visits);
    return evidence;
}

static struct knee knee_of(const double *rates_per_s, size_t count, double capacity_per_s,
                           enum stage_use use_of_last)
{
    struct stage_evidence *stages = memory_new(count, sizeof *stages);
    struct knee_limits limits = KNEE_LIMITS_INIT;
    struct knee knee;
    for (size_t i = 0; i < count; i++)
        stages[i] = stage_of(rates_per_s[i], capacity_per_s);
    stages[count - 1].use = use_of_last;
    knee_find(&knee, stages, count, &limits);
    free(stages);
    return knee;
}

static void a_knee_within_the_range(void **state)
{
    (void)state;
    const double rates[] = { 5, 10, 15, 25, 30 };
    struct knee knee = knee_of(rates, 5, 20, STAGE_USABLE);
    assert_int_equal(knee.together.state, KNEE_FOUND);
    assert_close_relative(knee.together.knee_per_s, 20.0, 0.01);
    assert_close_relative(knee.rules[KNEE_BY_SHARE].knee_per_s, 20.0, 0.01);
    assert_close_relative(knee.rules[KNEE_BY_GROWTH].knee_per_s, 20.0, 0.01);
    assert_close_relative(knee.rules[KNEE_BY_LATENCY].knee_per_s, 20.0, 0.05);
    assert_close_relative(knee.rules[KNEE_BY_SEGMENTS].knee_per_s, 20.0, 0.01);
    assert_close(knee.held_per_s, 15, 0);
    assert_close(knee.saturated_per_s, 25, 0);
    assert_close_relative(knee.signs[3].ratio.value, 20. / 25, 0.01);
    assert_close_relative(knee.signs[3].growth.value, 5.0, 0.05);
    assert_false(knee.signs[2].grows || knee.signs[2].falls_short);
    knee_release(&knee);
}

/* a + b x / (c - x) far below the capacity, a + h (x - c) / 2c far above it. */
static void the_fitted_curve(void **state)
{
    (void)state;
    struct knee_curve curve = { .a_s = 0.1, .b_s = 0.02, .c_per_s = 100,
                                .horizon_s = 1e6 };
    assert_close_relative(knee_curve_s(&curve, 50), 0.12, 1e-4);
    assert_close_relative(knee_curve_s(&curve, 90), 0.28, 1e-4);
    assert_close_relative(knee_curve_s(&curve, 200), 0.1 + 0.5e6, 1e-4);
    assert_true(isnan(knee_curve_s(&knee_curve_unknown, 50)));

    const double rates[] = { 5, 10, 15, 25, 30 };
    struct knee knee = knee_of(rates, 5, 20, STAGE_USABLE);
    assert_close_relative(knee.curve.c_per_s,
                          knee.rules[KNEE_BY_LATENCY].knee_per_s, 1e-9);
    assert_close_relative(knee_curve_s(&knee.curve, 5), 0.2 + 1. / 20, 0.05);
    knee_release(&knee);
}

static void never_saturated(void **state)
{
    (void)state;
    const double rates[] = { 5, 8, 11, 14 };
    struct knee knee = knee_of(rates, 4, 20, STAGE_USABLE);
    assert_int_equal(knee.together.state, KNEE_ABOVE);
    assert_true(isnan(knee.together.knee_per_s));
    assert_close(knee.held_per_s, 14, 0);
    assert_true(isinf(knee.saturated_per_s));
    knee_release(&knee);
}

static void saturated_from_the_first_stage(void **state)
{
    (void)state;
    const double rates[] = { 25, 30 };
    struct knee knee = knee_of(rates, 2, 20, STAGE_USABLE);
    assert_int_equal(knee.together.state, KNEE_BELOW);
    assert_close_relative(knee.together.knee_per_s, 20.0, 0.01);
    assert_close(knee.held_per_s, 0, 0);
    knee_release(&knee);
}

/* A stage that the client spoiled looks saturated, and must not count. */
static void a_slow_client_is_no_evidence(void **state)
{
    (void)state;
    const double rates[] = { 5, 10, 15, 30 };
    struct knee knee = knee_of(rates, 4, 20, STAGE_CLIENT);
    assert_int_equal(knee.together.state, KNEE_ABOVE);
    assert_int_equal(knee.usable, 3);
    assert_false(knee.signs[3].grows || knee.signs[3].falls_short);
    knee_release(&knee);
}

static void failing_stages_are_named(void **state)
{
    (void)state;
    const double rates[] = { 5, 10, 15, 30 };
    struct knee knee = knee_of(rates, 4, 20, STAGE_FAILING);
    assert_close(knee.failing_per_s, 30, 0);
    assert_int_equal(knee.together.state, KNEE_ABOVE);
    knee_release(&knee);
}

static void nothing_to_go_by(void **state)
{
    (void)state;
    struct knee_limits limits = KNEE_LIMITS_INIT;
    struct stage_evidence none = { .planned_per_s = 5, .use = STAGE_SPARSE };
    struct knee knee;
    knee_find(&knee, &none, 1, &limits);
    assert_int_equal(knee.together.state, KNEE_UNKNOWN);
    assert_true(knee.together.why[0] != '\0');
    knee_release(&knee);
    knee_find(&knee, NULL, 0, &limits);
    assert_int_equal(knee.together.state, KNEE_UNKNOWN);
    knee_release(&knee);
    double one = 30;
    knee = knee_of(&one, 1, 20, STAGE_USABLE);
    assert_int_equal(knee.together.state, KNEE_BELOW);
    assert_int_equal(knee.rules[KNEE_BY_SEGMENTS].state, KNEE_UNKNOWN);
    assert_int_equal(knee.rules[KNEE_BY_LATENCY].state, KNEE_UNKNOWN);
    knee_release(&knee);
}

/* Answers take 100 s in a stage of 10 s: none ends in it, which says nothing of how many
 * the server can give. */
static void a_stage_shorter_than_an_answer_is_no_evidence(void **state)
{
    (void)state;
    enum { REQUESTS = 300 };
    const int64_t second_ns = NS_PER_S;
    struct stage_visit visits[REQUESTS];
    struct stage_evidence evidence = { .planned_per_s = 30, .use = STAGE_USABLE };
    for (int i = 0; i < REQUESTS; i++) {
        int64_t due_ns = i * 10 * second_ns / REQUESTS;
        int64_t end_ns = due_ns + 100 * second_ns;
        visits[i] = (struct stage_visit){ due_ns, due_ns, end_ns, true };
    }
    stage_evidence_fill(&evidence, visits, REQUESTS, 0, 10 * second_ns);
    assert_int_equal(evidence.use, STAGE_SPARSE);
}

/* In a closed loop in-flight is bounded by the generator. */
static void growth_needs_an_open_loop(void **state)
{
    (void)state;
    struct knee_limits limits = KNEE_LIMITS_INIT;
    struct stage_evidence stages[2] = { stage_of(10, 20), stage_of(30, 20) };
    struct knee knee;
    stages[0].closed = true;
    stages[1].closed = true;
    knee_find(&knee, stages, 2, &limits);
    assert_int_equal(knee.rules[KNEE_BY_GROWTH].state, KNEE_UNKNOWN);
    assert_false(knee.signs[1].grows);
    assert_true(knee.signs[1].falls_short);
    knee_release(&knee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_knee_within_the_range),
        cmocka_unit_test(the_fitted_curve),
        cmocka_unit_test(never_saturated),
        cmocka_unit_test(saturated_from_the_first_stage),
        cmocka_unit_test(a_slow_client_is_no_evidence),
        cmocka_unit_test(failing_stages_are_named),
        cmocka_unit_test(nothing_to_go_by),
        cmocka_unit_test(a_stage_shorter_than_an_answer_is_no_evidence),
        cmocka_unit_test(growth_needs_an_open_loop),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}
