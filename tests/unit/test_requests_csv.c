/* The CSV formats: Azure, BurstGPT, lengths; bad rows and what is done about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace_reading.h"

#define AZURE "TIMESTAMP,ContextTokens,GeneratedTokens\n"
#define BURST "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"

static void expect_row(const struct request_trace *trace, size_t i, int64_t time_ns,
                       uint32_t input_tokens, uint32_t output_tokens)
{
    assert_true(i < trace->count);
    assert_int_equal(trace->rows[i].time_ns, time_ns);
    assert_int_equal(trace->rows[i].input_tokens, input_tokens);
    assert_int_equal(trace->rows[i].output_tokens, output_tokens);
}

static void azure_2023(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good("TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                  "2023-11-16 18:15:46.6805900,374,44\r\n"
                  "2023-11-16 18:15:50.9951690,396,109",
                  &STRICT);
    assert_int_equal(trace.count, 2);
    expect_row(&trace, 0, 0, 374, 44);
    expect_row(&trace, 1, 4314579000, 396, 109);
    assert_int_equal(trace.rows[1].session, SESSION_NONE);
    assert_true(trace.has_times);
    request_trace_release(&trace);
}

static void azure_2024_and_multimodal(void **state)
{
    (void)state;
    struct request_trace trace = read_good(AZURE "2024-05-10 00:00:00.009930+00:00,1,2\n"
                                                 "2024-05-10 00:00:01+00:00,3,4\n"
                                                 "2024-05-10 02:00:01.5+02:00,5,6\n",
                                           &STRICT);
    expect_row(&trace, 1, 990070000, 3, 4);
    expect_row(&trace, 2, 1490070000, 5, 6);
    request_trace_release(&trace);
    trace = read_good("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
                      "2024-10-15T12:00:00.269Z,0,10,20\n2024-10-15T12:00:01Z,2,30,40\n",
                      &STRICT);
    expect_row(&trace, 1, 731000000, 30, 40);
    request_trace_release(&trace);
}

static void columns_go_by_name(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good("\xef\xbb\xbf" "x,GeneratedTokens,TIMESTAMP,\"ContextTokens\"\n"
                  "\"a,b\",44,2024-05-10 00:00:00,\"374\"\n",
                  &STRICT);
    expect_row(&trace, 0, 0, 374, 44);
    request_trace_release(&trace);
}

static void two_columns_of_one_name_are_ambiguous(void **state)
{
    (void)state;
    const char *text = "TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n"
                       "2024-05-10 00:00:00,1,2,3\n";
    expect_refusal(text, strlen(text),
                   "trace:1:41: a second column \"ContextTokens\" in the header, "
                   "expected one");
}

static void bare_numbers_need_a_unit(void **state)
{
    (void)state;
    const char *text = AZURE "0,1,1\n1.5,2,2\n";
    expect_refusal(text, strlen(text),
                   "trace:2:1: TIMESTAMP is \"0\", expected a date and time, or "
                   "--time-unit "
                   "for bare numbers");
    struct requests_read_options options = { .time_unit = TIME_UNIT_MS };
    struct request_trace trace = read_good(text, &options);
    expect_row(&trace, 1, 1500000, 2, 2);
    request_trace_release(&trace);
}

static void burstgpt(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good(BURST "5,ChatGPT,472,18,490,Conversation log\n"
                        "45,GPT-4,1087,230,1317,API log\n118,GPT-4,417,0,417,API log\n"
                        "118,GPT-4,0,0,0,API log\n",
                  &STRICT);
    assert_int_equal(trace.count, 2);
    expect_row(&trace, 1, 40000000000, 1087, 230);
    assert_int_equal(trace.report.read, 4);
    assert_int_equal(trace.report.refused[REFUSED_ZERO_OUTPUT], 2);
    request_trace_release(&trace);
}

static void burstgpt_3_has_sessions(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total "
        "tokens,Log Type\n"
        "0.5,7,2.25,M,10,20,30,c\n1.0,,1,M,11,21,32,c\n4.0,7,1.0,M,12,22,34,c\n"
        "4.5,7,1.0,M,13,23,36,c\n",
        &STRICT);
    assert_int_equal(trace.rows[0].session, 0);
    assert_int_equal(trace.rows[0].think_ns, THINK_NONE);
    assert_int_equal(trace.rows[1].session, SESSION_NONE);
    /* 4.0 - (0.5 + 2.25); the third turn began before the second answer had ended. */
    assert_int_equal(trace.rows[2].think_ns, 1250000000);
    assert_int_equal(trace.rows[2].turn, 1);
    assert_int_equal(trace.rows[3].think_ns, THINK_NONE);
    assert_int_equal(trace.rows[3].turn, 2);
    request_trace_release(&trace);
}

