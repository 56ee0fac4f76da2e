#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/base/bytes.h"

static void test_fixed_width(void **state)
{
    (void)state;
    static const uint8_t expected[] = { 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x81 };
    uint8_t bytes[8];
    store_le64(bytes, 0x8102030405060708);
    assert_memory_equal(bytes, expected, 8);
    assert_true(load_le64(bytes) == 0x8102030405060708);
    store_le32(bytes, 0x81020304);
    assert_memory_equal(bytes, "\x04\x03\x02\x81", 4);
    assert_true(load_le32(bytes) == 0x81020304);
    store_le16(bytes, 0x8102);
    assert_memory_equal(bytes, "\x02\x81", 2);
    assert_int_equal(load_le16(bytes), 0x8102);
    assert_int_equal(load_be16((const uint8_t *)"\x81\x02"), 0x8102);
    assert_true(load_be32((const uint8_t *)"\x81\x02\x03\x04") == 0x81020304);
}

static void test_zigzag(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        uint64_t code;
    } cases[] = {
        { 0, 0 },
        { -1, 1 },
        { 1, 2 },
        { -2, 3 },
        { INT64_MAX, UINT64_MAX - 1 },
        { INT64_MIN, UINT64_MAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(zigzag_encode(cases[i].value) == cases[i].code);
        assert_true(zigzag_decode(cases[i].code) == cases[i].value);
    }
}

/* Lengths by arithmetic: 7 bits a byte. */
static void test_varint_lengths(void **state)
{
    (void)state;
    uint8_t bytes[VARINT_MAX_BYTES];
    for (unsigned bits = 0; bits < 64; bits++) {
        uint64_t value = (uint64_t)1 << bits;
        uint64_t back = 0;
        uint8_t *end = varint_write(bytes, value);
        assert_int_equal(end - bytes, bits / 7 + 1);
        assert_ptr_equal(varint_read(bytes, end, &back), end);
        assert_true(back == value);
    }
    assert_int_equal(varint_write(bytes, 0) - bytes, 1);
    assert_int_equal(varint_write(bytes, UINT64_MAX) - bytes, VARINT_MAX_BYTES);
    assert_int_equal(varint_write(bytes, 300) - bytes, 2);
    assert_memory_equal(bytes, "\xac\x02", 2);
}

static void test_varint_cut_off(void **state)
{
    (void)state;
    uint8_t bytes[VARINT_MAX_BYTES];
    uint64_t value = 42;
    uint8_t *end = varint_write(bytes, UINT64_MAX);
    for (const uint8_t *cut = bytes; cut < end; cut++)
        assert_null(varint_read(bytes, cut, &value));
    assert_int_equal(value, 42);
}

static void test_varint_beyond_64_bits(void **state)
{
    (void)state;
    uint64_t value = 42;
    static const uint8_t bit_64[] = { 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x02 };
    static const uint8_t eleven_bytes[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                            0x80, 0x80, 0x80, 0x80, 0x00 };
    assert_null(varint_read(bit_64, bit_64 + sizeof bit_64, &value));
    assert_null(varint_read(eleven_bytes, eleven_bytes + sizeof eleven_bytes, &value));
    assert_int_equal(value, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_width),
        cmocka_unit_test(test_zigzag),
        cmocka_unit_test(test_varint_lengths),
        cmocka_unit_test(test_varint_cut_off),
        cmocka_unit_test(test_varint_beyond_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
