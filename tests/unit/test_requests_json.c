/* The JSON formats: Mooncake, Qwen, sessions, our own NDJSON, OTel spans, ShareGPT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/block_ids.h"
#include "trace_reading.h"

#define REFUSE(text, message) expect_refusal(text, sizeof text - 1, message)

static void expect_blocks(const struct request_trace *trace, size_t i,
                          const uint64_t *ids, uint32_t count)
{
    const struct request_row *row = &trace->rows[i];
    assert_int_equal(row->block_count, count);
    struct block_cursor cursor = block_cursor_at(&trace->block_bytes, row->first_block,
                                                 0);
    for (uint32_t k = 0; k < count; k++)
        assert_true(block_cursor_next(&cursor) == ids[k]);
}

static const char *session_of(const struct request_trace *trace, size_t i)
{
    uint32_t session = trace->rows[i].session;
    return session == SESSION_NONE ? "" : name_table_text(&trace->sessions, session);
}

static void mooncake(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"timestamp\": 27482, \"input_length\": 600, \"output_length\": 5, "
        "\"hash_ids\": "
        "[0, 18446744073709551615]}\n\n"
        "{\"output_length\": 6, \"x\": {\"y\": [1]}, \"hash_ids\": [-1], "
        "\"input_length\": 2, "
        "\"timestamp\": 30535.25}\n",
        &STRICT);
    assert_int_equal(trace.rows[0].time_ns, 0);
    assert_int_equal(trace.rows[1].time_ns, 3053250000);
    assert_int_equal(trace.rows[1].input_tokens, 2);
    assert_int_equal(trace.rows[0].block_tokens, 512);
    expect_blocks(&trace, 0, (const uint64_t[]){ 0, UINT64_MAX }, 2);
    expect_blocks(&trace, 1, (const uint64_t[]){ UINT64_MAX }, 1);
    request_trace_release(&trace);
}

static void bad_lines_stop_with_their_place(void **state)
{
    (void)state;
#define ROW "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}\n"
    REFUSE(ROW "{\"timestamp\": 0, \"input_length\": \"1\", \"output_length\": 1}\n",
           "trace:2:34: input_length is \"\"1\"\", expected a whole number");
    REFUSE(ROW "{\"timestamp\": 0, \"input_length\": 1}\n",
           "trace:2:35: the object ends without \"output_length\"");
    REFUSE(ROW "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1\n",
           "trace:2:55: an end too early, expected JSON");
    REFUSE(ROW "{\"timestamp\": -5, \"input_length\": 1, \"output_length\": 1}\n",
           "trace:2:15: timestamp is \"-5\", expected a time of 0 or more that fits 63 "
           "bits "
           "of ns");
    REFUSE(ROW "[1]\n", "trace:2:1: the line is \"[\", expected a JSON object");
    REFUSE(ROW ROW "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1} x\n",
           "trace:3:57: text after the end of the JSON, expected JSON");
    REFUSE(ROW "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1, "
               "\"hash_ids\": "
               "[1, 2]}\n",
           "trace:2: 2 hash_ids of 512 tokens, more than the 1 input tokens fill");
    REFUSE(ROW "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1, "
               "\"hash_ids\": "
               "[18446744073709551616]}\n",
           "trace:2:70: hash_ids is \"18446744073709551616\", expected a whole number "
           "of 64 "
           "bits");
#undef ROW
}

static void a_broken_first_line_is_pointed_at(void **state)
{
    (void)state;
    REFUSE("{\"due_ns\":abc,\"input_tokens\":1,\"output_tokens\":1}\n",
           "trace:1:11: something that is no value, expected JSON");
    REFUSE("{\"a\":1}\n",
           "trace:1:1: starts with \"{\"a\":1}\", expected the header or keys of a known "
           "request trace (or --format)");
}

static void skipped_lines_leave_no_blocks(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"timestamp\":0,\"input_length\":9,\"output_length\":1,\"hash_ids\":[5]}\n"
        "{\"timestamp\":0,\"input_length\":9,\"output_length\":1,\"hash_ids\":[6,}\n"
        "{\"timestamp\":0,\"input_length\":9,\"output_length\":0,\"hash_ids\":[7]}\n"
        "{\"timestamp\":0,\"input_length\":9,\"output_length\":1,\"hash_ids\":[8]}\n",
        &SKIPPING);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.block_bytes.len, 2);
    expect_blocks(&trace, 1, (const uint64_t[]){ 8 }, 1);
    request_trace_release(&trace);
}

static void qwen_chats_form_sessions(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"chat_id\":10,\"parent_chat_id\":-1,\"timestamp\":0.1,\"input_length\":20,"
        "\"output_length\":5,\"type\":\"text\",\"turn\":1,\"hash_ids\":[1,2]}\n"
        "{\"chat_id\":11,\"parent_chat_id\":-1,\"timestamp\":0.25,\"input_length\":20,"
        "\"output_length\":5,\"type\":\"text\",\"turn\":1,\"hash_ids\":[3,4]}\n"
        "{\"chat_id\":12,\"parent_chat_id\":10,\"timestamp\":60.061,\"input_length\":30,"
        "\"output_length\":5,\"type\":\"text\",\"turn\":2,\"hash_ids\":[1,5]}\n"
        "{\"chat_id\":13,\"parent_chat_id\":12,\"timestamp\":61,\"input_length\":30,"
        "\"output_length\":5,\"type\":\"text\",\"turn\":3,\"hash_ids\":[1,6]}\n"
        "{\"chat_id\":14,\"parent_chat_id\":99,\"timestamp\":62,\"input_length\":30,"
        "\"output_length\":5,\"type\":\"text\",\"turn\":2,\"hash_ids\":[1,6]}\n",
        &STRICT);
    assert_int_equal(trace.rows[1].time_ns, 150000000);
    assert_int_equal(trace.rows[2].time_ns, 59961000000);
    assert_int_equal(trace.rows[0].block_tokens, 16);
    static const char *const sessions[] = { "10", "11", "10", "10", "14" };
    static const uint32_t turns[] = { 0, 0, 1, 2, 0 };
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(session_of(&trace, i), sessions[i]);
        assert_int_equal(trace.rows[i].turn, turns[i]);
    }
    /* When the answer before ended was not recorded: no sooner than it. */
    assert_int_equal(trace.rows[2].think_ns, 0);
    assert_int_equal(trace.rows[0].think_ns, THINK_NONE);
    request_trace_release(&trace);
}

