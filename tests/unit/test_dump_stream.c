#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "analyze/dump_stream.h"
#include "tests/unit/scratch.h"

/* 37 bytes: 25 in hexadecimal */
#define TOKEN "data: {\"choices\":[{\"text\":\"hush\"}]}\n\n"
#define HEAD \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" \
    "Transfer-Encoding: chunked\r\n\r\n"

/* What dump_stream prints for a file of these bytes; the caller frees. NULL: it
 * failed. */
static char *dump(const char *bytes, bool json, struct fault *fault)
{
    char *text = NULL;
    size_t len = 0;
    scratch_write("answer", bytes, strlen(bytes));
    FILE *out = open_memstream(&text, &len);
    int status = dump_stream("answer", json, out, fault);
    fclose(out);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

/* The same as JSON: the list of answers. */
static json_t *dump_answers(const char *bytes)
{
    struct fault fault = { 0 };
    char *text = dump(bytes, true, &fault);
    assert_non_null(text);
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    assert_string_equal(json_string_value(json_object_get(document, "schema")),
                        "tokanalyze.dump_stream/1");
    json_t *answers = json_incref(json_object_get(document, "answers"));
    json_decref(document);
    return answers;
}

static const char *outcome_of(const json_t *answers, size_t i)
{
    const json_t *result = json_object_get(json_array_get(answers, i), "result");
    return json_string_value(json_object_get(result, "outcome"));
}

static json_int_t result_integer(const json_t *answers, size_t i, const char *name)
{
    const json_t *result = json_object_get(json_array_get(answers, i), "result");
    return json_integer_value(json_object_get(result, name));
}

static void test_text_names_events_and_hides_the_answer(void **state)
{
    struct fault fault = { 0 };
    (void)state;
    char *text = dump(TOKEN ": ping\n\ndata: [DONE]\n\n", false, &fault);
    assert_non_null(text);
    assert_non_null(strstr(text, "          37  content        0       1\n"));
    assert_non_null(strstr(text, "          44  comment        0       0\n"));
    assert_non_null(strstr(text, "          59  done           0       0\n"));
    assert_non_null(strstr(text, "outcome              ok\n"));
    assert_non_null(strstr(text, "output tokens        1 by events\n"));
    assert_null(strstr(text, "hush"));
    free(text);
}

static void test_json_of_a_body(void **state)
{
    (void)state;
    json_t *answers = dump_answers(
        TOKEN "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,"
              "\"completion_tokens\":3}}\n\ndata: [DONE]\n\n");
    assert_int_equal(json_array_size(answers), 1);
    const json_t *answer = json_array_get(answers, 0);
    assert_true(json_is_null(json_object_get(answer, "http_status")));
    const json_t *events = json_object_get(answer, "events");
    assert_int_equal(json_array_size(events), 3);
    const json_t *first = json_array_get(events, 0);
    assert_int_equal(json_integer_value(json_object_get(first, "end_offset")), 37);
    assert_string_equal(json_string_value(json_object_get(first, "kind")), "content");
    assert_string_equal(outcome_of(answers, 0), "ok");
    assert_int_equal(result_integer(answers, 0, "output_tokens"), 3);
    assert_int_equal(result_integer(answers, 0, "token_events"), 1);
    assert_int_equal(result_integer(answers, 0, "usage_prompt_tokens"), 7);
    json_decref(answers);
}

static void test_responses_of_one_connection(void **state)
{
    (void)state;
    json_t *answers = dump_answers("HTTP/1.1 100 Continue\r\n\r\n" HEAD
                                   "25\r\n" TOKEN "\r\n"
                                   "E\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
                                   "HTTP/1.1 503 Busy\r\nContent-Type: t\xff\r\n"
                                   "Content-Length: 4\r\n\r\nbusy" HEAD "25\r\n" TOKEN);
    assert_int_equal(json_array_size(answers), 3);
    assert_string_equal(outcome_of(answers, 0), "ok");
    assert_string_equal(outcome_of(answers, 1), "http_status");
    assert_string_equal(outcome_of(answers, 2), "truncated");
    assert_int_equal(result_integer(answers, 2, "token_events"), 1);
    const json_t *second = json_array_get(answers, 1);
    assert_int_equal(json_integer_value(json_object_get(second, "http_status")), 503);
    assert_string_equal(json_string_value(json_object_get(second, "content_type")), "t?");
    json_decref(answers);
}

static void test_body_until_close(void **state)
{
    (void)state;
    json_t *answers = dump_answers("HTTP/1.0 200 OK\r\n\r\n" TOKEN "data: [DONE]");
    assert_string_equal(outcome_of(answers, 0), "ok");
    json_decref(answers);
}

static void test_failures(void **state)
{
    struct fault fault = { 0 };
    (void)state;
    assert_null(dump("HTTP/1.1 2x0 OK\r\n\r\n", false, &fault));
    assert_non_null(strstr(fault.text, "answer: "));
    assert_null(dump("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                     "Content-Length: 0\r\n\r\n",
                     false, &fault));
    assert_non_null(strstr(fault.text, "compressed"));
    assert_int_equal(dump_stream("missing", false, stdout, &fault), STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_names_events_and_hides_the_answer),
        cmocka_unit_test(test_json_of_a_body),
        cmocka_unit_test(test_responses_of_one_connection),
        cmocka_unit_test(test_body_until_close),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
