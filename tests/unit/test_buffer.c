#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <string.h>

#include "formats/base/buffer.h"

static void test_empty(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    assert_string_equal(buffer_text(&buffer), "");
    assert_int_equal(buffer.len, 0);
    buffer_append(&buffer, NULL, 0);
    buffer_consume(&buffer, 0);
    assert_int_equal(buffer.len, 0);
    buffer_release(&buffer);
    assert_null(buffer.data);
    buffer_release(&buffer);
}

static void test_append(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append(&buffer, "ab", 2);
    buffer_append_text(&buffer, "cd");
    buffer_append_byte(&buffer, 'e');
    buffer_printf(&buffer, "%d%s", 12, "f");
    assert_int_equal(buffer.len, 8);
    assert_string_equal(buffer_text(&buffer), "abcde12f");
    buffer_release(&buffer);
}

static void test_nul_bytes_are_content(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append(&buffer, "a\0b", 3);
    assert_int_equal(buffer.len, 3);
    assert_memory_equal(buffer_text(&buffer), "a\0b", 4);
    buffer_release(&buffer);
}

static void test_growth_keeps_content(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct buffer buffer = BUFFER_INIT;
    for (int i = 0; i < COUNT; i++)
        buffer_append_byte(&buffer, (char)('a' + i % 26));
    assert_int_equal(buffer.len, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(buffer.data[i], 'a' + i % 26);
    buffer_release(&buffer);
}

/* Lengths around the first size, where an off-by-one would show. */
static void test_printf_longer_than_room(void **state)
{
    (void)state;
    for (int len = 0; len < 300; len++) {
        struct buffer buffer = BUFFER_INIT;
        buffer_append_text(&buffer, "<");
        buffer_printf(&buffer, "%*s", len, "");
        buffer_append_text(&buffer, ">");
        assert_int_equal(buffer.len, len + 2);
        assert_int_equal(strlen(buffer_text(&buffer)), len + 2);
        assert_int_equal(buffer.data[len + 1], '>');
        buffer_release(&buffer);
    }
}

static void test_append_int(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append_int(&buffer, 0);
    buffer_append_byte(&buffer, ' ');
    buffer_append_int(&buffer, 1234567890);
    buffer_append_byte(&buffer, ' ');
    buffer_append_int(&buffer, LLONG_MIN);
    buffer_append_byte(&buffer, ' ');
    buffer_append_int(&buffer, LLONG_MAX);
    assert_string_equal(buffer_text(&buffer),
                        "0 1234567890 -9223372036854775808 9223372036854775807");
    buffer_release(&buffer);
}

static void test_consume_and_clear(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append_text(&buffer, "abcdef");
    buffer_consume(&buffer, 2);
    assert_string_equal(buffer_text(&buffer), "cdef");
    buffer_consume(&buffer, 4);
    assert_int_equal(buffer.len, 0);
    buffer_append_text(&buffer, "xy");
    size_t capacity = buffer.capacity;
    buffer_clear(&buffer);
    assert_int_equal(buffer.len, 0);
    assert_int_equal(buffer.capacity, capacity);
    buffer_release(&buffer);
}

static void test_reserve(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    buffer_append_text(&buffer, "ab");
    buffer_reserve(&buffer, 5000);
    assert_true(buffer.capacity - buffer.len >= 5000);
    memset(buffer.data + buffer.len, 'x', 5000);
    buffer.len += 5000;
    assert_int_equal(strlen(buffer_text(&buffer)), 5002);
    buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_nul_bytes_are_content),
        cmocka_unit_test(test_growth_keeps_content),
        cmocka_unit_test(test_printf_longer_than_room),
        cmocka_unit_test(test_append_int),
        cmocka_unit_test(test_consume_and_clear),
        cmocka_unit_test(test_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
