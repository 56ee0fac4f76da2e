/* The chunk scanner: what the table of streams cannot say well, limits, and a comparison
 * with the reference over payloads that a seeded generator damages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/buffer.h"
#include "formats/chunk_scanner.h"
#include "tests/unit/chunk_reference.h"

static struct chunk scan(const char *payload)
{
    struct chunk chunk;
    char *exact = malloc(strlen(payload) + 1);
    memcpy(exact, payload, strlen(payload));
    chunk_scan(&chunk, exact, strlen(payload), "");
    free(exact);
    return chunk;
}

/* Legal and illegal JSON around a token. */
static const struct {
    const char *payload;
    bool valid;
} grammar[] = {
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":-0.5e+10}", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":1E5}", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":0}", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":99999999999999999999999999}", true },
    { "\t{ \"choices\" :\r\n[ { \"text\" : \"a\" } ] }\n", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"\":{},\"x\":[[],{}]}", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":\"\\b\\f\\n\\r\\t\\/\\uABcd\"}", true },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":.5}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":5.}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":1e}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":+1}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":-}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":00}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":nul}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":True}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":\"\\v\"}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":\"\\u12g4\"}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\":\"a\tb\"}", false },
    { "{\"choices\":[{\"text\":\"a\"}],\"x\"}", false },
    { "{\"choices\":[{\"text\":\"a\"}],}", false },
    { "{\"choices\":[{\"text\":\"a\"},]}", false },
    { "{\"choices\":[{\"text\":\"a\"}] \"x\":1}", false },
    { "{\"choices\":[{\"text\":\"a\"}]", false },
    { "{\"choices\":[{\"text\":\"a\"]}", false },
    { "{\"choices\":[{\"text\":\"a", false },
    { "{\"choices\":[{\"text\":\"a\\", false },
    { "", false },
    { " ", false },
};

static void test_grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        struct chunk chunk = scan(grammar[i].payload);
        if (chunk.valid != grammar[i].valid
            || chunk.kind != (chunk.valid ? EVENT_CONTENT : EVENT_OTHER)
            || chunk.choice_count != (chunk.valid ? 1 : 0))
            fail_msg("%s: valid %d, kind %d", grammar[i].payload, chunk.valid,
                     chunk.kind);
    }
}

static void test_every_cut_of_a_chunk_is_refused(void **state)
{
    static const char payload[] =
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\u00e9\"},"
        "\"finish_reason\":null}],\"usage\":null,\"n\":-1.5e3}";
    (void)state;
    assert_true(scan(payload).valid);
    for (size_t len = 0; len < sizeof payload - 1; len++) {
        struct chunk chunk;
        char *exact = malloc(len + 1);
        memcpy(exact, payload, len);
        chunk_scan(&chunk, exact, len, "");
        free(exact);
        assert_false(chunk.valid);
        assert_int_equal(chunk.kind, EVENT_OTHER);
    }
}

/* A string is read in blocks: what ends or spoils it may stand at any place in one. */
static void test_every_place_in_a_string(void **state)
{
    static const char spoilers[] = { '\x01', '\x1f', '\n', '"', '\\', '\x7f', '\xff' };
    (void)state;
    for (size_t i = 0; i < sizeof spoilers; i++) {
        for (size_t place = 0; place < 40; place++) {
            char payload[] = "{\"choices\":[{\"text\":"
                             "\"0123456789012345678901234567890123456789\"}]}";
            payload[21 + place] = spoilers[i];
            bool legal = spoilers[i] == '\x7f' || spoilers[i] == '\xff';
            assert_int_equal(scan(payload).valid, legal);
        }
    }
}

static bool valid_at_depth(unsigned depth, const char *open, const char *close)
{
    struct buffer payload = BUFFER_INIT;
    for (unsigned i = 0; i < depth; i++)
        buffer_append_text(&payload, open);
    buffer_append_text(&payload, "0");
    for (unsigned i = 0; i < depth; i++)
        buffer_append_text(&payload, close);
    bool valid = scan(buffer_text(&payload)).valid;
    buffer_release(&payload);
    return valid;
}

