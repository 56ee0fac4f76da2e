/* Bodies of requests to the simulated server, against jansson: what is accepted is JSON,
 * and its prompt counts as many tokens there. Byte 0 says where the prompt is looked for.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/serve_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t words_of(const json_t *text)
{
    static const char space[] = " \t\n\v\f\r";
    size_t words = 0;
    const char *at = json_string_value(text);
    const char *end = at + json_string_length(text);
    for (bool inside = false; at < end; at++) {
        bool blank = *at && strchr(space, *at);
        words += !blank && !inside;
        inside = !blank;
    }
    return words;
}

static void check(bool true_of_all)
{
    if (!true_of_all)
        abort();
}

static void check_prompt(const json_t *prompt, const struct serve_request *request)
{
    if (json_is_string(prompt)) {
        check(request->prompts == 1 && request->prompt_tokens[0] == words_of(prompt));
        return;
    }
    const json_t *first = json_array_get(prompt, 0);
    check(first != NULL);
    if (json_is_number(first)) {
        check(request->prompts == 1 &&
              request->prompt_tokens[0] == json_array_size(prompt));
        return;
    }
    check(request->prompts == json_array_size(prompt));
    for (size_t i = 0; i < request->prompts; i++) {
        const json_t *one = json_array_get(prompt, i);
        check(request->prompt_tokens[i] ==
              (json_is_string(one) ? words_of(one) : json_array_size(one)));
    }
}

static size_t words_of_content(const json_t *content)
{
    size_t words = json_is_string(content) ? words_of(content) : 0;
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i);
        const json_t *text = json_is_string(part) ? part : json_object_get(part, "text");
        words += json_is_string(text) ? words_of(text) : 0;
    }
    return words;
}

static void check_messages(const json_t *messages, const struct serve_request *request)
{
    size_t words = 0;
    for (size_t i = 0; i < json_array_size(messages); i++)
        words += words_of_content(
            json_object_get(json_array_get(messages, i), "content"));
    check(request->prompts == 1 && request->prompt_tokens[0] == words);
}

/* Fields that come twice are read twice by us and once by jansson: it refuses them here.
 */
static void compare(const char *body, size_t len, enum serve_prompt prompt,
                    const struct serve_request *request)
{
    json_t *json = json_loadb(body, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!json)
        return;
    check(json_is_object(json));
    if (prompt == SERVE_PROMPT)
        check_prompt(json_object_get(json, "prompt"), request);
    else
        check_messages(json_object_get(json, "messages"), request);
    const json_t *limit = json_object_get(json, "max_tokens");
    if (prompt == SERVE_PROMPT)
        check(json_is_integer(limit) ? json_integer_value(limit) == request->max_tokens
                                     : request->max_tokens == SERVE_DEFAULT_MAX_TOKENS);
    check(request->stream == json_is_true(json_object_get(json, "stream")));
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    struct serve_blocks blocks = { 0 };
    enum serve_prompt prompt = data[0] & 1 ? SERVE_MESSAGES : SERVE_PROMPT;
    const char *body = (const char *)data + 1;
    if (serve_request_parse(&request, prompt, body, size - 1, &blocks, &refusal)) {
        compare(body, size - 1, prompt, &request);
        check(blocks.count ==
              (request.prompts > 1 ? 0 : request.prompt_tokens[0] / SERVE_BLOCK_TOKENS));
    } else {
        check(refusal.message != NULL);
    }
    serve_blocks_release(&blocks);
    return 0;
}
