#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "formats/base/nearest_name.h"

static const char *nearest_of(const char *word, const char *const *names)
{
    struct nearest_name nearest = { 0 };
    for (size_t i = 0; names[i] != NULL; i++)
        nearest_name_try(&nearest, word, names[i]);
    return nearest.name;
}

static const char *const names[] = { "capture", "extract", "live",
                                     "workers", "url",     NULL };

static void test_one_letter_wrong(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("cupture", names), "capture"); /* replaced */
    assert_string_equal(nearest_of("capure", names), "capture");  /* left out */
    assert_string_equal(nearest_of("liver", names), "live");      /* added */
    assert_string_equal(nearest_of("wokrers", names), "workers"); /* swapped: two edits */
    assert_string_equal(nearest_of("urk", names), "url");
}

static void test_beginning_of_a_name(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("ex", names), "extract");
    assert_string_equal(nearest_of("w", names), "workers");
}

static void test_nothing_near(void **state)
{
    (void)state;
    assert_null(nearest_of("summary", names));
    assert_null(nearest_of("abc", names));
    assert_null(nearest_of("", names));
    assert_null(nearest_of("x", names));
}

static void test_very_long_words(void **state)
{
    (void)state;
    char word[1000];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(nearest_of(word, names));
    struct nearest_name nearest = { 0 };
    nearest_name_try(&nearest, "w", word);
    assert_null(nearest.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_letter_wrong),
        cmocka_unit_test(test_beginning_of_a_name),
        cmocka_unit_test(test_nothing_near),
        cmocka_unit_test(test_very_long_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
