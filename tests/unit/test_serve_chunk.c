/* Bodies of the simulated server: valid JSON in the shape of vLLM's, valid HTTP chunks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "formats/http_message.h"
#include "replay/serve_chunk.h"

static const struct serve_identity identity = {
    .id = { 0x0123456789abcdef, 1 },
    .created_s = 1700000000,
    .model = { .bytes = "m\\\"x", .len = 4 },
    .finish_reason = "length",
};

/* The payload behind "data: " of an event that is one HTTP chunk, as JSON. */
static json_t *unframe(struct serve_event event)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    struct http_parser parser = { 0 };
    struct http_item item;
    struct fault fault = { { 0 } };
    http_parser_start(&parser, HTTP_RESPONSES);
    const char *bytes = head;
    size_t len = sizeof(head) - 1;
    while (http_parser_next(&parser, &bytes, &len, &item, &fault) > 0)
        continue;
    bytes = event.bytes;
    len = event.len;
    assert_int_equal(http_parser_next(&parser, &bytes, &len, &item, &fault), 1);
    assert_int_equal(item.type, HTTP_BODY);
    assert_memory_equal(item.bytes, "data: ", 6);
    assert_memory_equal(item.bytes + item.len - 2, "\n\n", 2);
    json_t *json = json_loadb(item.bytes + 6, item.len - 8, 0, NULL);
    assert_non_null(json);
    assert_int_equal(http_parser_next(&parser, &bytes, &len, &item, &fault), 0);
    assert_int_equal(len, 0);
    http_parser_release(&parser);
    return json;
}

static const char *text_at(json_t *json, const char *key)
{
    return json_string_value(json_object_get(json, key));
}

static json_t *only_choice(json_t *json, int index)
{
    json_t *choices = json_object_get(json, "choices");
    assert_int_equal(json_array_size(choices), 1);
    json_t *choice = json_array_get(choices, 0);
    assert_int_equal(json_integer_value(json_object_get(choice, "index")), index);
    assert_true(json_is_null(json_object_get(choice, "logprobs")));
    return choice;
}

static void assert_usage(json_t *json, int prompt, int completion)
{
    json_t *usage = json_object_get(json, "usage");
    assert_int_equal(json_integer_value(json_object_get(usage, "prompt_tokens")), prompt);
    assert_int_equal(json_integer_value(json_object_get(usage, "completion_tokens")),
                     completion);
    assert_int_equal(json_integer_value(json_object_get(usage, "total_tokens")),
                     prompt + completion);
}

static void start(struct serve_stream *stream, bool chat)
{
    *stream = (struct serve_stream){ 0 };
    serve_stream_start(stream, chat, true, &identity);
}

static void release(struct serve_stream *stream, struct buffer *scratch)
{
    serve_stream_release(stream);
    buffer_release(scratch);
}

static void a_chunk_of_completions(void **state)
{
    (void)state;
    struct serve_stream stream;
    struct buffer scratch = BUFFER_INIT;
    start(&stream, false);
    json_t *json = unframe(serve_event_tokens(&stream, &scratch, 12, 1, false, NULL));
    assert_string_equal(text_at(json, "id"), "cmpl-0123456789abcdef0000000000000001");
    assert_string_equal(text_at(json, "object"), "text_completion");
    assert_string_equal(text_at(json, "model"), "m\"x");
    assert_int_equal(json_integer_value(json_object_get(json, "created")), 1700000000);
    assert_true(json_is_null(json_object_get(json, "usage")));
    json_t *choice = only_choice(json, 12);
    assert_string_equal(text_at(choice, "text"), " token");
    assert_true(json_is_null(json_object_get(choice, "finish_reason")));
    json_decref(json);
    release(&stream, &scratch);
}

