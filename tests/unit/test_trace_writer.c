/* Rows of a request trace from exchanges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/trace_writer.h"
#include "tests/unit/scratch.h"

static struct exchange exchange_with(const char *target, const char *body)
{
    struct exchange exchange = { .request_seen = true };
    arrival_request_init(&exchange.record);
    exchange.record.due_ns = 42;
    exchange.record.sent_ns = 43;
    exchange.record.outcome = OUTCOME_OK;
    buffer_append_text(&exchange.copy.target, target);
    buffer_append_text(&exchange.copy.body, body);
    exchange.copy.body_bytes = strlen(body);
    exchange.copy.body_whole = true;
    return exchange;
}

/* The row of an exchange as it stands in the file; "" when it was left out. */
static const char *row_of(struct exchange *exchange, bool keep_text)
{
    struct trace_writer writer;
    struct fault fault = { "" };
    struct prompt_settings settings = { .block_tokens = 4, .keep_text = keep_text };
    assert_int_equal(
        trace_writer_open(&writer, "trace.ndjson", true, &settings, "s", &fault),
        STATUS_OK);
    trace_writer_add(&writer, exchange);
    assert_int_equal(writer.counts.rows + writer.counts.left_out, 1);
    assert_int_equal(trace_writer_commit(&writer, &fault), STATUS_OK);
    trace_writer_release(&writer);
    buffer_release(&exchange->copy.target);
    buffer_release(&exchange->copy.body);
    return scratch_read("trace.ndjson");
}

static void usage_counts_first(void **state)
{
    (void)state;
    struct exchange exchange = exchange_with("/v1/completions", "{\"prompt\":[]}");
    exchange.record.usage_prompt_tokens = 7;
    exchange.record.usage_completion_tokens = 9;
    strcpy(exchange.record.session, "a\"b");
    assert_string_equal(row_of(&exchange, false),
                        "{\"due_ns\":42,\"input_tokens\":7,\"output_tokens\":9,"
                        "\"session\":\"a\\\"b\"}\n");
}

static void then_token_ids_and_events(void **state)
{
    (void)state;
    struct arrival_event events[] = { { .tokens = 2 }, { .tokens = 1 } };
    struct exchange exchange = exchange_with("/x",
                                             "{\"prompt\":[1,2,3],\"session_id\":\"q\"}");
    exchange.record.events = events;
    exchange.record.event_count = 2;
    const char *row = row_of(&exchange, false);
    assert_non_null(
        strstr(row, "\"input_tokens\":3,\"output_tokens\":3,\"session\":\"q\""));
    assert_non_null(strstr(row, "\"block_tokens\":4,\"hash_ids\":["));
    assert_null(strstr(row, "estimated"));
}

static void then_bytes_marked_as_an_estimate(void **state)
{
    (void)state;
    struct exchange exchange = exchange_with("/x",
                                             "{\"prompt\":\"five \",\"max_tokens\":30}");
    exchange.record.outcome = OUTCOME_CANCELLED;
    const char *row = row_of(&exchange, true);
    assert_non_null(strstr(row, "\"input_tokens\":2,\"input_tokens_estimated\":true,"
                                "\"output_tokens\":30"));
    assert_non_null(
        strstr(row, "\"messages\":[{\"role\":\"user\",\"content\":\"five \"}]"));
}

static void no_more_hashes_than_the_tokens_fill(void **state)
{
    (void)state;
    /* 40 bytes are three blocks of 16, but the server counted 5 tokens: two of 4 */
    struct exchange exchange =
        exchange_with("/x", "{\"prompt\":\"0123456789012345678901234567890123456789\"}");
    exchange.record.usage_prompt_tokens = 5;
    const char *ids = strstr(row_of(&exchange, false), "\"hash_ids\":[");
    assert_non_null(ids);
    assert_non_null(strchr(ids, ','));
    assert_null(strchr(strchr(ids, ',') + 1, ','));
}

static void a_body_in_part_counts_by_its_size(void **state)
{
    (void)state;
    struct exchange exchange = exchange_with("/v1/chat/completions?x", "{\"mess");
    exchange.copy.body_whole = false;
    exchange.copy.body_bytes = 4000;
    assert_string_equal(
        row_of(&exchange, false),
        "{\"due_ns\":42,\"input_tokens\":1000,\"input_tokens_estimated\":true,"
        "\"output_tokens\":0}\n");
}

static void other_exchanges_are_left_out(void **state)
{
    (void)state;
    struct exchange health = exchange_with("/health", "");
    assert_string_equal(row_of(&health, false), "");
    struct exchange upload = exchange_with("/upload", "");
    upload.copy.body_whole = false;
    assert_string_equal(row_of(&upload, false), "");
    struct exchange unsent = exchange_with("/x", "{\"prompt\":[1]}");
    unsent.record.sent_ns = TIME_NONE;
    assert_string_equal(row_of(&unsent, false), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_counts_first),
        cmocka_unit_test(then_token_ids_and_events),
        cmocka_unit_test(then_bytes_marked_as_an_estimate),
        cmocka_unit_test(no_more_hashes_than_the_tokens_fill),
        cmocka_unit_test(a_body_in_part_counts_by_its_size),
        cmocka_unit_test(other_exchanges_are_left_out),
    };
    return cmocka_run_group_tests_name("trace_writer", tests, scratch_enter,
                                       scratch_leave);
}
