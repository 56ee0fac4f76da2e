#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "formats/base/clock.h"
#include "replay/limits.h"

static struct plan_request request_at(int64_t due_s, uint32_t output_tokens)
{
    return (struct plan_request){ .due_ns = due_s * NS_PER_S,
                                  .output_tokens = output_tokens,
                                  .session = SESSION_NONE };
}

/* Each turn but a first waits for the answer before and 1 s more. */
static struct plan_request turn_at(int64_t due_s, uint32_t session, uint32_t turn)
{
    struct plan_request request = request_at(due_s, 160); /* 10 s long */
    request.session = session;
    request.turn = turn;
    request.think_ns = turn > 0 ? NS_PER_S : THINK_NONE;
    return request;
}

static void test_an_empty_plan(void **state)
{
    (void)state;
    struct plan plan = { 0 };
    assert_int_equal(limits_open_expected(&plan, 0), 0);
}

static void test_all_at_once(void **state)
{
    (void)state;
    struct plan_request requests[50];
    for (int at = 0; at < 50; at++)
        requests[at] = request_at(0, 1);
    struct plan plan = { .requests = requests, .count = 50 };
    assert_int_equal(limits_open_expected(&plan, 0), 50);
}

/* One request a second, each 2 s + 160 x 50 ms = 10 s long: ten run when the next one
 * starts. */
static void test_a_steady_rate(void **state)
{
    (void)state;
    struct plan_request requests[100];
    for (int at = 0; at < 100; at++)
        requests[at] = request_at(at, 160);
    struct plan plan = { .requests = requests, .count = 100 };
    assert_int_equal(limits_open_expected(&plan, 0), 11);
    /* A time limit of 3 s ends them earlier. */
    assert_int_equal(limits_open_expected(&plan, 3 * (int64_t)NS_PER_S), 4);
}

/* Sessions of three turns, 32 s long, one every 20 s, each listed at its start: two at a
 * time, not three times as many. */
static void test_turns_share_the_stream_of_their_session(void **state)
{
    (void)state;
    enum { SESSIONS = 20, TURNS = 3 };
    struct plan_request requests[SESSIONS * TURNS];
    struct plan plan = { .requests = requests, .count = SESSIONS * TURNS };
    for (uint32_t at = 0; at < SESSIONS * TURNS; at++) {
        char name = (char)('A' + at / TURNS);
        name_table_add(&plan.sessions, &name, 1);
        requests[at] = turn_at(20 * (at / TURNS), at / TURNS, at % TURNS);
    }
    assert_int_equal(limits_open_expected(&plan, 0), 2);
    name_table_release(&plan.sessions);
}

static void test_more_descriptors_than_there_are(void **state)
{
    (void)state;
    struct fault fault = { "" };
    assert_int_equal(limits_check(UINT64_C(1) << 40, 1, 0, &fault), STATUS_IO);
    assert_non_null(strstr(fault.text, "--max-open"));
    fault.text[0] = '\0';
    assert_int_equal(limits_check(10, 2, 0, &fault), STATUS_OK);
    assert_string_equal(fault.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_plan),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_a_steady_rate),
        cmocka_unit_test(test_turns_share_the_stream_of_their_session),
        cmocka_unit_test(test_more_descriptors_than_there_are),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