static void sessions_have_delays(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"session_id\":\"a\",\"timestamp\":1000,\"input_length\":5,"
        "\"output_length\":6}\n"
        "{\"session_id\":\"a\",\"delay\":250.5,\"input_length\":7,\"output_length\":8}\n"
        "{\"session_id\":\"b\",\"timestamp\":500,\"input_length\":9,"
        "\"output_length\":10}\n",
        &STRICT);
    assert_string_equal(session_of(&trace, 0), "b");
    assert_string_equal(session_of(&trace, 1), "a");
    assert_int_equal(trace.rows[1].time_ns, 500000000);
    assert_int_equal(trace.rows[2].time_ns, 500000000);
    assert_int_equal(trace.rows[2].think_ns, 250500000);
    assert_int_equal(trace.rows[2].turn, 1);
    assert_int_equal(trace.report.unsorted, 1);
    request_trace_release(&trace);
    REFUSE("{\"session_id\":\"a\",\"delay\":250,\"input_length\":7,"
           "\"output_length\":8}\n",
           "trace:1: no timestamp, expected one on the first turn of a session");
}

/* A turn without a time of its own is not out of order, wherever it stands. */
static void later_turns_are_not_unsorted(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"session_id\":\"a\",\"timestamp\":0,\"input_length\":1,\"output_length\":1}\n"
        "{\"session_id\":\"b\",\"timestamp\":9,\"input_length\":2,\"output_length\":1}\n"
        "{\"session_id\":\"a\",\"delay\":1,\"input_length\":3,\"output_length\":1}\n"
        "{\"session_id\":\"c\",\"timestamp\":9,\"input_length\":4,\"output_length\":1}\n",
        &STRICT);
    static const uint32_t order[] = { 1, 3, 2, 4 };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(trace.rows[i].input_tokens, order[i]);
    assert_int_equal(trace.report.unsorted, 0);
    request_trace_release(&trace);
    REFUSE("{\"session_id\":\"\",\"delay\":250,\"input_length\":7,\"output_length\":8}\n",
           "trace:1: no timestamp, expected one on the first turn of a session");
}