static void test_depth(void **state)
{
    (void)state;
    assert_true(valid_at_depth(JSON_DEPTH_MAX, "[", "]"));
    assert_false(valid_at_depth(JSON_DEPTH_MAX + 1, "[", "]"));
    assert_true(valid_at_depth(JSON_DEPTH_MAX, "{\"x\":", "}"));
    assert_false(valid_at_depth(JSON_DEPTH_MAX + 1, "{\"x\":", "}"));
}

static void test_types_of_events(void **state)
{
    static const struct {
        const char *type;
        unsigned kind;
    } types[] = {
        { "content_block_delta", EVENT_CONTENT },
        { "content_block_start", EVENT_CONTENT },
        { "content_block_stop", EVENT_OTHER },
        { "error", EVENT_ERROR },
        { "message", EVENT_ROLE },
        { "message_delta", EVENT_CONTENT },
        { "message_start", EVENT_ROLE },
        { "message_stop", EVENT_DONE },
        { "ping", EVENT_COMMENT },
        { "response.cancelled", EVENT_ERROR },
        { "response.code_interpreter_call_code.delta", EVENT_TOOL },
        { "response.completed", EVENT_DONE },
        { "response.created", EVENT_OTHER },
        { "response.custom_tool_call_input.delta", EVENT_TOOL },
        { "response.failed", EVENT_ERROR },
        { "response.function_call_arguments.delta", EVENT_TOOL },
        { "response.incomplete", EVENT_DONE },
        { "response.mcp_call_arguments.delta", EVENT_TOOL },
        { "response.output_text.delta", EVENT_CONTENT },
        { "response.reasoning.delta", EVENT_REASONING },
        { "response.reasoning_summary.delta", EVENT_REASONING },
        { "response.reasoning_summary_text.delta", EVENT_REASONING },
        { "response.reasoning_text.delta", EVENT_REASONING },
        { "response.refusal.delta", EVENT_CONTENT },
        { "unheard.of", EVENT_OTHER },
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char payload[128];
        snprintf(payload, sizeof payload, "{\"type\":\"%s\",\"delta\":\"a\"}",
                 types[i].type);
        struct chunk chunk = scan(payload);
        if (chunk.kind != types[i].kind)
            fail_msg("%s: %s", types[i].type, event_kind_name(chunk.kind));
        assert_int_equal(chunk.answer, strcmp(types[i].type, "unheard.of") != 0
                                           && chunk.kind != EVENT_ERROR
                                           && chunk.kind != EVENT_COMMENT);
    }
}

/* A kind of event that is new to us is still one of an answer, if its name begins so. */
static void test_new_types_of_responses(void **state)
{
    (void)state;
    assert_true(scan("{\"type\":\"response.new\"}").answer);
    assert_true(scan("{\"type\":\"r\\u0065sponse.new\"}").answer);
    assert_true(scan("{\"type\":\"response.\"}").answer);
    assert_false(scan("{\"type\":\"response\"}").answer);
    assert_false(scan("{\"type\":\"r\\u0065sponse\"}").answer);
    assert_false(scan("{\"type\":\"a response.new\"}").answer);
}

static void test_number_of_choices(void **state)
{
    (void)state;
    for (unsigned count = CHUNK_CHOICES_MAX; count <= CHUNK_CHOICES_MAX + 1; count++) {
        struct buffer payload = BUFFER_INIT;
        buffer_append_text(&payload, "{\"choices\":[{\"text\":\"a\"}");
        for (unsigned i = 1; i < count; i++)
            buffer_append_text(&payload, ",{\"text\":\"a\"}");
        buffer_append_text(&payload, "]}");
        struct chunk chunk = scan(buffer_text(&payload));
        bool within = count <= CHUNK_CHOICES_MAX;
        assert_int_equal(chunk.choice_count, within ? count : 0);
        assert_int_equal(chunk.kind, within ? EVENT_CONTENT : EVENT_OTHER);
        if (within)
            assert_int_equal(chunk.choices[count - 1].index, count - 1);
        buffer_release(&payload);
    }
}

