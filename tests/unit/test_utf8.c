#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "formats/base/utf8.h"

/* Unicode 15, table 3-7 and its examples. */
static void test_sequences(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } cases[] = {
        { "a", 1 },                { "\x7f", 1 },             { "\xc3\xa9", 2 },
        { "\xe2\x82\xac", 3 },     { "\xed\x9f\xbf", 3 },     { "\xf0\x9f\x98\x80", 4 },
        { "\xf4\x8f\xbf\xbf", 4 }, { "\x80", 0 },             { "\xc0\x80", 0 },
        { "\xc1\xbf", 0 },         { "\xe0\x9f\xbf", 0 },     { "\xed\xa0\x80", 0 },
        { "\xf0\x8f\xbf\xbf", 0 }, { "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 },
        { "\xc3", 0 },             { "\xe2\x82", 0 },         { "\xe2\x28\xa1", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(utf8_sequence_len(cases[i].text, strlen(cases[i].text)),
                         cases[i].len);
    assert_int_equal(utf8_sequence_len("\xe2\x82\xac", 2), 0);
}

static void test_replaces_what_is_not_well_formed(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append_utf8(&buffer, "a\xff" "b\xe2\x82", 5);
    assert_string_equal(buffer_text(&buffer),
                        "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd");
    buffer_clear(&buffer);
    buffer_append_utf8(&buffer, "gr\xc3\xbc\xc3\x9f", 6);
    assert_string_equal(buffer_text(&buffer), "gr\xc3\xbc\xc3\x9f");
    buffer_clear(&buffer);
    buffer_append_utf8(&buffer, "", 0);
    assert_string_equal(buffer_text(&buffer), "");
    buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_replaces_what_is_not_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
