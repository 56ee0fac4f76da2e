/* From a trace to a plan: each transformation, their order, the hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan_making.h"
#include "replay/plan_rows.h"

/* Five rows at 0, 1, 2, 4 and 8 s; input 10, 20, … */
#define ROW(s, in, out) \
    "{\"due_ns\":" #s "e9,\"input_tokens\":" #in ",\"output_tokens\":" #out "}\n"
static const char five[] = ROW(0, 10, 1) ROW(1, 20, 2) ROW(2, 30, 3) ROW(4, 40, 4)
    ROW(8, 50, 5);

static const int64_t S = 1000000000;

/* Input lengths and due times in ms of all requests: "10@0 20@1000". */
static const char *shape(const struct plan *plan)
{
    static char text[512];
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < plan->count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u@%lld",
                                i > 0 ? " " : "", plan->requests[i].input_tokens,
                                (long long)(plan->requests[i].due_ns / 1000000));
    return text;
}

static void expect_shape(const struct plan_options *options, const char *expected)
{
    struct plan plan = plan_from_text(five, options);
    assert_string_equal(shape(&plan), expected);
    plan_release(&plan);
}

static void a_trace_is_its_own_plan(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    expect_shape(&options, "10@0 20@1000 30@2000 40@4000 50@8000");
}

static void windows_start_at_zero(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.start_ns = S / 2;
    expect_shape(&options, "20@500 30@1500 40@3500 50@7500");
    options.duration_ns = 7 * S / 2;
    expect_shape(&options, "20@500 30@1500");
    options.start_ns = S;
    options.duration_ns = 3 * S;
    expect_shape(&options, "20@0 30@1000");
    options.start_ns = 9 * S;
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "trace: the options leave none of its 5 rows");
}

static void limit_keeps_the_first_rows_of_the_window(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.start_ns = S;
    options.limit = 2;
    expect_shape(&options, "20@0 30@1000");
    options.limit = 100;
    expect_shape(&options, "20@0 30@1000 40@3000 50@7000");
}

static void lengths_are_clipped_and_counted(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.max_input = 30;
    options.max_output = 2;
    struct plan plan = plan_from_text(five, &options);
    assert_string_equal(shape(&plan), "10@0 20@1000 30@2000 30@4000 30@8000");
    assert_int_equal(plan.clipped_input, 2);
    assert_int_equal(plan.clipped_output, 3);
    assert_int_equal(plan.requests[4].output_tokens, 2);
    assert_int_equal(plan.requests[0].output_tokens, 1);
    plan_release(&plan);
}

static void clipped_prompts_need_fewer_blocks(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.max_input = 9;
    struct plan plan = plan_from_text("{\"input_tokens\":20,\"output_tokens\":1,"
                                      "\"due_ns\":0,"
                                      "\"hash_ids\":[7,8,9],\"block_tokens\":8}\n",
                                      &options);
    assert_int_equal(plan.requests[0].block_count, 2);
    plan_release(&plan);
}

static void copies_follow_after_a_mean_gap(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.limit = 3;
    options.repeat = 2;
    expect_shape(&options, "10@0 20@1000 30@2000 10@3000 20@4000 30@5000");
    options.limit = 0;
    options.duration_ns = 3 * S;
    expect_shape(&options, "10@0 20@1000 30@2000 10@3000 20@4000 30@5000");
    options.limit = 1;
    options.duration_ns = 0;
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--repeat: one row has no period, expected --duration with it");
}

static void speed_divides_times(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.speed = 4;
    expect_shape(&options, "10@0 20@250 30@500 40@1000 50@2000");
    options.speed = 0.5;
    expect_shape(&options, "10@0 20@2000 30@4000 40@8000 50@16000");
    options.speed = 1e-8;
    struct plan plan = make_plan(&options);
    /* 10^-8 is no double: the product is off by a few parts in 10^16. */
    assert_in_range(plan.requests[4].due_ns, 800000000 * S - 100, 800000000 * S + 100);
    plan_release(&plan);
    options.speed = 1e-10;
    expect_plan_refusal(&options, STATUS_LIMIT,
                        "times slowed down this much do not fit 63 bits of ns");
}

static void nothing_is_due_too_late(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    const char *text = ROW(0, 1, 1) "{\"due_ns\":4611686018427387904,\"input_tokens\":1,"
                                    "\"output_tokens\":1}\n";
    scratch_write("trace", text, strlen(text));
    expect_plan_refusal(&options, STATUS_LIMIT,
                        "the last request is due after 4611686018427387904 ns, expected "
                        "at most 4611686018427387903");
    options.limit = 1;
    struct plan plan = make_plan(&options);
    plan_release(&plan);
}