static void lengths_have_no_times(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good("num_prefill_tokens,num_decode_tokens\n100,5\n7,8.0\n", &STRICT);
    assert_false(trace.has_times);
    expect_row(&trace, 1, 0, 7, 8);
    request_trace_release(&trace);
}

static void zero_output_becomes_one_when_asked(void **state)
{
    (void)state;
    struct requests_read_options options = { .zero_output_one = true };
    struct request_trace trace = read_good(AZURE "2024-05-10 00:00:00,5,0\n"
                                                 "2024-05-10 00:00:01,0,0\n",
                                           &options);
    assert_int_equal(trace.count, 1);
    expect_row(&trace, 0, 0, 5, 1);
    assert_int_equal(trace.report.raised, 1);
    assert_int_equal(trace.report.refused[REFUSED_ZERO_INPUT], 1);
    request_trace_release(&trace);
}

static void unsorted_rows_are_sorted_stably_and_counted(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good(AZURE "2024-05-10 00:00:03,1,1\n2024-05-10 00:00:01,2,1\n"
                        "2024-05-10 00:00:03,3,1\n2024-05-10 00:00:01,4,1\n",
                  &STRICT);
    expect_row(&trace, 0, 0, 2, 1);
    expect_row(&trace, 1, 0, 4, 1);
    expect_row(&trace, 2, 2000000000, 1, 1);
    expect_row(&trace, 3, 2000000000, 3, 1);
    assert_int_equal(trace.rows[1].row, 3);
    assert_int_equal(trace.report.unsorted, 2);
    assert_int_equal(trace.report.equal_times, 2);
    request_trace_release(&trace);
}

#define REFUSE(text, message) expect_refusal(text, sizeof text - 1, message)

static void bad_rows_stop_with_their_place(void **state)
{
    (void)state;
    REFUSE(AZURE "2024-05-10 00:00:00,1,2\n2024-05-10 00:00:00,x1,2\n",
           "trace:3:21: ContextTokens is \"x1\", expected a whole number from 0 to "
           "100000000");
    REFUSE(AZURE "2024-05-10 00:00:00,-1,2\n",
           "trace:2:21: ContextTokens is \"-1\", expected a whole number from 0 to "
           "100000000");
    REFUSE(AZURE "2024-05-10 00:00:00,1,9223372036854775808\n",
           "trace:2:23: GeneratedTokens is \"9223372036854775808\", expected a whole "
           "number "
           "from 0 to 100000000");
    REFUSE(AZURE "2024-05-10 00:00:00,1.5,2\n",
           "trace:2:21: ContextTokens is \"1.5\", expected a whole number from 0 to "
           "100000000");
    REFUSE(AZURE "2024-05-10 00:00:00,,2\n",
           "trace:2:21: ContextTokens is \"\", expected a whole number from 0 to "
           "100000000");
    REFUSE(AZURE "2024-05-10 00:00:00,1\n",
           "trace:2:21: 2 fields, expected 3 as in the header");
    REFUSE(AZURE "2024-05-10 00:00:00,1,\0\n",
           "trace:2:23: a NUL byte, expected comma-separated values");
    REFUSE(BURST "-1,M,1,1,2,l\n",
           "trace:2:1: Timestamp is \"-1\", expected a time of 0 or more that fits 63 "
           "bits of "
           "ns");
    REFUSE(BURST "1e11,M,1,1,2,l\n",
           "trace:2:1: Timestamp is \"1e11\", expected a time of 0 or more that fits "
           "63 bits "
           "of ns");
}

