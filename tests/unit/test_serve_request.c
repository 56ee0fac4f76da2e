/* Bodies of requests to the simulated server: lengths of prompts, wishes, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/memory.h"
#include "replay/serve_request.h"

/* The body lies in memory of exactly its size, so that a sanitizer sees a read past it.
 */
static bool parse(struct serve_request *request, enum serve_prompt prompt,
                  const char *body, struct serve_refusal *refusal, char **copy)
{
    *copy = memory_new(strlen(body) + 1, 1);
    char *exact = memory_resize(*copy, strlen(body) ? strlen(body) : 1, 1);
    memcpy(exact, body, strlen(body));
    *copy = exact;
    return serve_request_parse(request, prompt, exact, strlen(body), NULL, refusal);
}

static const struct {
    const char *prompt; /* the value of "prompt" */
    uint32_t prompts;
    uint32_t tokens[3];
} prompts[] = {
    { "\"one two  three\"", 1, { 3 } },
    { "\"\"", 1, { 0 } },
    { "\"  \"", 1, { 0 } },
    { "\" lead and trail \"", 1, { 3 } },
    { "\"a\\nb\\tc\\rd\"", 1, { 4 } },
    { "\"a\\u0020b\\u000Ac\"", 1, { 3 } },
    { "\"a\\u00e9b \\\"q\\\" \\\\ \\/\"", 1, { 4 } },
    { "\"h\xc3\xa9llo w\xc3\xb6rld\"", 1, { 2 } },
    { "[1]", 1, { 1 } },
    { "[1, 22 ,333]", 1, { 3 } },
    { "[\"a b\", \"c\"]", 2, { 2, 1 } },
    { "[[1,2],[3],[4,5,6]]", 3, { 2, 1, 3 } },
};

static void prompts_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
        char body[256];
        char *copy;
        struct serve_request request;
        struct serve_refusal refusal = { 0 };
        snprintf(body, sizeof(body), "{\"prompt\": %s}", prompts[i].prompt);
        if (!parse(&request, SERVE_PROMPT, body, &refusal, &copy))
            fail_msg("%s: %s", body, refusal.message);
        assert_int_equal(request.prompts, prompts[i].prompts);
        for (uint32_t j = 0; j < request.prompts; j++)
            assert_int_equal(request.prompt_tokens[j], prompts[i].tokens[j]);
        free(copy);
    }
}

static uint32_t message_tokens(const char *messages)
{
    char body[512];
    char *copy;
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    snprintf(body, sizeof(body), "{\"messages\":%s}", messages);
    if (!parse(&request, SERVE_MESSAGES, body, &refusal, &copy))
        fail_msg("%s: %s", body, refusal.message);
    assert_int_equal(request.prompts, 1);
    free(copy);
    return request.prompt_tokens[0];
}

static void messages_are_counted(void **state)
{
    (void)state;
    assert_int_equal(message_tokens("[{\"role\":\"user\",\"content\":\"a b c\"}]"), 3);
    assert_int_equal(message_tokens("[{\"content\":\"a\"},{\"content\":\"b c\"}]"), 3);
    assert_int_equal(
        message_tokens("[{\"content\":[{\"type\":\"text\",\"text\":\"a b\"},"
                       "{\"type\":\"image_url\",\"image_url\":{\"url\":\"x y z\"}}]}]"),
        2);
    assert_int_equal(message_tokens("[{\"content\":null},{\"content\":[\"a b\"]}]"), 2);
}

static void wishes(void **state)
{
    (void)state;
    char *copy;
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    assert_true(parse(&request, SERVE_PROMPT, "{\"prompt\":\"a\"}", &refusal, &copy));
    assert_int_equal(request.max_tokens, 16);
    assert_int_equal(request.n, 1);
    assert_int_equal(request.model.len, 0);
    assert_false(request.stream);
    free(copy);
    assert_true(
        parse(&request, SERVE_PROMPT,
              " {\"stream\":true,\"x\":{\"stream\":false},\"n\":3,\"model\":\"m/\\\"x\","
              "\"max_tokens\":7,\"stream_options\":{\"include_usage\":true,"
              "\"continuous_usage_stats\":true},\"prompt\":\"a\",\"ignore_eos\":true} ",
              &refusal, &copy));
    assert_true(request.stream && request.include_usage && request.continuous_usage);
    assert_int_equal(request.n, 3);
    assert_int_equal(request.max_tokens, 7);
    assert_int_equal(request.model.len, 5);
    assert_memory_equal(request.model.bytes, "m/\\\"x", 5);
    free(copy);
    assert_true(parse(&request, SERVE_PROMPT,
                      "{\"prompt\":\"a\",\"max_tokens\":null,\"n\":null,\"stream\":null,"
                      "\"stream_options\":null}",
                      &refusal, &copy));
    assert_int_equal(request.max_tokens, 16);
    free(copy);
}