/* The end of an answer and a think time are added up. */
static void no_turn_waits_too_long(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    const char *text = "{\"due_ns\":0,\"input_tokens\":1,\"output_tokens\":1,"
                       "\"session\":\"a\"}\n"
                       "{\"due_ns\":0,\"input_tokens\":1,\"output_tokens\":1,"
                       "\"session\":\"a\",\"think_ns\":4611686018427387904}\n";
    scratch_write("trace", text, strlen(text));
    expect_plan_refusal(&options, STATUS_LIMIT,
                        "request 1 waits 4611686018427387904 ns for its turn, expected "
                        "at most 4611686018427387903");
    options.think_time = "none";
    struct plan plan = make_plan(&options);
    plan_release(&plan);
}

static void rate_makes_the_mean(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    /* Four gaps in 8 s are 0.5/s. */
    options.rate_per_s = 2;
    expect_shape(&options, "10@0 20@250 30@500 40@1000 50@2000");
    options.limit = 1;
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "--rate: 1 rows without a span of time have no rate");
    options.limit = 0;
    options.speed = 2;
    expect_plan_refusal(&options, STATUS_USAGE, "--speed and --rate: expected only one");
}

static void speed_is_exact_where_doubles_are_not(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.speed = 3;
    struct plan plan = plan_from_text("{\"due_ns\":900000000000000003,\"input_tokens\":1,"
                                      "\"output_tokens\":1}\n",
                                      &options);
    assert_true(plan.requests[0].due_ns == 300000000000000001);
    plan_release(&plan);
}

static void traces_merge_by_time(void **state)
{
    (void)state;
    const char *names[] = { "second" };
    const char *second = "{\"due_ns\":0,\"input_tokens\":1,\"output_tokens\":1,"
                         "\"session\":\"s\",\"hash_ids\":[5],\"block_tokens\":16}\n"
                         "{\"due_ns\":1500000000,\"input_tokens\":2,"
                         "\"output_tokens\":1}\n";
    scratch_write("second", second, strlen(second));
    struct plan_options options = plan_defaults();
    options.merge = (struct option_list){ .items = names, .count = 1 };
    struct plan plan = plan_from_text(five, &options);
    assert_string_equal(shape(&plan),
                        "10@0 1@0 20@1000 2@1500 30@2000 40@4000 50@8000");
    assert_int_equal(plan.requests[1].source, 1);
    assert_string_equal(plan_session_name(&plan, plan.requests[1].session), "s+1");
    struct block_cursor blocks = plan_blocks(&plan, &plan.requests[1]);
    assert_true(block_cursor_next(&blocks) != 5);
    assert_int_equal(plan.report.read, 7);
    plan_release(&plan);
}

static void samples_keep_whole_sessions(void **state)
{
    (void)state;
    enum { SESSIONS = 1000, TURNS = 3 };
    FILE *file = fopen("trace", "w");
    assert_non_null(file);
    for (int i = 0; i < SESSIONS * TURNS; i++)
        fprintf(file,
                "{\"due_ns\":%d,\"input_tokens\":1,\"output_tokens\":1,"
                "\"session\":\"%d\"}\n",
                i, i % SESSIONS);
    fclose(file);
    struct plan_options options = plan_defaults();
    options.sample = 0.3;
    struct plan plan = make_plan(&options);
    /* Binomial: 300 ± 14.5; outside 4 sd once in 16,000 seeds. */
    assert_in_range(plan.sessions.count, 300 - 58, 300 + 58);
    assert_int_equal(plan.count, TURNS * plan.sessions.count);
    options.sample = 0.6;
    struct plan more = make_plan(&options);
    for (uint32_t i = 0; i < plan.sessions.count; i++) {
        const char *name = plan_session_name(&plan, i);
        assert_true(name_table_find(&more.sessions, name, strlen(name)) != NAME_NONE);
    }
    plan_release(&more);
    plan_release(&plan);
}

static void think_times_are_set_and_scaled(void **state)
{
    (void)state;
    const char *text = "{\"due_ns\":0,\"input_tokens\":1,\"output_tokens\":1,"
                       "\"session\":1}\n"
                       "{\"due_ns\":10,\"input_tokens\":1,\"output_tokens\":1,"
                       "\"session\":1,"
                       "\"think_ns\":8000}\n"
                       "{\"due_ns\":20,\"input_tokens\":1,\"output_tokens\":1,"
                       "\"session\":1,"
                       "\"think_ns\":null}\n";
    struct plan_options options = plan_defaults();
    options.speed = 2;
    static const struct {
        const char *think_time;
        int64_t second;
        int64_t third;
    } cases[] = {
        { "trace", 4000, THINK_NONE },
        { "none", 0, THINK_NONE },
        { "3us", 3000, 3000 },
    };
    for (size_t i = 0; i < 3; i++) {
        options.think_time = cases[i].think_time;
        struct plan plan = plan_from_text(text, &options);
        assert_int_equal(plan.requests[0].think_ns, THINK_NONE);
        assert_int_equal(plan.requests[1].think_ns, cases[i].second);
        assert_int_equal(plan.requests[2].think_ns, cases[i].third);
        plan_release(&plan);
    }
    options.think_time = "long";
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--think-time: \"long\", expected trace, none or a duration");
}