/* Sessions whose first rows were refused still need a timestamp, and get theirs. */
static void refused_sessions_may_come_again(void **state)
{
    (void)state;
    enum { SESSIONS = 100 };
    struct buffer text = BUFFER_INIT;
    for (int i = 0; i < SESSIONS; i++)
        buffer_printf(&text,
                      "{\"session_id\":%d,\"input_length\":1,\"output_length\":1}\n", i);
    for (int i = SESSIONS - 1; i >= 0; i--)
        buffer_printf(&text,
                      "{\"session_id\":%d,\"timestamp\":%d,\"input_length\":1,"
                      "\"output_length\":1}\n",
                      i, i);
    struct request_trace trace = read_good(buffer_text(&text), &SKIPPING);
    assert_int_equal(trace.report.refused[REFUSED_TIME], SESSIONS);
    assert_int_equal(trace.count, SESSIONS);
    for (int i = 0; i < SESSIONS; i++)
        assert_int_equal(trace.rows[i].time_ns, i * 1000000);
    request_trace_release(&trace);
    buffer_release(&text);
}

static void our_own_rows(void **state)
{
    (void)state;
    struct requests_read_options options = { .keep_texts = true };
    struct request_trace trace = read_good(
        "{\"due_ns\":5,\"input_tokens\":7,\"output_tokens\":8,\"session\":\"s\\u0041\"}\n"
        "{\"due_ns\":9,\"input_tokens\":7,\"output_tokens\":8,\"session\":\"sA\","
        "\"think_ns\":null,\"hash_ids\":[3],\"block_tokens\":4,"
        "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n",
        &options);
    /* The zero of time is the file's own. */
    assert_int_equal(trace.rows[0].time_ns, 5);
    assert_string_equal(session_of(&trace, 1), "sA");
    assert_int_equal(trace.rows[1].think_ns, THINK_NONE);
    assert_int_equal(trace.rows[1].block_tokens, 4);
    assert_int_equal(trace.rows[1].text, 0);
    assert_int_equal(trace.text_bytes.len,
                     strlen("[{\"role\":\"user\",\"content\":\"x\"}]"));
    request_trace_release(&trace);
    trace = read_good("{\"input_tokens\":7,\"output_tokens\":8,\"think_ns\":null}\n"
                      "{\"input_tokens\":7,\"output_tokens\":8,\"think_ns\":5}\n",
                      &STRICT);
    /* Without a session there is nothing to wait for. */
    assert_int_equal(trace.rows[0].think_ns, THINK_NONE);
    assert_int_equal(trace.rows[1].think_ns, THINK_NONE);
    request_trace_release(&trace);
    REFUSE("{\"due_ns\":5,\"input_tokens\":7,\"output_tokens\":8}\n"
           "{\"input_tokens\":7,\"output_tokens\":8}\n",
           "trace:2: due_ns is missing, unlike the rows before");
    REFUSE("{\"due_ns\":5,\"input_tokens\":7,\"output_tokens\":8,\"hash_ids\":[3]}\n",
           "trace:1: hash_ids without block_tokens");
}

static const char spans[] =
    "{\"trace_id\":\"t\",\"spans\":[\n"
    "{\"trace_id\":\"t\",\"name\":\"chat\",\"start_time\":\"2026-02-25T10:00:00.5\","
    "\"end_time\":\"2026-02-25T11:00:02.500000+01:00\",\"attributes\":{"
    "\"gen_ai.operation.name\":\"chat\",\"gen_ai.usage.prompt_tokens\":50,"
    "\"gen_ai.usage.completion_tokens\":20}},\n"
    "{\"trace_id\":\"t\",\"name\":\"tool\",\"start_time\":\"2026-02-25T10:00:02\","
    "\"attributes\":{\"gen_ai.operation.name\":\"execute_tool\"}},\n"
    "{\"trace_id\":\"t\",\"name\":\"chat\",\"start_time\":\"2026-02-25T10:00:03Z\","
    "\"attributes\":{\"gen_ai.input.messages\":"
    "\"[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"12345678\\\\n\\\"}]\","
    "\"gen_ai.output.text\":\"12345\"}}]}\n";