static void test_bounds_of_counts(void **state)
{
    static const struct {
        const char *text;
        uint32_t expected;
    } counts[] = {
        { "0", 0 },
        { "-0", 0 },
        { "4294967294", 4294967294u },
        { "4294967295", COUNT_NONE },
        { "18446744073709551617", COUNT_NONE },
        { "-1", COUNT_NONE },
        { "1.0", COUNT_NONE },
        { "1e2", COUNT_NONE },
        { "null", COUNT_NONE },
        { "\"1\"", COUNT_NONE },
        { "[1]", COUNT_NONE },
    };
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char payload[128];
        snprintf(payload, sizeof payload, "{\"usage\":{\"completion_tokens\":%s}}",
                 counts[i].text);
        struct chunk chunk = scan(payload);
        assert_true(chunk.has_usage);
        assert_int_equal(chunk.kind, EVENT_USAGE);
        assert_int_equal(chunk.usage.completion_tokens, counts[i].expected);
    }
}

static void test_sum_of_input_does_not_wrap(void **state)
{
    (void)state;
    struct chunk chunk = scan("{\"usage\":{\"input_tokens\":4294967290,"
                              "\"cache_read_input_tokens\":4,\"output_tokens\":1}}");
    assert_int_equal(chunk.usage.prompt_tokens, 4294967294u);
    chunk = scan("{\"usage\":{\"input_tokens\":4294967290,"
                 "\"cache_read_input_tokens\":5,\"output_tokens\":1}}");
    assert_int_equal(chunk.usage.prompt_tokens, COUNT_NONE);
    assert_int_equal(chunk.usage.cached_tokens, 5);
}

static void test_finish_reason_is_safe_text(void **state)
{
    (void)state;
    struct chunk chunk = scan("{\"choices\":[{\"text\":\"\",\"finish_reason\":"
                              "\"a\\u001b[31m\\n\xc3\xa9\\u00e9\\\"\"}]}");
    assert_string_equal(chunk.finish_reason, "a?[31m???\"");
}

static void test_event_field_decides_where_the_payload_does_not(void **state)
{
    struct chunk chunk;
    (void)state;
    chunk_scan(&chunk, "oops", 4, "error");
    assert_int_equal(chunk.kind, EVENT_ERROR);
    chunk_scan(&chunk, "oops", 4, "ping");
    assert_int_equal(chunk.kind, EVENT_COMMENT);
    chunk_scan(&chunk, "{}", 2, "ping");
    assert_int_equal(chunk.kind, EVENT_COMMENT);
    chunk_scan(&chunk, "{}", 2, "message_stop");
    assert_int_equal(chunk.kind, EVENT_OTHER);
    chunk_scan(&chunk, "{\"choices\":[{\"text\":\"a\"}]}", 26, "ping");
    assert_int_equal(chunk.kind, EVENT_CONTENT);
}

/* The last of duplicate members counts, and nothing stays of the others. */
static void test_duplicate_members(void **state)
{
    static const char *const payloads[] = {
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"x\"},\"delta\":{}}",
        "{\"type\":\"message_delta\",\"delta\":{\"text\":\"a\",\"text\":null}}",
        "{\"type\":\"message_start\",\"message\":{\"usage\":{}},\"message\":null}",
        "{\"type\":\"response.completed\",\"response\":{\"status\":\"a\",\"usage\":{},"
        "\"error\":1,\"incomplete_details\":{\"reason\":\"b\"}},\"response\":{}}",
        "{\"object\":\"response\",\"status\":\"completed\",\"incomplete_details\":"
        "{\"reason\":\"b\"},\"incomplete_details\":{}}",
        "{\"message\":\"text\",\"message\":{}}",
        "{\"choices\":[{\"text\":\"a\"}],\"choices\":{},\"usage\":{}}",
        "{\"choices\":[{\"finish_reason\":\"abort\"}],\"choices\":[{}]}",
        "{\"choices\":[{\"delta\":{\"role\":\"a\"},\"delta\":null}]}",
        "{\"choices\":[{\"index\":7,\"index\":-7}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"a\"},"
        "\"function\":{}}]}}]}",
        "{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2},\"usage\":{}}",
        "{\"content\":\"a\",\"content\":[{\"text\":\"\"}],\"type\":\"message\"}",
        "{\"type\":\"x\",\"type\":\"message\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
        struct chunk expected, actual = scan(payloads[i]);
        assert_int_equal(reference_scan(&expected, payloads[i], strlen(payloads[i]), ""),
                         REFERENCE_VALID);
        if (!reference_agrees(&expected, &actual))
            fail_msg("%s", payloads[i]);
    }
}

