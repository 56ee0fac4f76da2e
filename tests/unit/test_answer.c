/* Answers: what the table of streams cannot say, for it knows only bodies and results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/answer_transcript.h"

#define TOKEN "data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

static void feed(struct answer_transcript *t, const char *text)
{
    answer_transcript_feed(t, text, strlen(text));
}

static void test_is_done_as_soon_as_it_is(void **state)
{
    struct answer_transcript t = { 0 };
    (void)state;
    answer_transcript_start(&t, 200, "text/event-stream");
    feed(&t, TOKEN "data: [DONE]\n");
    assert_false(answer_is_done(&t.answer));
    feed(&t, "\n");
    assert_true(answer_is_done(&t.answer));
    answer_transcript_start(&t, 200, "text/event-stream");
    assert_false(answer_is_done(&t.answer));
    feed(&t, "data: {\"type\":\"message_stop\"}\r\n\r");
    assert_true(answer_is_done(&t.answer));
    answer_transcript_release(&t);
}

static void test_nothing_is_left_of_the_answer_before(void **state)
{
    struct answer_transcript used = { 0 }, fresh = { 0 };
    static const char *const leftovers[] = {
        "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}],"
        "\"usage\":{\"completion_tokens\":9,\"prompt_tokens\":9}}\n\n" DONE,
        "data: {\"error\":{}}\n\nevent: error\ndata: cut",
        ": comment\n\ndata: {\"choi",
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        answer_transcript_start(&used, 200, "text/event-stream");
        feed(&used, leftovers[i]);
        answer_transcript_start(&used, 200, NULL);
        answer_transcript_start(&fresh, 200, NULL);
        feed(&used, TOKEN TOKEN);
        feed(&fresh, TOKEN TOKEN);
        answer_transcript_finish(&used, BODY_COMPLETE);
        answer_transcript_finish(&fresh, BODY_COMPLETE);
        assert_string_equal(buffer_text(&used.text), buffer_text(&fresh.text));
        assert_int_equal(used.offsets[1], fresh.offsets[1]);
    }
    answer_transcript_release(&used);
    answer_transcript_release(&fresh);
}

static void test_ordinary_stream_does_not_allocate(void **state)
{
    struct answer_transcript t = { 0 };
    (void)state;
    answer_transcript_start(&t, 200, "text/event-stream");
    for (int i = 0; i < 100; i++) {
        feed(&t, "data: {\"choices\":[{\"te");
        feed(&t, "xt\":\"a\"}]}\n\n");
    }
    assert_int_equal(t.answer.result.token_events, 100);
    assert_int_equal(answer_memory(&t.answer), 0);
    answer_transcript_release(&t);
}

static enum outcome outcome_of_large(struct answer_transcript *t, const char *type,
                                     size_t len)
{
    char *text = memory_new(len, 1);
    memset(text, ' ', len);
    memcpy(text, "data: ", strcmp(type, "text/event-stream") == 0 ? 6 : 0);
    memcpy(text, "{\"choices\":[{\"text\":\"a\"}]}", *type == 'a' ? 26 : 0);
    answer_transcript_start(t, 200, type);
    answer_transcript_feed(t, text, len / 2);
    answer_transcript_feed(t, text + len / 2, len - len / 2);
    answer_transcript_finish(t, BODY_COMPLETE);
    free(text);
    return t->answer.result.outcome;
}

static void test_limits(void **state)
{
    struct answer_transcript t = { 0 };
    (void)state;
    assert_int_equal(outcome_of_large(&t, "application/json", ANSWER_BODY_MAX),
                     OUTCOME_OK);
    assert_int_equal(outcome_of_large(&t, "application/json", ANSWER_BODY_MAX + 1),
                     OUTCOME_STREAM_ERROR);
    assert_int_equal(outcome_of_large(&t, "text/event-stream", SSE_LINE_MAX + 1),
                     OUTCOME_STREAM_ERROR);
    answer_transcript_start(&t, 200, NULL);
    assert_in_range(answer_memory(&t.answer), 0, 2 * SSE_KEPT_CAPACITY);
    answer_transcript_release(&t);
}

static void test_fault_behind_the_closing_event_is_none(void **state)
{
    struct answer_transcript t = { 0 };
    char *text = memory_new(SSE_LINE_MAX + 2, 1);
    (void)state;
    memset(text, 'x', SSE_LINE_MAX + 2);
    answer_transcript_start(&t, 200, "text/event-stream");
    feed(&t, TOKEN DONE);
    answer_transcript_feed(&t, text, SSE_LINE_MAX + 2);
    answer_transcript_finish(&t, BODY_BROKEN);
    assert_int_equal(t.answer.result.outcome, OUTCOME_OK);
    free(text);
    answer_transcript_release(&t);
}

static void test_missing_bytes(void **state)
{
    struct answer_transcript t = { 0 };
    (void)state;
    answer_transcript_start(&t, 200, "text/event-stream");
    feed(&t, TOKEN "data: {\"choices\":[{\"te");
    answer_skip(&t.answer);
    feed(&t, "\"}]}\n\n" TOKEN DONE);
    answer_transcript_finish(&t, BODY_COMPLETE);
    assert_string_equal(buffer_text(&t.text),
                        "content 1\ncontent 1\ndone\noutcome: ok\n"
                        "flags: streamed done\ntoken events: 2\nn: 2\nk1: 1\n");
    answer_transcript_start(&t, 200, "application/json");
    feed(&t, "{\"choices\":[{\"text\":");
    answer_skip(&t.answer);
    feed(&t, "\"a\"}]}");
    answer_transcript_finish(&t, BODY_COMPLETE);
    assert_int_equal(t.answer.result.outcome, OUTCOME_HTTP_STATUS);
    assert_int_equal(t.event_count, 0);
    answer_transcript_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_done_as_soon_as_it_is),
        cmocka_unit_test(test_nothing_is_left_of_the_answer_before),
        cmocka_unit_test(test_ordinary_stream_does_not_allocate),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_fault_behind_the_closing_event_is_none),
        cmocka_unit_test(test_missing_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
