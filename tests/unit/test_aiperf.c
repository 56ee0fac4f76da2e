#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/aiperf.h"
#include "formats/base/clock.h"

static const char *corpus_file(char path[static 4096], const char *name)
{
    snprintf(path, 4096, "%s/fuzz/corpus/aiperf/%s",
             getenv("TESTS") ? getenv("TESTS") : "tests", name);
    return path;
}

static struct aiperf_reader *open_file(const char *name)
{
    char path[4096];
    struct aiperf_reader *reader = NULL;
    struct fault fault = { 0 };
    assert_true(aiperf_is(corpus_file(path, name)));
    assert_int_equal(aiperf_reader_open(&reader, path, &fault), STATUS_OK);
    assert_int_equal(aiperf_reader_header(reader)->source, LOG_IMPORTED);
    return reader;
}

static void next(struct aiperf_reader *reader, struct arrival_request *request)
{
    struct fault fault = { 0 };
    assert_int_equal(aiperf_reader_next(reader, request, &fault), 1);
}

static void assert_end(struct aiperf_reader *reader)
{
    struct arrival_request request;
    struct fault fault = { 0 };
    assert_int_equal(aiperf_reader_next(reader, &request, &fault), 0);
    aiperf_reader_close(reader);
}

/* First token 12.5 ms after the start, then gaps of 10 and 20; the other was cancelled,
 * and started 1 ms before the first of the file. */
static void test_names_of_2025(void **state)
{
    (void)state;
    struct arrival_request request;
    struct aiperf_reader *reader = open_file("two-requests");
    next(reader, &request);
    assert_int_equal(request.row, 0);
    assert_int_equal(aiperf_reader_header(reader)->t0_realtime_ns, 1700000000000000000);
    assert_int_equal(request.outcome, OUTCOME_OK);
    assert_int_equal(request.sent_ns, 0);
    assert_int_equal(request.event_count, 3);
    assert_int_equal(request.events[0].arrival_ns, 12500 * NS_PER_US);
    assert_int_equal(request.events[1].arrival_ns, 22500 * NS_PER_US);
    assert_int_equal(request.events[2].arrival_ns, 42500 * NS_PER_US);
    assert_int_equal(request.end_ns, 42500 * NS_PER_US);
    assert_true(request.events[0].app_ns == TIME_NONE);
    assert_true(request.due_ns == TIME_NONE);
    assert_int_equal(request.usage_prompt_tokens, 50);
    assert_int_equal(request.usage_completion_tokens, 3);
    assert_int_equal(request.usage_reasoning_tokens, 1);
    assert_int_equal(request.flags, REQUEST_STREAMED);
    assert_string_equal(request.session, "s1");
    next(reader, &request);
    assert_int_equal(request.row, 1);
    assert_int_equal(request.outcome, OUTCOME_CANCELLED);
    assert_int_equal(request.sent_ns, -NS_PER_MS);
    assert_int_equal(request.event_count, 0);
    assert_true(request.usage_completion_tokens == COUNT_NONE);
    assert_end(reader);
}

/* The warm-up is left out; units other than ms; an answer that was not streamed; how
 * requests fail. */
static void test_later_names(void **state)
{
    (void)state;
    struct arrival_request request;
    struct aiperf_reader *reader = open_file("newer-names");
    next(reader, &request);
    assert_int_equal(request.row, 1);
    assert_int_equal(request.sent_ns, 0);
    assert_int_equal(request.headers_ns, NS_PER_MS);
    assert_int_equal(request.events[0].arrival_ns, 250 * NS_PER_MS);
    assert_int_equal(request.events[2].arrival_ns, 260 * NS_PER_MS);
    assert_int_equal(request.flags, REQUEST_STREAMED | REQUEST_TOKEN_MISMATCH);
    next(reader, &request);
    assert_int_equal(request.outcome, OUTCOME_CANCELLED);
    assert_int_equal(request.end_ns, 700 * NS_PER_MS);
    assert_int_equal(request.usage_prompt_tokens, 550);
    next(reader, &request);
    assert_int_equal(request.outcome, OUTCOME_OK);
    assert_int_equal(request.flags, 0);
    assert_int_equal(request.event_count, 1);
    assert_int_equal(request.events[0].arrival_ns, 7 * NS_PER_MS);
    next(reader, &request);
    assert_int_equal(request.outcome, OUTCOME_HTTP_STATUS);
    assert_int_equal(request.http_status, 503);
    next(reader, &request);
    assert_int_equal(request.outcome, OUTCOME_TIMEOUT);
    assert_end(reader);
}

/* Refused, with the line and what is wrong. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } cases[] = {
        { "negative-ttft", "line 1: no time to first token" },
        { "unknown-unit", "line 1: no time to first token" },
        { "no-start", "line 1: no start" },
        { "huge-start", "line 1: " },
        { "huge-time", "line 1: no time to first token" },
        { "null-gap", "line 1: inter_chunk_latency" },
        { "cut", "line 1: " },
        { "no-object", "line 1: no metadata" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[4096];
        struct aiperf_reader *reader = NULL;
        struct arrival_request request;
        struct fault fault = { 0 };
        corpus_file(path, cases[i].name);
        assert_int_equal(aiperf_reader_open(&reader, path, &fault), STATUS_OK);
        assert_int_equal(aiperf_reader_next(reader, &request, &fault), STATUS_BAD_INPUT);
        assert_non_null(strstr(fault.text, cases[i].text));
        aiperf_reader_close(reader);
    }
}

static void test_what_it_is_not(void **state)
{
    (void)state;
    char path[4096];
    struct aiperf_reader *reader = NULL;
    struct fault fault = { 0 };
    assert_false(aiperf_is("-"));
    assert_false(aiperf_is("/nonexistent"));
    assert_false(aiperf_is(corpus_file(path, "no-object")));
    assert_true(aiperf_reader_open(&reader, "/nonexistent", &fault) < 0);
    assert_true(fault.text[0] != '\0');
    aiperf_reader_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_2025),
        cmocka_unit_test(test_later_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_it_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
