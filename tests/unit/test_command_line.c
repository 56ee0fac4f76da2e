#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/command_line.h"

static void assert_shown(const char *after, const char *word, const char *shown)
{
    struct run_texts words = { 0 };
    command_line_append_word(&words, after, word);
    assert_int_equal(words.count, 1);
    assert_string_equal(words.items[0], shown);
    run_texts_release(&words);
}

static void test_plain_words_stay(void **state)
{
    (void)state;
    assert_shown("tokreplay", "run", "run");
    assert_shown("--model", "a/b:c", "a/b:c");
    assert_shown("run", "--model=x", "--model=x");
    assert_shown("run", "--help", "--help");
}

static void test_header_values_are_hidden(void **state)
{
    (void)state;
    assert_shown("--header", "X-Key: secret", "X-Key: ***");
    assert_shown("--head", "X-Key: secret", "X-Key: ***");
    assert_shown("-H", "X-Key:secret", "X-Key: ***");
    assert_shown("-H", "secret", "***");
    assert_shown("run", "-HX-Key: secret", "-HX-Key: ***");
    assert_shown("run", "--header=X-Key: secret=1", "--header=X-Key: ***");
    assert_shown("run", "--hea=X-Key: secret", "--hea=X-Key: ***");
}

static void test_passwords_in_urls_are_hidden(void **state)
{
    (void)state;
    assert_shown("--url", "http://host:80/v1", "http://host:80/v1");
    assert_shown("--url", "http://me:secret@host:80/v1", "http://***@host:80/v1");
    assert_shown("--url", "http://me:sec@ret@host", "http://***@host");
    assert_shown("run", "--url=https://host/v1?key=secret", "--url=https://host/v1?***");
    assert_shown("--url", "http://host/a@b", "http://host/a@b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_words_stay),
        cmocka_unit_test(test_header_values_are_hidden),
        cmocka_unit_test(test_passwords_in_urls_are_hidden),
    };
    return cmocka_run_group_tests_name("command_line", tests, NULL, NULL);
}