static void the_hash_covers_what_is_sent(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":6,\"session\":\"a\"",
        "\"due_ns\":2,\"input_tokens\":5,\"output_tokens\":6,\"session\":\"a\"",
        "\"due_ns\":1,\"input_tokens\":4,\"output_tokens\":6,\"session\":\"a\"",
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":7,\"session\":\"a\"",
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":6",
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":6,\"hash_ids\":[1],"
        "\"block_tokens\":8",
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":6,\"hash_ids\":[2],"
        "\"block_tokens\":8",
        "\"due_ns\":1,\"input_tokens\":5,\"output_tokens\":6,\"hash_ids\":[2],"
        "\"block_tokens\":9",
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    struct plan_options options = plan_defaults();
    char hashes[COUNT + 1][PLAN_HASH_TEXT];
    for (size_t i = 0; i <= COUNT; i++) {
        char text[256];
        snprintf(text, sizeof text, "{%s}\n", rows[i % COUNT]);
        options.seed = i == COUNT ? 2 : 1;
        struct plan plan = plan_from_text(text, &options);
        assert_int_equal(strlen(plan.hash), 16);
        memcpy(hashes[i], plan.hash, sizeof hashes[i]);
        plan_release(&plan);
    }
    for (size_t i = 0; i <= COUNT; i++) {
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hashes[i], hashes[k]);
    }
}

/* The text of a plan. Caller releases. */
static struct buffer text_of(const struct plan *plan)
{
    struct buffer text = BUFFER_INIT;
    for (size_t i = 0; i < plan->count; i++)
        plan_row_append(&text, plan, i);
    return text;
}

static void a_printed_plan_reads_back_as_itself(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.prompts = "trace";
    options.start_ns = 5;
    struct plan plan = plan_from_text(
        "{\"due_ns\":3,\"input_tokens\":1,\"output_tokens\":1}\n"
        "{\"due_ns\":7,\"input_tokens\":90,\"output_tokens\":2,"
        "\"session\":\"q\\\"\\n\"}\n"
        "{\"due_ns\":8,\"input_tokens\":40,\"output_tokens\":3,\"session\":\"q\\\"\\n\","
        "\"think_ns\":77,\"hash_ids\":[18446744073709551615,0,5],\"block_tokens\":16}\n"
        "{\"due_ns\":9,\"input_tokens\":5,\"output_tokens\":4,\"session\":\"q\\\"\\n\","
        "\"think_ns\":null,\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\"}]}\n",
        &options);
    struct buffer first = text_of(&plan);
    options.start_ns = 0;
    struct plan again = plan_from_text(buffer_text(&first), &options);
    assert_string_equal(again.hash, plan.hash);
    assert_int_equal(again.count, 3);
    assert_int_equal(again.requests[0].due_ns, 2);
    buffer_release(&first);
    plan_release(&again);
    plan_release(&plan);
}

static void traces_without_times_need_a_closed_loop(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    const char *text = "num_prefill_tokens,num_decode_tokens\n5,6\n7,8\n";
    scratch_write("trace", text, strlen(text));
    expect_plan_refusal(&options, STATUS_USAGE,
                        "trace has no times: expected --arrivals LAW or a closed loop");
    options.allow_untimed = true;
    struct plan plan = make_plan(&options);
    assert_string_equal(shape(&plan), "5@0 7@0");
    assert_false(plan.has_times);
    plan_release(&plan);
}

static void nothing_to_send(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.trace = NULL;
    expect_plan_refusal(&options, STATUS_USAGE,
                        "nothing to send: expected --trace FILE or --arrivals LAW");
    options.trace = "absent";
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "cannot open absent: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_its_own_plan),
        cmocka_unit_test(windows_start_at_zero),
        cmocka_unit_test(limit_keeps_the_first_rows_of_the_window),
        cmocka_unit_test(lengths_are_clipped_and_counted),
        cmocka_unit_test(clipped_prompts_need_fewer_blocks),
        cmocka_unit_test(copies_follow_after_a_mean_gap),
        cmocka_unit_test(speed_divides_times),
        cmocka_unit_test(nothing_is_due_too_late),
        cmocka_unit_test(no_turn_waits_too_long),
        cmocka_unit_test(rate_makes_the_mean),
        cmocka_unit_test(speed_is_exact_where_doubles_are_not),
        cmocka_unit_test(traces_merge_by_time),
        cmocka_unit_test(samples_keep_whole_sessions),
        cmocka_unit_test(think_times_are_set_and_scaled),
        cmocka_unit_test(the_hash_covers_what_is_sent),
        cmocka_unit_test(a_printed_plan_reads_back_as_itself),
        cmocka_unit_test(traces_without_times_need_a_closed_loop),
        cmocka_unit_test(nothing_to_send),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
