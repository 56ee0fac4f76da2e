/* Which stage comes next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "replay/sweep.h"
#include "tests/unit/assert_close.h"

enum { STAGES_MAX = 64 };

/* Stages as a server of this capacity would judge them. */
struct course {
    struct profile_stage stages[STAGES_MAX];
    size_t count;
};

static void follow(struct course *course, const struct sweep *sweep,
                   double capacity_per_s, enum stage_finding beyond)
{
    course->count = 0;
    struct profile_stage *next = &course->stages[0];
    while (sweep_next(sweep, course->stages, course->count, next)) {
        next->finished = true;
        next->finding = next->rate_per_s > capacity_per_s ? beyond : STAGE_HELD;
        course->count++;
        assert_true(course->count < STAGES_MAX);
        next = &course->stages[course->count];
    }
}

static const struct sweep linear = {
    .kind = SWEEP_LINEAR, .from_per_s = 10, .to_per_s = 100, .stages = 10,
    .refine = 2, .repetitions = 1, .stop_at_saturation = true,
};

static void expect_rates(const struct course *course, const double *rates_per_s,
                         size_t count)
{
    assert_int_equal(course->count, count);
    for (size_t i = 0; i < count; i++)
        assert_close(course->stages[i].rate_per_s, rates_per_s[i], 1e-9);
}

static void rates_of_both_kinds(void **state)
{
    (void)state;
    struct sweep geometric = linear;
    geometric.kind = SWEEP_GEOMETRIC;
    geometric.to_per_s = 80;
    geometric.stages = 4;
    assert_close(sweep_rate(&linear, 0), 10, 0);
    assert_close(sweep_rate(&linear, 4), 50, 1e-12);
    assert_close(sweep_rate(&linear, 9), 100, 1e-12);
    assert_close(sweep_rate(&geometric, 1), 20, 1e-9);
    assert_close(sweep_rate(&geometric, 2), 40, 1e-9);
    assert_close(sweep_rate(&geometric, 3), 80, 1e-9);
    geometric.stages = 1;
    assert_close(sweep_rate(&geometric, 0), 10, 0);
}

/* Two saturated stages end the rise, then the gap below them is halved. */
static void rise_and_bisection(void **state)
{
    (void)state;
    struct course course;
    follow(&course, &linear, 34, STAGE_SATURATED);
    const double rates[] = { 10, 20, 30, 40, 50, 35, 32.5 };
    expect_rates(&course, rates, 7);
    assert_int_equal(course.stages[4].purpose, STAGE_SWEEP);
    assert_int_equal(course.stages[5].purpose, STAGE_REFINE);
}

static void bisection_by_the_geometric_mean(void **state)
{
    (void)state;
    struct sweep sweep = linear;
    struct course course;
    sweep.kind = SWEEP_GEOMETRIC;
    sweep.to_per_s = 160;
    sweep.stages = 3;
    sweep.refine = 1;
    follow(&course, &sweep, 39, STAGE_SATURATED);
    const double rates[] = { 10, 40, 160, 20 };
    expect_rates(&course, rates, 4);
}

/* Of a broken stage nothing can be learnt by going on. */
static void failures_end_the_rise_at_once(void **state)
{
    (void)state;
    struct sweep sweep = linear;
    struct course course;
    sweep.refine = 0;
    follow(&course, &sweep, 34, STAGE_CLIENT_LIMITED);
    assert_int_equal(course.count, 4);
    follow(&course, &sweep, 34, STAGE_FAILED);
    assert_int_equal(course.count, 4);
}

static void past_saturation_runs_all(void **state)
{
    (void)state;
    struct sweep sweep = linear;
    struct course course;
    sweep.stop_at_saturation = false;
    sweep.refine = 0;
    follow(&course, &sweep, 5, STAGE_SATURATED);
    assert_int_equal(course.count, 10);
    follow(&course, &sweep, 5, STAGE_CLIENT_LIMITED);
    assert_int_equal(course.count, 10);
}

static void nothing_to_bisect(void **state)
{
    (void)state;
    struct course course;
    follow(&course, &linear, 1000, STAGE_SATURATED); /* never saturates */
    assert_int_equal(course.count, 10);
    follow(&course, &linear, 5, STAGE_SATURATED); /* at once */
    assert_int_equal(course.count, 2);
}

static void repetitions(void **state)
{
    (void)state;
    struct sweep sweep = linear;
    struct course course;
    sweep.repetitions = 3;
    sweep.refine = 1;
    follow(&course, &sweep, 15, STAGE_SATURATED);
    const double rates[] = { 10, 10, 10, 20, 20, 20, 30, 30, 30, 15, 15, 15 };
    expect_rates(&course, rates, 12);
    assert_int_equal(course.stages[4].repetition, 1);
    assert_int_equal(course.stages[11].repetition, 2);
}

/* A resumed sweep asks for what is missing, and passes over the ladder. */
static void unfinished_and_ladder_stages_do_not_count(void **state)
{
    (void)state;
    struct profile_stage stages[] = {
        { .purpose = STAGE_LADDER, .finished = true, .concurrency = 1 },
        { .purpose = STAGE_SWEEP, .rate_per_s = 10, .finished = true },
        { .purpose = STAGE_SWEEP, .rate_per_s = 20, .finished = false },
    };
    struct profile_stage next;
    assert_true(sweep_next(&linear, stages, 3, &next));
    assert_close(next.rate_per_s, 20, 1e-12);
}

static void ladder(void **state)
{
    (void)state;
    const double throughput_per_s[] = { 10, 20, 38, 39 };
    assert_true(ladder_goes_on(throughput_per_s, 0));
    assert_true(ladder_goes_on(throughput_per_s, 1));
    assert_true(ladder_goes_on(throughput_per_s, 3));
    assert_false(ladder_goes_on(throughput_per_s, 4));
    double rising[LADDER_STEPS_MAX];
    for (size_t i = 0; i < LADDER_STEPS_MAX; i++)
        rising[i] = (double)(1 << i);
    assert_false(ladder_goes_on(rising, LADDER_STEPS_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_both_kinds),
        cmocka_unit_test(rise_and_bisection),
        cmocka_unit_test(bisection_by_the_geometric_mean),
        cmocka_unit_test(failures_end_the_rise_at_once),
        cmocka_unit_test(past_saturation_runs_all),
        cmocka_unit_test(nothing_to_bisect),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(unfinished_and_ladder_stages_do_not_count),
        cmocka_unit_test(ladder),
    };
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
