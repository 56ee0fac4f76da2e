/* Messages of other tools, rewritten as the APIs take them; prompts from texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/messages.h"
#include "plan_making.h"

static void expect_rewritten(const char *json, const char *expected, size_t text_bytes)
{
    struct buffer out = BUFFER_INIT;
    size_t bytes;
    assert_true(messages_rewrite(&out, json, strlen(json), &bytes));
    assert_string_equal(buffer_text(&out), expected);
    assert_int_equal(bytes, text_bytes);
    buffer_release(&out);
}

static void contents_and_parts(void **state)
{
    (void)state;
    expect_rewritten("[]", "[]", 0);
    expect_rewritten("[{\"role\":\"user\",\"content\":\"a\\nb\"}]",
                     "[{\"role\":\"user\",\"content\":\"a\\nb\"}]", 4);
    expect_rewritten("[{\"content\":[{\"type\":\"text\",\"text\":\"x\"},"
                     "{\"type\":\"text\",\"text\":\"yz\"}],\"role\":\"assistant\"}]",
                     "[{\"role\":\"assistant\",\"content\":\"xyz\"}]", 3);
    expect_rewritten("[{\"role\":\"system\",\"parts\":[{\"type\":\"text\","
                     "\"content\":\"q\"}]},{\"role\":\"user\",\"content\":null}]",
                     "[{\"role\":\"system\",\"content\":\"q\"},"
                     "{\"role\":\"user\",\"content\":\"\"}]",
                     1);
}

static void unknown_roles_become_user(void **state)
{
    (void)state;
    expect_rewritten("[{\"role\":\"tool\",\"content\":\"r\",\"id\":{\"text\":\"no\"}}]",
                     "[{\"role\":\"user\",\"content\":\"r\"}]", 1);
    expect_rewritten("[{\"content\":\"r\"}]",
                     "[{\"role\":\"user\",\"content\":\"r\"}]", 1);
}

static void what_is_no_array_of_messages(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "{}", "[1]", "[{\"role\":\"user\"}",
                                       "[{\"content\":[{\"text\":}]}]", "[{}] x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buffer out = BUFFER_INIT;
        size_t bytes;
        if (messages_rewrite(&out, bad[i], strlen(bad[i]), &bytes))
            fail_msg("%s", bad[i]);
        buffer_release(&out);
    }
}

static void lengths_are_estimated_upwards(void **state)
{
    (void)state;
    assert_int_equal(tokens_of_text(0), 0);
    assert_int_equal(tokens_of_text(1), 1);
    assert_int_equal(tokens_of_text(4), 1);
    assert_int_equal(tokens_of_text(5), 2);
}

static const char conversation[] =
    "[{\"id\":\"c\",\"conversations\":[{\"from\":\"human\",\"value\":\"12345678\"},"
    "{\"from\":\"gpt\",\"value\":\"1234\"},{\"from\":\"human\",\"value\":\"1234\"},"
    "{\"from\":\"gpt\",\"value\":\"123\"}]}]";

static const char timed[] = "{\"due_ns\":0,\"input_tokens\":50,\"output_tokens\":60}\n"
                            "{\"due_ns\":1,\"input_tokens\":50,\"output_tokens\":61}\n"
                            "{\"due_ns\":2,\"input_tokens\":50,\"output_tokens\":62}\n";

static void texts_of_a_file_go_round(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    options.prompts = "texts.json";
    scratch_write("texts.json", conversation, strlen(conversation));
    struct plan plan = plan_from_text(timed, &options);
    assert_int_equal(plan.text_count, 2);
    static const uint32_t texts[] = { 0, 1, 0 };
    static const uint32_t input_tokens[] = { 2, 4, 2 };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(plan.requests[i].text, texts[i]);
        assert_int_equal(plan.requests[i].input_tokens, input_tokens[i]);
        assert_int_equal(plan.requests[i].output_tokens, 60 + i);
    }
    assert_non_null(strstr(buffer_text(&plan.notes), "estimated from the texts"));
    plan_release(&plan);
}

static void texts_must_be_there(void **state)
{
    (void)state;
    struct plan_options options = plan_defaults();
    scratch_write("trace", timed, strlen(timed));
    options.prompts = "trace";
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "--prompts trace: no texts, expected ShareGPT, OTel spans with "
                        "messages, or NDJSON with messages");
    options.prompts = "absent";
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "cannot open absent: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_and_parts),
        cmocka_unit_test(unknown_roles_become_user),
        cmocka_unit_test(what_is_no_array_of_messages),
        cmocka_unit_test(lengths_are_estimated_upwards),
        cmocka_unit_test(texts_of_a_file_go_round),
        cmocka_unit_test(texts_must_be_there),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
