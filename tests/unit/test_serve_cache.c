/* The prefix cache: blocks of prompts, and which of them are remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "replay/serve_cache.h"
#include "replay/serve_request.h"

/* Tokens first, first + 1, ... */
static void add_run(struct serve_blocks *blocks, int first, int count)
{
    for (int token = first; token < first + count; token++) {
        serve_blocks_add(blocks, &token, sizeof(token));
        serve_blocks_end_token(blocks);
    }
}

/* Uses a prompt of a run of tokens; returns how many of its blocks were there. */
static size_t use_run(struct serve_cache *cache, int first, int count)
{
    struct serve_blocks blocks = { 0 };
    serve_blocks_start(&blocks);
    add_run(&blocks, first, count);
    assert_int_equal(blocks.count, count / SERVE_BLOCK_TOKENS);
    size_t found = serve_cache_use(cache, &blocks);
    serve_blocks_release(&blocks);
    return found;
}

static void prefixes_are_found(void **state)
{
    (void)state;
    struct serve_cache *cache = serve_cache_create(100);
    assert_int_equal(use_run(cache, 0, 40), 0);
    assert_int_equal(use_run(cache, 0, 40), 2);
    assert_int_equal(use_run(cache, 0, 160), 2);
    assert_int_equal(use_run(cache, 0, 160), 10);
    assert_int_equal(use_run(cache, 16, 32), 0); /* the same tokens behind others */
    serve_cache_free(cache);
}

static void the_least_recently_used_goes(void **state)
{
    (void)state;
    struct serve_cache *cache = serve_cache_create(4);
    use_run(cache, 1000, 32);
    use_run(cache, 2000, 32);
    assert_int_equal(use_run(cache, 1000, 32), 2);
    use_run(cache, 3000, 16); /* pushes out the end of the run from 2000 */
    assert_int_equal(use_run(cache, 1000, 32), 2);
    assert_int_equal(use_run(cache, 2000, 16), 1);
    use_run(cache, 4000, 16 * 9); /* more than fits: its first blocks stay */
    assert_int_equal(use_run(cache, 1000, 32), 0);
    serve_cache_free(cache);
    cache = serve_cache_create(4);
    use_run(cache, 4000, 16 * 9);
    assert_int_equal(use_run(cache, 4000, 16 * 9), 4);
    serve_cache_free(cache);
}

static size_t blocks_of(struct serve_cache *cache, enum serve_prompt prompt,
                        const char *body)
{
    struct serve_request request;
    struct serve_refusal refusal = { 0 };
    struct serve_blocks blocks = { 0 };
    assert_true(
        serve_request_parse(&request, prompt, body, strlen(body), &blocks, &refusal));
    size_t found = serve_cache_use(cache, &blocks);
    serve_blocks_release(&blocks);
    return found;
}

/* 40 ids or words, the last of them `last`. */
static const char *prompt_of(const char *form, const char *separator, int last)
{
    static char body[2048];
    char list[1024] = "";
    size_t len = 0;
    for (int i = 0; i < 39; i++)
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%d%s", 500 + i,
                                separator);
    snprintf(list + len, sizeof(list) - len, "%d", last);
    snprintf(body, sizeof(body), form, list);
    return body;
}

static void prompts_of_requests(void **state)
{
    (void)state;
    static const struct {
        enum serve_prompt prompt;
        const char *form;
        const char *separator;
    } forms[] = {
        { SERVE_PROMPT, "{\"prompt\":[%s]}", "," },
        { SERVE_PROMPT, "{\"prompt\":\"%s\"}", "  " },
        { SERVE_MESSAGES, "{\"messages\":[{\"content\":\"%s\"}]}", "\\n" },
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct serve_cache *cache = serve_cache_create(1000);
        for (int last = 0; last < 3; last++) {
            const char *body = prompt_of(forms[i].form, forms[i].separator, last);
            assert_int_equal(blocks_of(cache, forms[i].prompt, body), last ? 2 : 0);
        }
        serve_cache_free(cache);
    }
}

static void several_prompts_have_no_blocks(void **state)
{
    (void)state;
    struct serve_cache *cache = serve_cache_create(1000);
    const char *body = prompt_of("{\"prompt\":[\"%s\",\"a\"]}", " ", 1);
    assert_int_equal(blocks_of(cache, SERVE_PROMPT, body), 0);
    assert_int_equal(blocks_of(cache, SERVE_PROMPT, body), 0);
    serve_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_are_found),
        cmocka_unit_test(the_least_recently_used_goes),
        cmocka_unit_test(prompts_of_requests),
        cmocka_unit_test(several_prompts_have_no_blocks),
    };
    return cmocka_run_group_tests_name("serve_cache", tests, NULL, NULL);
}
