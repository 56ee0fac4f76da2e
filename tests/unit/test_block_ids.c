#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/block_ids.h"

static void every_bit_comes_back(void **state)
{
    (void)state;
    static const uint64_t ids[] = { 0, UINT64_MAX, 1, UINT64_C(1) << 63, 42,
                                    UINT64_C(0x0123456789abcdef), INT64_MAX };
    enum { COUNT = sizeof ids / sizeof *ids };
    struct buffer packed = BUFFER_INIT;
    for (size_t i = 0; i < COUNT; i++)
        block_ids_append(&packed, i == 0 ? 0 : ids[i - 1], ids[i]);
    struct block_cursor cursor = block_cursor_at(&packed, 0, 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(block_cursor_next(&cursor) == ids[i]);
    assert_true(cursor.at == cursor.end);
    buffer_release(&packed);
}

static void neighbours_take_a_byte(void **state)
{
    (void)state;
    struct buffer packed = BUFFER_INIT;
    for (uint64_t id = 1000; id < 1100; id++)
        block_ids_append(&packed, id == 1000 ? 0 : id - 1, id);
    assert_int_equal(packed.len, 2 + 99);
    buffer_release(&packed);
}

static void masks_change_ids_and_keep_them_apart(void **state)
{
    (void)state;
    struct buffer packed = BUFFER_INIT;
    block_ids_append(&packed, 0, 7);
    size_t second = packed.len;
    block_ids_append(&packed, 0, 9);
    struct block_cursor cursor = block_cursor_at(&packed, second, 0xff00);
    assert_true(block_cursor_next(&cursor) == (9 ^ 0xff00));
    buffer_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_comes_back),
        cmocka_unit_test(neighbours_take_a_byte),
        cmocka_unit_test(masks_change_ids_and_keep_them_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
