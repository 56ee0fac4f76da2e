/* Bodies: what they ask for, exact lengths, prefixes that are shared and that are not. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan_making.h"
#include "replay/request_body.h"

static const struct body_options DEFAULTS = BODY_OPTIONS_INIT;

/* The body of request `index` as a document. New reference. */
static json_t *body_of(const struct plan *plan, size_t index,
                       const struct body_options *options)
{
    struct buffer body = BUFFER_INIT;
    request_body_append(&body, plan, index, options);
    json_t *document = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, NULL);
    buffer_release(&body);
    assert_non_null(document);
    return document;
}

static json_int_t integer_of(const json_t *body, const char *key)
{
    json_t *value = json_object_get(body, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* The prompt's ids. Returns how many; at most `max` are kept. */
static size_t ids_of(const struct plan *plan, size_t index,
                     const struct body_options *options, json_int_t *ids, size_t max)
{
    json_t *body = body_of(plan, index, options);
    json_t *prompt = json_object_get(body, "prompt");
    size_t count = json_array_size(prompt);
    for (size_t i = 0; i < count && i < max; i++)
        ids[i] = json_integer_value(json_array_get(prompt, i));
    json_decref(body);
    return count;
}

static struct plan simple_plan(void)
{
    struct plan_options options = plan_defaults();
    return plan_from_text("{\"due_ns\":0,\"input_tokens\":1,\"output_tokens\":44}\n"
                          "{\"due_ns\":0,\"input_tokens\":100,\"output_tokens\":1}\n"
                          "{\"due_ns\":0,\"input_tokens\":100,\"output_tokens\":1}\n",
                          &options);
}

static void completions_ask_for_what_was_planned(void **state)
{
    (void)state;
    struct plan plan = simple_plan();
    struct body_options options = DEFAULTS;
    options.model = "a \"model\"";
    json_t *body = body_of(&plan, 0, &options);
    assert_string_equal(json_string_value(json_object_get(body, "model")), "a \"model\"");
    assert_int_equal(json_array_size(json_object_get(body, "prompt")), 1);
    assert_int_equal(integer_of(body, "max_tokens"), 44);
    assert_int_equal(integer_of(body, "temperature"), 0);
    assert_true(json_is_true(json_object_get(body, "stream")));
    assert_true(json_is_true(json_object_get(body, "ignore_eos")));
    json_t *stream_options = json_object_get(body, "stream_options");
    assert_true(json_is_true(json_object_get(stream_options, "include_usage")));
    json_decref(body);
    plan_release(&plan);
}

static void what_is_not_wanted_is_not_said(void **state)
{
    (void)state;
    struct plan plan = simple_plan();
    struct body_options options = DEFAULTS;
    options.stream = false;
    options.ignore_eos = false;
    json_t *body = body_of(&plan, 0, &options);
    assert_null(json_object_get(body, "model"));
    assert_null(json_object_get(body, "stream"));
    assert_null(json_object_get(body, "stream_options"));
    assert_null(json_object_get(body, "ignore_eos"));
    json_decref(body);
    options.api = API_CHAT;
    body = body_of(&plan, 0, &options);
    assert_int_equal(integer_of(body, "max_completion_tokens"), 44);
    assert_null(json_object_get(body, "max_tokens"));
    json_decref(body);
    plan_release(&plan);
}

static size_t words_in(const char *text)
{
    size_t words = *text != '\0';
    for (; *text != '\0'; text++)
        words += *text == ' ';
    return words;
}

static void chat_sends_words(void **state)
{
    (void)state;
    struct plan plan = simple_plan();
    struct body_options options = DEFAULTS;
    options.api = API_CHAT;
    json_t *body = body_of(&plan, 1, &options);
    assert_int_equal(integer_of(body, "max_completion_tokens"), 1);
    assert_int_equal(integer_of(body, "max_tokens"), 1);
    json_t *message = json_array_get(json_object_get(body, "messages"), 0);
    assert_string_equal(json_string_value(json_object_get(message, "role")), "user");
    const char *content = json_string_value(json_object_get(message, "content"));
    assert_int_equal(words_in(content), 100);
    json_decref(body);
    options.words_per_token = 0.75;
    body = body_of(&plan, 1, &options);
    message = json_array_get(json_object_get(body, "messages"), 0);
    assert_int_equal(words_in(json_string_value(json_object_get(message, "content"))),
                     75);
    json_decref(body);
    plan_release(&plan);
}

static void ids_stay_in_the_vocabulary(void **state)
{
    (void)state;
    struct plan plan = simple_plan();
    struct body_options options = DEFAULTS;
    static const uint32_t vocabularies[][2] = { { 1000, 30000 }, { 0, 2 }, { 7, 17 },
                                                { 16777000, 16777216 } };
    for (size_t i = 0; i < 4; i++) {
        json_int_t ids[100];
        options.vocab_first = vocabularies[i][0];
        options.vocab_end = vocabularies[i][1];
        assert_int_equal(ids_of(&plan, 1, &options, ids, 100), 100);
        for (size_t k = 0; k < 100; k++)
            assert_in_range(ids[k], vocabularies[i][0], vocabularies[i][1] - 1);
    }
    plan_release(&plan);
}

/* 3,000 prompts of two tokens over 100 ids: no first token comes twice within 100
 * requests, no prompt twice at all. */
static void random_prompts_are_unique(void **state)
{
    (void)state;
    enum { REQUESTS = 3000, VOCABULARY = 100 };
    struct plan_request requests[REQUESTS];
    struct plan plan = { .requests = requests, .count = REQUESTS, .seed = 9 };
    struct body_options options = DEFAULTS;
    static unsigned char seen[VOCABULARY][VOCABULARY];
    size_t last_with_first[VOCABULARY];
    options.vocab_first = 0;
    options.vocab_end = VOCABULARY;
    for (size_t i = 0; i < REQUESTS; i++) {
        json_int_t ids[2];
        requests[i] = (struct plan_request){ .input_tokens = 2, .output_tokens = 1,
                                             .session = SESSION_NONE, .text = TEXT_NONE };
        assert_int_equal(ids_of(&plan, i, &options, ids, 2), 2);
        if (i >= VOCABULARY)
            assert_true(i - last_with_first[ids[0]] >= VOCABULARY);
        last_with_first[ids[0]] = i;
        assert_false(seen[ids[0]][ids[1]]++);
    }
}

static void prompts_depend_on_seed_and_request(void **state)
{
    (void)state;
    struct plan plan = simple_plan();
    json_int_t first[100], second[100], again[100];
    ids_of(&plan, 1, &DEFAULTS, first, 100);
    ids_of(&plan, 2, &DEFAULTS, second, 100);
    ids_of(&plan, 1, &DEFAULTS, again, 100);
    assert_memory_equal(first, again, sizeof first);
    assert_true(first[0] != second[0]);
    assert_memory_not_equal(first + 10, second + 10, 80 * sizeof *first);
    plan.seed++;
    ids_of(&plan, 1, &DEFAULTS, again, 100);
    assert_memory_not_equal(first + 10, again + 10, 80 * sizeof *first);
    plan_release(&plan);
}

static const char blocks_text[] =
    "{\"due_ns\":0,\"input_tokens\":40,\"output_tokens\":1,\"block_tokens\":16,"
    "\"hash_ids\":[100,200,300]}\n"
    "{\"due_ns\":0,\"input_tokens\":37,\"output_tokens\":1,\"block_tokens\":16,"
    "\"hash_ids\":[100,201,300]}\n"
    "{\"due_ns\":0,\"input_tokens\":40,\"output_tokens\":1,\"block_tokens\":16,"
    "\"hash_ids\":[100,29200]}\n";

static void equal_ids_give_equal_blocks(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    struct plan plan = plan_from_text(blocks_text, &options);
    json_int_t a[40], b[40], c[40];
    assert_int_equal(ids_of(&plan, 0, &DEFAULTS, a, 40), 40);
    assert_int_equal(ids_of(&plan, 1, &DEFAULTS, b, 40), 37);
    assert_int_equal(ids_of(&plan, 2, &DEFAULTS, c, 40), 40);
    assert_memory_equal(a, b, 16 * sizeof *a);
    assert_memory_equal(a, c, 16 * sizeof *a);
    /* Other ids differ from the first token on; the last block may be partial. */
    assert_true(a[16] != b[16]);
    assert_memory_equal(a + 32, b + 32, 5 * sizeof *a);
    /* 200 and 29,200 are the same modulo the vocabulary of 29,000: the second token
     * differs. */
    assert_true(a[16] == c[16] && a[17] != c[17]);
    plan_release(&plan);
}

static void blocks_are_the_same_in_other_plans(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    struct plan plan = plan_from_text(blocks_text, &options);
    options.limit = 1;
    options.start_ns = 0;
    struct plan other = plan_from_text(
        "{\"due_ns\":0,\"input_tokens\":5,\"output_tokens\":1}\n"
        "{\"due_ns\":0,\"input_tokens\":16,\"output_tokens\":1,\"block_tokens\":16,"
        "\"hash_ids\":[200]}\n",
        &(struct plan_options){
            .trace = "trace", .sample = 1, .repeat = 1, .speed = 1, .seed = 1 });
    json_int_t a[40], b[16];
    ids_of(&plan, 0, &DEFAULTS, a, 40);
    ids_of(&other, 1, &DEFAULTS, b, 16);
    assert_memory_equal(a + 16, b, sizeof b);
    plan_release(&other);
    plan_release(&plan);
}

static void what_follows_the_blocks_is_the_requests_own(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    struct plan plan = plan_from_text(
        "{\"due_ns\":0,\"input_tokens\":40,\"output_tokens\":1,\"block_tokens\":16,"
        "\"hash_ids\":[1]}\n"
        "{\"due_ns\":0,\"input_tokens\":40,\"output_tokens\":1,\"block_tokens\":16,"
        "\"hash_ids\":[1]}\n",
        &options);
    json_int_t a[40], b[40];
    ids_of(&plan, 0, &DEFAULTS, a, 40);
    ids_of(&plan, 1, &DEFAULTS, b, 40);
    assert_memory_equal(a, b, 16 * sizeof *a);
    assert_true(a[16] != b[16]);
    plan_release(&plan);
}

static void texts_are_sent_as_they_are(void **state)
{
    (void)state;
    struct plan_options plan_options = plan_defaults();
    plan_options.prompts = "trace";
    struct plan plan = plan_from_text(
        "{\"due_ns\":0,\"input_tokens\":4,\"output_tokens\":1,\"messages\":["
        "{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"},"
        "{\"role\":\"user\",\"content\":\"Hi\\u00e9\"}]}\n",
        &plan_options);
    struct body_options options = DEFAULTS;
    json_t *body = body_of(&plan, 0, &options);
    assert_string_equal(json_string_value(json_object_get(body, "prompt")),
                        "Be \"brief\".\nHi\xc3\xa9");
    json_decref(body);
    options.api = API_CHAT;
    body = body_of(&plan, 0, &options);
    json_t *messages = json_object_get(body, "messages");
    assert_int_equal(json_array_size(messages), 2);
    json_t *content = json_object_get(json_array_get(messages, 1), "content");
    assert_string_equal(json_string_value(content), "Hi\xc3\xa9");
    json_decref(body);
    plan_release(&plan);
}

static void vocabularies_are_checked(void **state)
{
    (void)state;
    struct body_options options = DEFAULTS;
    struct fault fault = { 0 };
    assert_int_equal(body_options_parse_vocab(&options, "5:7", &fault), STATUS_OK);
    assert_int_equal(options.vocab_first, 5);
    assert_int_equal(options.vocab_end, 7);
    static const char *const bad[] = { "",    "5",   "5:",  ":7",       "5:6",
                                       "7:5", "a:b", "-1:7", "5:7x", "0:16777217" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(body_options_parse_vocab(&options, bad[i], &fault),
                         STATUS_USAGE);
    assert_int_equal(options.vocab_end, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_ask_for_what_was_planned),
        cmocka_unit_test(what_is_not_wanted_is_not_said),
        cmocka_unit_test(chat_sends_words),
        cmocka_unit_test(ids_stay_in_the_vocabulary),
        cmocka_unit_test(random_prompts_are_unique),
        cmocka_unit_test(prompts_depend_on_seed_and_request),
        cmocka_unit_test(equal_ids_give_equal_blocks),
        cmocka_unit_test(blocks_are_the_same_in_other_plans),
        cmocka_unit_test(what_follows_the_blocks_is_the_requests_own),
        cmocka_unit_test(texts_are_sent_as_they_are),
        cmocka_unit_test(vocabularies_are_checked),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
