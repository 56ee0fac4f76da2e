#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "formats/base/fault.h"

static void test_set(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    assert_int_equal(fault_set(&fault, STATUS_BAD_INPUT, "a.csv: line %d", 3),
                     STATUS_BAD_INPUT);
    assert_string_equal(fault.text, "a.csv: line 3");
}

static void test_control_characters_are_replaced(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    fault_set(&fault, STATUS_BAD_INPUT, "found '%s'", "a\nb\x1b[31m\x7f\tµ");
    assert_string_equal(fault.text, "found 'a?b?[31m??µ'");
}

static void test_long_text_is_cut(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    char text[2 * FAULT_TEXT_MAX];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fault_set(&fault, STATUS_BAD_INPUT, "%s", text);
    assert_int_equal(strlen(fault.text), FAULT_TEXT_MAX - 1);
    fault_prefix(&fault, "%s", text);
    assert_int_equal(strlen(fault.text), FAULT_TEXT_MAX - 1);
    errno = ENOENT;
    fault_set_errno(&fault, "%s", text);
    assert_int_equal(strlen(fault.text), FAULT_TEXT_MAX - 1);
}

static void test_errno_is_told(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    errno = ENOENT;
    assert_int_equal(fault_set_errno(&fault, "cannot open %s", "x"), STATUS_IO);
    assert_string_equal(fault.text, "cannot open x: No such file or directory");
}

static void test_prefix(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    fault_set(&fault, STATUS_BAD_INPUT, "column 2: not a number");
    fault_prefix(&fault, "line %d", 7);
    fault_prefix(&fault, "a.csv");
    assert_string_equal(fault.text, "a.csv: line 7: column 2: not a number");
}

static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(status_exit_code(STATUS_OK), 0);
    assert_int_equal(status_exit_code(STATUS_USAGE), 2);
    assert_int_equal(status_exit_code(STATUS_BAD_INPUT), 3);
    assert_int_equal(status_exit_code(STATUS_UNSUPPORTED), 3);
    assert_int_equal(status_exit_code(STATUS_LIMIT), 3);
    assert_int_equal(status_exit_code(STATUS_IO), 4);
    assert_int_equal(status_exit_code(STATUS_NETWORK), 4);
    assert_int_equal(status_exit_code(STATUS_BUG), 5);
    assert_int_equal(status_exit_code(-99), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_control_characters_are_replaced),
        cmocka_unit_test(test_long_text_is_cut),
        cmocka_unit_test(test_errno_is_told),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
