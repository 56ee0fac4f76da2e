#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "replay/schedule.h"

/* A plan whose request i is due at i ms, with sessions as given: session, think_ns per
 * request. */
struct planned {
    uint32_t session;
    int64_t think_ns;
};

static struct plan make_plan(const struct planned *planned, size_t count)
{
    struct plan plan = { .requests = calloc(count + 1, sizeof(struct plan_request)),
                         .count = count };
    for (size_t at = 0; at < count; at++) {
        struct plan_request *request = &plan.requests[at];
        request->due_ns = (int64_t)at * 1000000;
        request->session = planned[at].session;
        request->think_ns = planned[at].think_ns;
        request->output_tokens = 1;
        for (size_t before = 0; before < at; before++)
            if (planned[before].session == planned[at].session)
                request->turn++;
        if (request->session == SESSION_NONE)
            request->turn = 0;
    }
    return plan;
}

static const struct planned alone = { SESSION_NONE, THINK_NONE };

static struct plan make_plain_plan(size_t count)
{
    struct planned *planned = calloc(count + 1, sizeof *planned);
    for (size_t at = 0; at < count; at++)
        planned[at] = alone;
    struct plan plan = make_plan(planned, count);
    free(planned);
    return plan;
}

static void assert_next(struct schedule *schedule, size_t index, int64_t due_ns)
{
    size_t next;
    int64_t next_due_ns;
    assert_true(schedule_next(schedule, &next, &next_due_ns));
    assert_int_equal(next, index);
    assert_int_equal(next_due_ns, due_ns);
    schedule_take(schedule);
}

static void assert_nothing_due(struct schedule *schedule)
{
    size_t next;
    int64_t next_due_ns;
    assert_false(schedule_next(schedule, &next, &next_due_ns));
}

static void test_slots_sum_to_the_concurrency(void **state)
{
    (void)state;
    for (uint64_t concurrency = 1; concurrency < 40; concurrency++)
        for (uint32_t workers = 1; workers < 9; workers++) {
            uint64_t sum = 0;
            for (uint32_t worker = 0; worker < workers; worker++)
                sum += schedule_slots(concurrency, worker, workers);
            assert_int_equal(sum, concurrency);
        }
    assert_int_equal(schedule_slots(7, 0, 4), 2);
    assert_int_equal(schedule_slots(7, 3, 4), 1);
}

static void test_shares_are_a_partition(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct planned planned[COUNT];
    for (size_t at = 0; at < COUNT; at++)
        planned[at] =
            at % 3 == 0 ? alone : (struct planned){ (uint32_t)(at % 17), THINK_NONE };
    struct plan plan = make_plan(planned, COUNT);
    static const uint32_t worker_counts[] = { 1, 2, 3, 7 };
    for (size_t which = 0; which < 4; which++) {
        int seen[COUNT] = { 0 };
        for (uint32_t worker = 0; worker < worker_counts[which]; worker++) {
            struct schedule_options options = { .worker = worker,
                                                .workers = worker_counts[which] };
            struct schedule *schedule = schedule_create(&plan, &options);
            size_t index;
            int64_t due_ns;
            int64_t last_ns = -1;
            while (schedule_next(schedule, &index, &due_ns)) {
                assert_int_equal(due_ns, plan.requests[index].due_ns);
                assert_true(due_ns > last_ns);
                last_ns = due_ns;
                seen[index]++;
                schedule_take(schedule);
            }
            assert_true(schedule_is_over(schedule));
            schedule_free(schedule);
        }
        for (size_t at = 0; at < COUNT; at++)
            assert_int_equal(seen[at], 1);
    }
    free(plan.requests);
}

static void test_a_turn_waits_for_the_answer_before(void **state)
{
    (void)state;
    const struct planned planned[] = {
        { 0, THINK_NONE }, alone, { 0, 5000 }, { 0, 7000000 }
    };
    struct plan plan = make_plan(planned, 4);
    struct schedule_options options = { .workers = 1 };
    struct schedule *schedule = schedule_create(&plan, &options);
    assert_next(schedule, 0, 0);
    assert_next(schedule, 1, 1000000);
    assert_nothing_due(schedule);
    assert_false(schedule_is_over(schedule));
    /* Answered early: the plan's own time holds. */
    schedule_finished(schedule, 0, 100, false);
    assert_next(schedule, 2, 2000000);
    /* Answered late: the think time holds. */
    schedule_finished(schedule, 2, 9000000, false);
    assert_next(schedule, 3, 16000000);
    assert_true(schedule_is_over(schedule));
    schedule_free(schedule);
    free(plan.requests);
}