/* Payloads to damage: every member that means something, in one place or another. */
static const char *const seeds[] = {
    "{\"id\":\"1\",\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\","
    "\"content\":\"a\",\"reasoning_content\":\"b\","
    "\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]},\"finish_reason\":\"stop\"}],"
    "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,"
    "\"prompt_tokens_details\":{\"cached_tokens\":1}}}",
    "{\"choices\":[{\"text\":\"a\",\"index\":0},"
    "{\"text\":\"\",\"finish_reason\":\"abort\"}],"
    "\"error\":null,\"object\":\"text_completion\"}",
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"text\":\"x\"},"
    "\"usage\":{\"output_tokens\":7}}",
    "{\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\","
    "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"
    "\"usage\":{\"input_tokens\":3,\"output_tokens\":4,"
    "\"output_tokens_details\":{\"reasoning_tokens\":1}}}}",
    "{\"object\":\"response\",\"status\":\"completed\","
    "\"output\":[{\"type\":\"reasoning\",\"summary\":[{\"text\":\"s\"}]},"
    "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}]}",
};

/* Copies a piece of the payload over another place, or changes one byte. */
static void damage(char *payload, size_t len, unsigned *seed)
{
    static const char bytes[] = "\"{}[],:0\\ enx";
    size_t to = (size_t)rand_r(seed) % len;
    if (rand_r(seed) % 2 == 0) {
        payload[to] = bytes[(size_t)rand_r(seed) % (sizeof bytes - 1)];
        return;
    }
    size_t from = (size_t)rand_r(seed) % len;
    size_t count = (size_t)rand_r(seed) % 24;
    size_t most = len - (from > to ? from : to);
    memmove(payload + to, payload + from, count < most ? count : most);
}

static void test_agrees_with_the_reference(void **state)
{
    unsigned seed = 20261130, valid = 0;
    (void)state;
    for (unsigned i = 0; i < 60000; i++) {
        struct chunk expected, actual;
        char payload[512];
        const char *start = seeds[i % (sizeof seeds / sizeof seeds[0])];
        size_t len = strlen(start);
        memcpy(payload, start, len);
        for (int times = rand_r(&seed) % 4; times > 0; times--)
            damage(payload, len, &seed);
        enum reference_verdict verdict = reference_scan(&expected, payload, len, "");
        chunk_scan(&actual, payload, len, "");
        valid += verdict == REFERENCE_VALID;
        if ((verdict == REFERENCE_VALID && !reference_agrees(&expected, &actual))
            || (verdict == REFERENCE_INVALID && actual.valid))
            fail_msg("%.*s", (int)len, payload);
    }
    assert_in_range(valid, 20000, 60000); /* the comparison has something to compare */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_every_cut_of_a_chunk_is_refused),
        cmocka_unit_test(test_every_place_in_a_string),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_types_of_events),
        cmocka_unit_test(test_new_types_of_responses),
        cmocka_unit_test(test_number_of_choices),
        cmocka_unit_test(test_bounds_of_counts),
        cmocka_unit_test(test_sum_of_input_does_not_wrap),
        cmocka_unit_test(test_finish_reason_is_safe_text),
        cmocka_unit_test(test_event_field_decides_where_the_payload_does_not),
        cmocka_unit_test(test_duplicate_members),
        cmocka_unit_test(test_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
