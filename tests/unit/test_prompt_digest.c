/* Prompts to salted hashes of blocks; SipHash against the vectors of its authors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/arrivals.h"
#include "record/prompt_digest.h"

/* Vectors of the paper's appendix and reference code: key 00..0f, input 00..length-1. */
static void siphash_vectors(void **state)
{
    (void)state;
    static const struct {
        size_t len;
        uint64_t hash;
    } vectors[] = { { 0, UINT64_C(0x726fdb47dd0e0e31) },
                    { 1, UINT64_C(0x74f839c593dc67fd) },
                    { 8, UINT64_C(0x93f5f5799a932462) },
                    { 15, UINT64_C(0xa129ca6149be45e5) } };
    const struct siphash_key key = { { UINT64_C(0x0706050403020100),
                                       UINT64_C(0x0f0e0d0c0b0a0908) } };
    uint8_t input[16];
    for (uint8_t i = 0; i < sizeof(input); i++)
        input[i] = i;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct siphash hash;
        siphash_start(&hash, &key);
        siphash_add(&hash, input, vectors[i].len / 2);
        siphash_add(&hash, input + vectors[i].len / 2,
                    vectors[i].len - vectors[i].len / 2);
        assert_int_equal(siphash_finish(&hash), vectors[i].hash);
    }
}

static const struct prompt_settings settings = { .key = { { 1, 2 } }, .block_tokens = 2 };

static struct prompt_digest digest_with(const struct prompt_settings *how,
                                        const char *body)
{
    struct prompt_digest digest = { 0 };
    assert_true(prompt_digest_read(&digest, how, body, strlen(body)));
    return digest;
}

static struct prompt_digest digest_of(const char *body)
{
    return digest_with(&settings, body);
}

static void assert_shared(const char *left, const char *right, size_t expected)
{
    struct prompt_digest a = digest_of(left), b = digest_of(right);
    size_t shared = 0;
    while (shared < a.block_count && shared < b.block_count &&
           a.blocks[shared] == b.blocks[shared])
        shared++;
    assert_int_equal(shared, expected);
    prompt_digest_release(&a);
    prompt_digest_release(&b);
}

static void token_ids_make_blocks(void **state)
{
    (void)state;
    struct prompt_digest digest = digest_of(
        "{\"prompt\":[7,8,9,10,11],\"max_tokens\":32}");
    assert_int_equal(digest.token_ids, 5);
    assert_int_equal(digest.text_bytes, 0);
    assert_int_equal(digest.block_count, 3); /* the last of one token */
    assert_int_equal(digest.max_tokens, 32);
    assert_int_equal(digest.session.len, 0);
    prompt_digest_release(&digest);
}

static void the_body_may_name_the_session(void **state)
{
    (void)state;
    struct prompt_digest digest = digest_of(
        "{\"session_id\":\"s\\u0031\",\"prompt\":[1]}");
    assert_string_equal(buffer_text(&digest.session), "s1");
    prompt_digest_release(&digest);
}

static void equal_hashes_are_equal_prefixes(void **state)
{
    (void)state;
    assert_shared("{\"prompt\":[1,2,3,4,5]}", "{\"prompt\":[1,2,3,4,6]}", 2);
    assert_shared("{\"prompt\":[1,2,3,4]}", "{\"prompt\":[1,9,3,4]}", 0);
    assert_shared("{\"prompt\":[1,2,3,4]}", "{\"prompt\":[9,2,3,4]}", 0);
    assert_shared("{\"prompt\":[1,2]}", "{\"prompt\":[12]}", 0);
    assert_shared("{\"prompt\":\"12345678abc\"}", "{\"prompt\":\"12345678xyz\"}", 1);
    assert_shared("{\"prompt\":\"\\u0061\"}", "{\"prompt\":\"a\"}", 1);
}

static void messages_are_roles_and_texts(void **state)
{
    (void)state;
    /* "user" NUL "hello!" NUL is 12 bytes: a block of 8 and one of 4 */
    struct prompt_digest digest = digest_of(
        "{\"max_completion_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":"
        "[{\"type\":\"text\",\"text\":\"hello!\"}]}]}");
    assert_int_equal(digest.text_bytes, 12);
    assert_int_equal(digest.block_count, 2);
    assert_int_equal(digest.max_tokens, 5);
    prompt_digest_release(&digest);
    assert_shared("{\"messages\":[{\"role\":\"user\",\"content\":\"abcd\"}]}",
                  "{\"messages\":[{\"content\":\"abcd\",\"role\":\"user\"}]}", 0);
    assert_shared(
        "{\"messages\":[{\"role\":\"user\",\"content\":\"ab\",\"name\":\"x\"}]}",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"ab\",\"name\":\"y\"}]}", 1);
}

static void the_salt_changes_every_hash(void **state)
{
    (void)state;
    const struct prompt_settings other = { .key = { { 1, 3 } }, .block_tokens = 2 };
    struct prompt_digest a = digest_of("{\"prompt\":[1,2]}");
    struct prompt_digest b = digest_with(&other, "{\"prompt\":[1,2]}");
    assert_int_not_equal(a.blocks[0], b.blocks[0]);
    prompt_digest_release(&a);
    prompt_digest_release(&b);
}

static void text_is_kept_only_when_asked(void **state)
{
    (void)state;
    struct prompt_settings keeping = settings;
    keeping.keep_text = true;
    struct prompt_digest digest = digest_of("{\"prompt\":\"secret\"}");
    assert_int_equal(digest.messages.len, 0);
    prompt_digest_release(&digest);
    digest = digest_with(&keeping, "{\"prompt\":\"a\\nb\"}");
    assert_string_equal(buffer_text(&digest.messages),
                        "[{\"role\":\"user\",\"content\":\"a\\nb\"}]");
    prompt_digest_release(&digest);
    digest = digest_with(&keeping,
                         "{\"messages\":[\n{\"role\":\"user\",\r\n\"content\":\"x\"}]}");
    assert_string_equal(buffer_text(&digest.messages),
                        "[ {\"role\":\"user\",  \"content\":\"x\"}]");
    prompt_digest_release(&digest);
}

static void what_is_no_prompt(void **state)
{
    (void)state;
    static const char *const bodies[] = { "",
                                          "[]",
                                          "{}",
                                          "{\"model\":\"m\"}",
                                          "{\"prompt\":[1,2",
                                          "{\"prompt\":[1]} x",
                                          "prompt" };
    struct prompt_digest digest = { 0 };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        assert_false(
            prompt_digest_read(&digest, &settings, bodies[i], strlen(bodies[i])));
    assert_true(prompt_digest_read(&digest, &settings, "{\"prompt\":\"\"}", 13));
    assert_int_equal(digest.block_count, 0);
    assert_int_equal(digest.max_tokens, COUNT_NONE);
    prompt_digest_release(&digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siphash_vectors),
        cmocka_unit_test(token_ids_make_blocks),
        cmocka_unit_test(the_body_may_name_the_session),
        cmocka_unit_test(equal_hashes_are_equal_prefixes),
        cmocka_unit_test(messages_are_roles_and_texts),
        cmocka_unit_test(the_salt_changes_every_hash),
        cmocka_unit_test(text_is_kept_only_when_asked),
        cmocka_unit_test(what_is_no_prompt),
    };
    return cmocka_run_group_tests_name("prompt_digest", tests, NULL, NULL);
}