static void chunks_of_chat(void **state)
{
    (void)state;
    struct serve_stream stream;
    struct buffer scratch = BUFFER_INIT;
    start(&stream, true);
    json_t *json = unframe(serve_event_role(&stream, &scratch, 0, NULL));
    assert_string_equal(text_at(json, "object"), "chat.completion.chunk");
    assert_null(json_object_get(json, "usage"));
    json_t *delta = json_object_get(only_choice(json, 0), "delta");
    assert_string_equal(text_at(delta, "role"), "assistant");
    assert_string_equal(text_at(delta, "content"), "");
    json_decref(json);
    const struct serve_usage usage = { .prompt_tokens = 5, .completion_tokens = 3 };
    json = unframe(serve_event_tokens(&stream, &scratch, 1, 3, true, &usage));
    delta = json_object_get(only_choice(json, 1), "delta");
    assert_string_equal(text_at(delta, "content"), " token token token");
    assert_string_equal(text_at(only_choice(json, 1), "finish_reason"), "length");
    assert_usage(json, 5, 3);
    json_decref(json);
    release(&stream, &scratch);
}

static void usage_comes_without_choices(void **state)
{
    (void)state;
    struct serve_stream stream;
    struct buffer scratch = BUFFER_INIT;
    start(&stream, true);
    const struct serve_usage usage = { .prompt_tokens = 100,
                                       .completion_tokens = 20,
                                       .cached_tokens = 64 };
    json_t *json = unframe(serve_event_usage(&stream, &scratch, &usage));
    assert_int_equal(json_array_size(json_object_get(json, "choices")), 0);
    assert_usage(json, 100, 20);
    json_t *details = json_object_get(json_object_get(json, "usage"),
                                      "prompt_tokens_details");
    assert_int_equal(json_integer_value(json_object_get(details, "cached_tokens")), 64);
    json_decref(json);
    release(&stream, &scratch);
}

/* 14 bytes of event and then the chunk that ends the body. */
static void done_ends_the_body(void **state)
{
    (void)state;
    struct serve_stream stream;
    struct buffer scratch = BUFFER_INIT;
    start(&stream, true);
    static const char with_end[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    struct serve_event event = serve_event_done(&stream, &scratch, true);
    assert_int_equal(event.len, sizeof(with_end) - 1);
    assert_memory_equal(event.bytes, with_end, event.len);
    event = serve_event_done(&stream, &scratch, false);
    assert_int_equal(event.len, sizeof(with_end) - 1 - strlen(SERVE_LAST_CHUNK));
    stream.framed = false;
    event = serve_event_done(&stream, &scratch, true);
    assert_int_equal(event.len, 14);
    assert_memory_equal(event.bytes, "data: [DONE]\n\n", 14);
    release(&stream, &scratch);
}

static void whole_answers(void **state)
{
    (void)state;
    for (int chat = 0; chat < 2; chat++) {
        struct buffer body = BUFFER_INIT;
        const struct serve_usage usage = { .prompt_tokens = 9, .completion_tokens = 4 };
        serve_answer_append(&body, chat, &identity, 2, 2, &usage);
        json_t *json = json_loadb(body.data, body.len, 0, NULL);
        assert_non_null(json);
        assert_string_equal(text_at(json, "object"),
                            chat ? "chat.completion" : "text_completion");
        assert_usage(json, 9, 4);
        json_t *choices = json_object_get(json, "choices");
        assert_int_equal(json_array_size(choices), 2);
        json_t *second = json_array_get(choices, 1);
        json_t *message = chat ? json_object_get(second, "message") : second;
        assert_string_equal(text_at(message, chat ? "content" : "text"), " token token");
        assert_string_equal(text_at(second, "finish_reason"), "length");
        json_decref(json);
        buffer_release(&body);
    }
}

static void error_objects(void **state)
{
    (void)state;
    struct buffer body = BUFFER_INIT;
    serve_error_append(&body, 429, "too \"many\"", "prompt");
    json_t *json = json_loadb(body.data, body.len, 0, NULL);
    assert_non_null(json);
    json_t *error = json_object_get(json, "error");
    assert_string_equal(text_at(error, "message"), "too \"many\"");
    assert_string_equal(text_at(error, "type"), "RateLimitError");
    assert_string_equal(text_at(error, "param"), "prompt");
    assert_int_equal(json_integer_value(json_object_get(error, "code")), 429);
    json_decref(json);
    buffer_release(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_of_completions),
        cmocka_unit_test(chunks_of_chat),
        cmocka_unit_test(usage_comes_without_choices),
        cmocka_unit_test(done_ends_the_body),
        cmocka_unit_test(whole_answers),
        cmocka_unit_test(error_objects),
    };
    return cmocka_run_group_tests_name("serve_chunk", tests, NULL, NULL);
}
