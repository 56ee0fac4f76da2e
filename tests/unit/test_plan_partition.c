/* Which worker a request belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan_making.h"

enum { SESSIONS = 10000, ROWS = 40000, WORKERS_MAX = 7 };

/* Interleaved turns of 10,000 sessions, and every fifth row without a session. */
static void write_sessions(void)
{
    FILE *file = fopen("trace", "w");
    assert_non_null(file);
    uint32_t place = 1;
    for (int i = 0; i < ROWS; i++) {
        place = place * 1664525 + 1013904223;
        fprintf(file, "{\"due_ns\":%d,\"input_tokens\":%d,\"output_tokens\":1", i / 3,
                i + 1);
        if (i % 5 != 4)
            fprintf(file, ",\"session\":\"s%u\"", place / 65536 % SESSIONS);
        fprintf(file, "}\n");
    }
    fclose(file);
}

/* Row numbers that each worker would send, in its order: the union is the plan. */
static void check_union(const struct plan *plan, uint32_t workers)
{
    int *sent = calloc(plan->count, sizeof *sent);
    assert_non_null(sent);
    for (uint32_t worker = 0; worker < workers; worker++) {
        for (size_t i = 0; i < plan->count; i++)
            sent[i] += plan_worker_of(plan, i, workers) == worker;
    }
    for (size_t i = 0; i < plan->count; i++)
        assert_int_equal(sent[i], 1);
    free(sent);
}

static void check_sessions(const struct plan *plan, uint32_t workers)
{
    uint32_t *worker_of = malloc(plan->sessions.count * sizeof *worker_of);
    uint32_t *next_turn = calloc(plan->sessions.count, sizeof *next_turn);
    assert_non_null(worker_of);
    assert_non_null(next_turn);
    int64_t due_ns = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_request *request = &plan->requests[i];
        assert_true(request->due_ns >= due_ns);
        due_ns = request->due_ns;
        if (request->session == SESSION_NONE)
            continue;
        uint32_t worker = plan_worker_of(plan, i, workers);
        assert_true(worker < workers);
        if (request->turn == 0)
            worker_of[request->session] = worker;
        assert_int_equal(worker_of[request->session], worker);
        assert_int_equal(request->turn, next_turn[request->session]++);
    }
    free(worker_of);
    free(next_turn);
}

static void workers_united_are_the_plan(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 1, 2, 3, WORKERS_MAX };
    struct plan_options options = plan_defaults();
    write_sessions();
    struct plan plan = make_plan(&options);
    assert_int_equal(plan.count, ROWS);
    assert_in_range(plan.sessions.count, SESSIONS / 2, SESSIONS);
    for (size_t i = 0; i < 4; i++) {
        check_union(&plan, counts[i]);
        check_sessions(&plan, counts[i]);
    }
    plan_release(&plan);
}

static void order_within_a_session_is_that_of_the_file(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    write_sessions();
    struct plan plan = make_plan(&options);
    uint32_t *input = calloc(plan.sessions.count, sizeof *input);
    assert_non_null(input);
    for (size_t i = 0; i < plan.count; i++) {
        const struct plan_request *request = &plan.requests[i];
        if (request->session == SESSION_NONE)
            continue;
        assert_true(request->input_tokens > input[request->session]);
        input[request->session] = request->input_tokens;
    }
    free(input);
    plan_release(&plan);
}

static void rows_without_sessions_go_round(void **state)
{
    (void)state;
    struct plan_request requests[6];
    struct plan plan = { .requests = requests, .count = 6 };
    for (size_t i = 0; i < 6; i++) {
        requests[i] = (struct plan_request){ .session = SESSION_NONE };
        assert_int_equal(plan_worker_of(&plan, i, 3), i % 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_united_are_the_plan),
        cmocka_unit_test(order_within_a_session_is_that_of_the_file),
        cmocka_unit_test(rows_without_sessions_go_round),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