static void test_a_failed_turn_can_end_its_session(void **state)
{
    (void)state;
    const struct planned planned[] = { { 0, THINK_NONE }, { 0, 0 }, { 0, 0 }, alone };
    struct plan plan = make_plan(planned, 4);
    struct schedule_options options = { .workers = 1, .failed_turn = FAILED_TURN_STOP };
    struct schedule *schedule = schedule_create(&plan, &options);
    assert_next(schedule, 0, 0);
    schedule_finished(schedule, 0, 10, true);
    assert_next(schedule, 3, 3000000);
    assert_nothing_due(schedule);
    assert_true(schedule_is_over(schedule));
    size_t unsent;
    assert_true(schedule_next_unsent(schedule, &unsent));
    assert_int_equal(unsent, 1);
    assert_true(schedule_next_unsent(schedule, &unsent));
    assert_int_equal(unsent, 2);
    assert_false(schedule_next_unsent(schedule, &unsent));
    schedule_free(schedule);
    free(plan.requests);
}

static void test_closed_loop_keeps_its_slots(void **state)
{
    (void)state;
    struct plan plan = make_plain_plan(5);
    struct schedule_options options = { .workers = 1, .slots = 2 };
    struct schedule *schedule = schedule_create(&plan, &options);
    assert_next(schedule, 0, 0);
    assert_next(schedule, 1, 0);
    assert_nothing_due(schedule);
    schedule_finished(schedule, 1, 300, false);
    assert_next(schedule, 2, 300);
    assert_nothing_due(schedule);
    schedule_finished(schedule, 0, 400, false);
    schedule_finished(schedule, 2, 500, false);
    assert_next(schedule, 3, 400);
    assert_next(schedule, 4, 500);
    assert_true(schedule_is_over(schedule));
    schedule_free(schedule);
    free(plan.requests);
}

static void test_a_thinking_session_does_not_hold_a_slot(void **state)
{
    (void)state;
    const struct planned planned[] = { { 0, THINK_NONE }, { 0, 1000 }, alone };
    struct plan plan = make_plan(planned, 3);
    struct schedule_options options = { .workers = 1, .slots = 1 };
    struct schedule *schedule = schedule_create(&plan, &options);
    assert_next(schedule, 0, 0);
    schedule_finished(schedule, 0, 50, false);
    assert_next(schedule, 2, 50);
    schedule_finished(schedule, 2, 2000, false);
    assert_next(schedule, 1, 2000);
    assert_true(schedule_is_over(schedule));
    schedule_free(schedule);
    free(plan.requests);
}

static void test_bodies_are_asked_in_the_order_of_sending(void **state)
{
    (void)state;
    const struct planned planned[] = { alone, { 0, THINK_NONE }, alone, { 0, 0 }, alone };
    struct plan plan = make_plan(planned, 5);
    struct schedule_options options = { .workers = 1 };
    struct schedule *schedule = schedule_create(&plan, &options);
    size_t index;
    assert_true(schedule_next_body(schedule, 2, &index));
    assert_int_equal(index, 0);
    assert_true(schedule_next_body(schedule, 2, &index));
    assert_int_equal(index, 1);
    assert_false(schedule_next_body(schedule, 2, &index));
    assert_next(schedule, 0, 0);
    assert_true(schedule_next_body(schedule, 2, &index));
    assert_int_equal(index, 2);
    /* The second turn's body is wanted as soon as the first is under way. */
    assert_next(schedule, 1, 1000000);
    assert_true(schedule_next_body(schedule, 2, &index));
    assert_int_equal(index, 3);
    assert_true(schedule_next_body(schedule, 2, &index));
    assert_int_equal(index, 4);
    assert_false(schedule_next_body(schedule, 2, &index));
    schedule_free(schedule);
    free(plan.requests);
}

static void test_an_empty_share(void **state)
{
    (void)state;
    struct plan plan = make_plain_plan(1);
    struct schedule_options options = { .worker = 1, .workers = 2 };
    struct schedule *schedule = schedule_create(&plan, &options);
    assert_int_equal(schedule_count(schedule), 0);
    assert_true(schedule_is_over(schedule));
    assert_nothing_due(schedule);
    schedule_free(schedule);
    free(plan.requests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_sum_to_the_concurrency),
        cmocka_unit_test(test_shares_are_a_partition),
        cmocka_unit_test(test_a_turn_waits_for_the_answer_before),
        cmocka_unit_test(test_a_failed_turn_can_end_its_session),
        cmocka_unit_test(test_closed_loop_keeps_its_slots),
        cmocka_unit_test(test_a_thinking_session_does_not_hold_a_slot),
        cmocka_unit_test(test_bodies_are_asked_in_the_order_of_sending),
        cmocka_unit_test(test_an_empty_share),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