static void otel_spans(void **state)
{
    (void)state;
    struct requests_read_options options = { .keep_texts = true };
    struct request_trace trace = read_good(spans, &options);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.rows[0].input_tokens, 50);
    assert_int_equal(trace.rows[0].output_tokens, 20);
    assert_int_equal(trace.rows[0].answer_ns, 2000000000);
    assert_int_equal(trace.rows[1].time_ns, 2500000000);
    assert_int_equal(trace.rows[1].think_ns, 500000000);
    /* 10 bytes as they stand in JSON, and 5: four to a token, rounded up. */
    assert_int_equal(trace.rows[1].input_tokens, 3);
    assert_int_equal(trace.rows[1].output_tokens, 2);
    assert_true(trace.report.lengths_estimated);
    const char *messages = "[{\"role\":\"user\",\"content\":\"12345678\\n\"}]";
    assert_int_equal(trace.text_bytes.len, strlen(messages));
    assert_memory_equal(trace.text_bytes.data, messages, strlen(messages));
    request_trace_release(&trace);
}

static void otlp_documents_and_lines(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"resourceSpans\":[{\"resource\":{},"
        "\"scopeSpans\":[{\"spans\":[{\"traceId\":\"ab\","
        "\"startTimeUnixNano\":\"1700000000000000007\",\"endTimeUnixNano\":"
        "\"1700000001000000007\",\"attributes\":[{\"key\":\"gen_ai.usage.input_tokens\","
        "\"value\":{\"intValue\":\"12\"}},{\"key\":\"gen_ai.usage.output_tokens\","
        "\"value\":{"
        "\"intValue\":34}}]}]}]}]}\n"
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"ab\","
        "\"startTimeUnixNano\":\"1700000000000000010\",\"attributes\":[{\"key\":"
        "\"gen_ai.usage.input_tokens\",\"value\":{\"intValue\":\"5\"}},{\"key\":"
        "\"gen_ai.usage.output_tokens\",\"value\":{\"intValue\":\"6\"}}]}]}]}]}\n",
        &STRICT);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.rows[0].input_tokens, 12);
    assert_int_equal(trace.rows[0].output_tokens, 34);
    assert_int_equal(trace.rows[1].time_ns, 3);
    assert_string_equal(session_of(&trace, 1), "ab");
    /* It began before the answer before it had ended. */
    assert_int_equal(trace.rows[1].think_ns, THINK_NONE);
    request_trace_release(&trace);
}

static void flattened_spans(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"start_time_iso\":\"2026-04-20T11:44:54.855935+00:00\",\"input_tokens\":18987,"
        "\"output_tokens\":217,\"session_id\":\"e3\",\"operation_name\":\"chat\"}\n"
        "{\"start_time_iso\":\"2026-04-20T11:44:54.855934\",\"input_tokens\":5,"
        "\"output_tokens\":0,\"session_id\":\"e3\",\"operation_name\":\"chat\"}\n",
        &STRICT);
    assert_int_equal(trace.count, 1);
    assert_int_equal(trace.rows[0].input_tokens, 18987);
    assert_int_equal(trace.report.refused[REFUSED_ZERO_OUTPUT], 1);
    assert_int_equal(trace.report.unsorted, 1);
    request_trace_release(&trace);
}

static void bad_spans_have_line_and_column(void **state)
{
    (void)state;
    REFUSE("{\"spans\":[\n"
           "  {\"start_time\":\"soon\",\"input_tokens\":1,\"output_tokens\":1}]}\n",
           "trace:2:3: the start time is \"soon\", expected a date and time, or ns "
           "since 1970");
    REFUSE("{\"spans\":[\n{\"start_time\":\"2026-04-20T11:44:54\",\"input_tokens\":1.5,"
           "\"output_tokens\":1}]}\n",
           "trace:2:1: input_tokens is \"1.5\", expected a whole number from 0 to "
           "100000000");
    REFUSE("{\"spans\":[\n{\"start_time\":x}]}\n",
           "trace:2:15: something that is no value, expected JSON");
    REFUSE("{\"spans\":[]}\n", "trace: no rows, expected at least one");
}

