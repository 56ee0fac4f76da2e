#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/names.h"

static void numbers_follow_first_appearance(void **state)
{
    (void)state;
    struct name_table table = { 0 };
    assert_int_equal(name_table_find(&table, "a", 1), NAME_NONE);
    assert_int_equal(name_table_add(&table, "a", 1), 0);
    assert_int_equal(name_table_add(&table, "b", 1), 1);
    assert_int_equal(name_table_add(&table, "a", 1), 0);
    assert_int_equal(name_table_find(&table, "b", 1), 1);
    assert_string_equal(name_table_text(&table, 1), "b");
    assert_int_equal(table.count, 2);
    name_table_release(&table);
}

static void names_are_bytes(void **state)
{
    (void)state;
    struct name_table table = { 0 };
    assert_int_equal(name_table_add(&table, "", 0), 0);
    assert_int_equal(name_table_add(&table, "x\0y", 3), 1);
    assert_int_equal(name_table_add(&table, "x", 1), 2);
    assert_int_equal(name_table_add(&table, "x\0z", 3), 3);
    assert_int_equal(name_table_find(&table, "x\0y", 3), 1);
    assert_int_equal(name_table_find(&table, "", 0), 0);
    name_table_release(&table);
}

static void many_names(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct name_table table = { 0 };
    char name[16];
    for (uint32_t i = 0; i < MANY; i++) {
        int len = snprintf(name, sizeof name, "s%u", i);
        assert_int_equal(name_table_add(&table, name, (size_t)len), i);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        int len = snprintf(name, sizeof name, "s%u", i);
        assert_int_equal(name_table_find(&table, name, (size_t)len), i);
        assert_string_equal(name_table_text(&table, i), name);
    }
    name_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_first_appearance),
        cmocka_unit_test(names_are_bytes),
        cmocka_unit_test(many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