static void bad_files_are_told_apart(void **state)
{
    (void)state;
    REFUSE("", "trace: empty, expected a request trace");
    REFUSE(AZURE, "trace: no rows, expected at least one");
    REFUSE("\x7f" "ELF\x02\0\0\n",
           "trace:1:6: a NUL byte, expected a request trace as text");
    REFUSE("a,b\n1,2\n",
           "trace:1:1: starts with \"a,b\", expected the header or keys of a known "
           "request "
           "trace (or --format)");
    REFUSE(AZURE "2024-05-10 00:00:00,1,0\n",
           "trace: none of its 1 rows can be sent, zero_output 1");
    struct request_trace trace = { 0 };
    struct fault fault = { 0 };
    assert_int_equal(requests_read(&trace, "missing", &STRICT, &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text, "cannot open missing: No such file or directory");
}

static void a_long_line_is_refused(void **state)
{
    (void)state;
    enum { LEN = 10 << 20 };
    char *text = malloc(LEN);
    assert_non_null(text);
    memset(text, 'x', LEN);
    memcpy(text, AZURE, strlen(AZURE));
    expect_refusal(text, LEN, "trace: line 2: longer than 1048576 bytes");
    free(text);
}

static void bad_rows_are_skipped_when_asked(void **state)
{
    (void)state;
    struct request_trace trace =
        read_good(AZURE "2024-05-10 00:00:00,1,2\nnonsense,1,2\n2024-05-10 00:00:00,x,2\n"
                        "2024-05-10 00:00:01,3\n\"2024\"x,1,2\n2024-05-10 00:00:02,5,6\n",
                  &SKIPPING);
    assert_int_equal(trace.count, 2);
    expect_row(&trace, 1, 2000000000, 5, 6);
    assert_int_equal(trace.rows[1].row, 5);
    assert_int_equal(trace.report.read, 6);
    assert_int_equal(trace.report.accepted, 2);
    assert_int_equal(trace.report.refused[REFUSED_TIME], 1);
    assert_int_equal(trace.report.refused[REFUSED_NUMBER], 1);
    assert_int_equal(trace.report.refused[REFUSED_FIELDS], 1);
    assert_int_equal(trace.report.refused[REFUSED_SYNTAX], 1);
    request_trace_release(&trace);
}

static void ticks_are_noticed(void **state)
{
    (void)state;
    struct request_trace trace = { .has_times = true };
    for (int64_t tick = 0; tick < 50; tick++) {
        struct request_row row = { .time_ns = tick * 3000000000 + tick % 3 * 1000000,
                                   .row = (uint64_t)tick,
                                   .session = SESSION_NONE };
        for (int i = 0; i < 4; i++)
            request_trace_add(&trace, &row);
    }
    request_trace_finish(&trace);
    assert_in_range(trace.tick_ns, 2998000000, 3001000000);
    request_trace_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(azure_2023),
        cmocka_unit_test(azure_2024_and_multimodal),
        cmocka_unit_test(columns_go_by_name),
        cmocka_unit_test(two_columns_of_one_name_are_ambiguous),
        cmocka_unit_test(bare_numbers_need_a_unit),
        cmocka_unit_test(burstgpt),
        cmocka_unit_test(burstgpt_3_has_sessions),
        cmocka_unit_test(lengths_have_no_times),
        cmocka_unit_test(zero_output_becomes_one_when_asked),
        cmocka_unit_test(unsorted_rows_are_sorted_stably_and_counted),
        cmocka_unit_test(bad_rows_stop_with_their_place),
        cmocka_unit_test(bad_files_are_told_apart),
        cmocka_unit_test(a_long_line_is_refused),
        cmocka_unit_test(bad_rows_are_skipped_when_asked),
        cmocka_unit_test(ticks_are_noticed),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