static uint32_t chat_limit(const char *fields)
{
    char body[256];
    char *copy;
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    snprintf(body, sizeof(body), "{\"messages\":[{\"content\":\"a\"}],%s}", fields);
    assert_true(parse(&request, SERVE_MESSAGES, body, &refusal, &copy));
    free(copy);
    return request.max_tokens;
}

static void the_newer_limit_overrides_the_older(void **state)
{
    (void)state;
    assert_int_equal(chat_limit("\"max_tokens\":5"), 5);
    assert_int_equal(chat_limit("\"max_completion_tokens\":9"), 9);
    assert_int_equal(chat_limit("\"max_completion_tokens\":9,\"max_tokens\":5"), 9);
    assert_int_equal(chat_limit("\"max_tokens\":5,\"max_completion_tokens\":9"), 9);
    assert_int_equal(chat_limit("\"max_tokens\":5,\"max_completion_tokens\":null"), 5);
}

static const struct {
    enum serve_prompt prompt;
    const char *body;
    const char *param; /* NULL: none */
} refused[] = {
    { SERVE_PROMPT, "", NULL },
    { SERVE_PROMPT, "{", NULL },
    { SERVE_PROMPT, "[]", NULL },
    { SERVE_PROMPT, "{\"prompt\":\"a\"} x", NULL },
    { SERVE_PROMPT, "{\"prompt\":\"a\",}", NULL },
    { SERVE_PROMPT, "{\"prompt\":\"a", NULL },
    { SERVE_PROMPT, "{\"prompt\":\"a\\u12\"}", NULL },
    { SERVE_PROMPT, "{\"prompt\":[1,2", NULL },
    { SERVE_PROMPT, "{}", "prompt" },
    { SERVE_PROMPT, "{\"messages\":[{\"content\":\"a\"}]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":null}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[[]]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":7}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[1,\"a\"]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[[1],2]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[[\"a\"]]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":[-1]}", "prompt" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":0}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":-1}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":1.5}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":\"9\"}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":1000001}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"max_tokens\":18446744073709551617}",
      "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"n\":0}", "n" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"n\":129}", "n" },
    { SERVE_PROMPT, "{\"prompt\":[\"a\",\"b\"],\"n\":65}", "n" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"n\":5,\"max_tokens\":800001}", "max_tokens" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"stream\":1}", "stream" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"model\":5}", "model" },
    { SERVE_PROMPT, "{\"prompt\":\"a\",\"stream_options\":[]}", "stream_options" },
    { SERVE_MESSAGES, "{\"messages\":[]}", "messages" },
    { SERVE_MESSAGES, "{\"messages\":\"a\"}", "messages" },
    { SERVE_MESSAGES, "{\"messages\":[\"a\"]}", "messages" },
    { SERVE_MESSAGES, "{\"messages\":[{\"content\":5}]}", "messages" },
    { SERVE_MESSAGES, "{\"prompt\":\"a\"}", "messages" },
    { SERVE_EITHER, "{\"x\":1}", "prompt" },
};

static void refusals_name_the_parameter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        char *copy;
        struct serve_request request;
        struct serve_refusal refusal = { 0 };
        if (parse(&request, refused[i].prompt, refused[i].body, &refusal, &copy))
            fail_msg("%s was accepted", refused[i].body);
        assert_non_null(refusal.message);
        const char *param = refusal.param ? refusal.param : "none";
        if (strcmp(param, refused[i].param ? refused[i].param : "none"))
            fail_msg("%s: blames %s", refused[i].body, param);
        free(copy);
    }
}

static void more_prompts_than_allowed(void **state)
{
    (void)state;
    char body[1024] = "{\"prompt\":[\"a\"";
    for (int i = 1; i < SERVE_CHOICES_MAX + 1; i++)
        strcat(body, ",\"a\"");
    strcat(body, "]}");
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    assert_false(
        serve_request_parse(&request, SERVE_PROMPT, body, strlen(body), NULL, &refusal));
    assert_string_equal(refusal.param, "prompt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prompts_are_counted),
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(wishes),
        cmocka_unit_test(the_newer_limit_overrides_the_older),
        cmocka_unit_test(refusals_name_the_parameter),
        cmocka_unit_test(more_prompts_than_allowed),
    };
    return cmocka_run_group_tests_name("serve_request", tests, NULL, NULL);
}
