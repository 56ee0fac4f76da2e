#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/shell_words.h"

static void test_quotes_only_what_a_shell_would_change(void **state)
{
    (void)state;
    static const char *const words[] = {
        "tokreplay", "--url=http://a:1/v1", "", "a b", "it's", "$HOME", "~", "5%", "x;y",
    };
    struct run_texts command = { 0 };
    struct buffer buffer = BUFFER_INIT;
    buffer_append_shell_words(&buffer, &command);
    assert_string_equal(buffer_text(&buffer), "");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        run_texts_append(&command, words[i]);
    buffer_append_shell_words(&buffer, &command);
    assert_string_equal(buffer_text(&buffer),
                        "tokreplay --url=http://a:1/v1 '' 'a b' 'it'\\''s' '$HOME' '~' "
                        "5% 'x;y'");
    run_texts_release(&command);
    buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes_only_what_a_shell_would_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
