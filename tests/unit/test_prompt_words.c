#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/prompt_words.h"

static void words_are_short_and_different(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROMPT_WORD_COUNT; i++) {
        assert_in_range(strlen(prompt_words[i]), 1, PROMPT_WORD_MAX);
        for (const char *at = prompt_words[i]; *at != '\0'; at++)
            assert_true(islower(*at));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(prompt_words[i], prompt_words[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words_are_short_and_different) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