static void broken_lines_are_skipped_when_asked(void **state)
{
    (void)state;
    struct request_trace trace = read_good(
        "{\"start_time_iso\":\"2026-04-20T11:44:54\",\"input_tokens\":1,"
        "\"output_tokens\":2}\n"
        "{\"start_time_iso\":\"2026-04-20T11:44:54\",\"input_tokens\":\n"
        "{\"start_time_iso\":\"2026-04-20T11:44:56\",\"input_tokens\":3,"
        "\"output_tokens\":4}\n",
        &SKIPPING);
    assert_int_equal(trace.report.refused[REFUSED_SYNTAX], 1);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.rows[1].input_tokens, 3);
    request_trace_release(&trace);
}

static void sharegpt_conversations(void **state)
{
    (void)state;
    struct requests_read_options options = { .keep_texts = true };
    struct request_trace trace = read_good(
        "[{\"id\":\"c\",\"conversations\":[{\"from\":\"human\",\"value\":\"12345678\"},"
        "{\"from\":\"gpt\",\"value\":\"1234\"},{\"from\":\"human\",\"value\":\"1234\"},"
        "{\"value\":\"123\",\"from\":\"gpt\"}]},"
        "{\"id\":\"d\",\"conversations\":[{\"from\":\"gpt\",\"value\":\"orphan\"}]},"
        "{\"id\":\"e\",\"conversations\":[{\"from\":\"human\",\"value\":\"a\"},"
        "{\"from\":\"gpt\",\"value\":\"b\"}]}]",
        &options);
    assert_int_equal(trace.count, 3);
    assert_false(trace.has_times);
    assert_int_equal(trace.rows[0].input_tokens, 2);
    assert_int_equal(trace.rows[0].output_tokens, 1);
    assert_int_equal(trace.rows[1].input_tokens, 4);
    assert_string_equal(session_of(&trace, 1), "c");
    assert_int_equal(trace.rows[1].turn, 1);
    assert_int_equal(trace.rows[1].think_ns, 0);
    assert_string_equal(session_of(&trace, 2), "");
    const char *second = "[{\"role\":\"user\",\"content\":\"12345678\"},"
                         "{\"role\":\"assistant\",\"content\":\"1234\"},"
                         "{\"role\":\"user\",\"content\":\"1234\"}]";
    const struct request_text *text = &trace.texts[trace.rows[1].text];
    assert_int_equal(text->len, strlen(second));
    assert_memory_equal(trace.text_bytes.data + text->start, second, strlen(second));
    request_trace_release(&trace);
}

static void format_overrides_content(void **state)
{
    (void)state;
    const char *text =
        "{\"chat_id\":1,\"timestamp\":2,\"input_length\":3,\"output_length\":4}\n";
    struct requests_read_options options = { .format = REQUESTS_MOONCAKE };
    struct request_trace trace = read_good(text, &options);
    assert_int_equal(trace.rows[0].session, SESSION_NONE);
    request_trace_release(&trace);
    char message[FAULT_TEXT_MAX];
    options.format = REQUESTS_AZURE;
    assert_int_equal(read_bytes(&trace, "a,b\n1,2\n", 8, &options, message),
                     STATUS_BAD_INPUT);
    assert_string_equal(message, "trace:1: the header has no column \"TIMESTAMP\"");
    request_trace_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mooncake),
        cmocka_unit_test(bad_lines_stop_with_their_place),
        cmocka_unit_test(a_broken_first_line_is_pointed_at),
        cmocka_unit_test(skipped_lines_leave_no_blocks),
        cmocka_unit_test(qwen_chats_form_sessions),
        cmocka_unit_test(sessions_have_delays),
        cmocka_unit_test(later_turns_are_not_unsorted),
        cmocka_unit_test(refused_sessions_may_come_again),
        cmocka_unit_test(our_own_rows),
        cmocka_unit_test(otel_spans),
        cmocka_unit_test(otlp_documents_and_lines),
        cmocka_unit_test(flattened_spans),
        cmocka_unit_test(bad_spans_have_line_and_column),
        cmocka_unit_test(broken_lines_are_skipped_when_asked),
        cmocka_unit_test(sharegpt_conversations),
        cmocka_unit_test(format_overrides_content),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
