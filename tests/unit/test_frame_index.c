/* The index in its skippable frame: bytes by hand, and every way to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/bytes.h"
#include "formats/frame_index.h"
#include "tests/unit/scratch.h"

static struct buffer encode(size_t count)
{
    struct frame_index index = { 0 };
    struct buffer bytes = BUFFER_INIT;
    for (size_t i = 0; i < count; i++) {
        struct frame_entry entry = { 0x0102030405060708 + i, 2, 3, 4, 5 };
        frame_index_append(&index, &entry);
    }
    frame_index_encode(&index, &bytes);
    frame_index_release(&index);
    return bytes;
}

static void test_bytes(void **state)
{
    (void)state;
    struct buffer bytes = encode(1);
    const uint8_t *at = (const uint8_t *)bytes.data;
    assert_int_equal(bytes.len, 8 + 40 + 24);
    assert_memory_equal(at, "\x5a\x2a\x4d\x18\x40\0\0\0", 8); /* 64 bytes follow */
    assert_memory_equal(at + 8, "\x08\x07\x06\x05\x04\x03\x02\x01\x02\0\0\0\0\0\0\0\x03",
                        17);
    assert_memory_equal(at + 48, "\x01\0\0\0\0\0\0\0\x28\0\0\0", 12);
    assert_memory_equal(at + 64, "toklogIX", 8);
    buffer_release(&bytes);
}

static void test_empty(void **state)
{
    (void)state;
    struct buffer bytes = encode(0);
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    assert_int_equal(bytes.len, 32);
    assert_int_equal(load_le32((uint8_t *)bytes.data + 20), 0); /* CRC-32 of nothing */
    assert_int_equal(frame_index_decode(&index, (uint8_t *)bytes.data + 8, 24, &fault),
                     0);
    assert_int_equal(index.count, 0);
    buffer_release(&bytes);
}

/* The CRC is that of gzip, whose check value for "123456789" is cbf43926. Here: of 40
 * bytes, by the definition, bit by bit. */
static uint32_t crc_by_definition(const uint8_t *bytes, size_t len)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void test_checksum(void **state)
{
    (void)state;
    struct buffer bytes = encode(3);
    const uint8_t *entries = (const uint8_t *)bytes.data + 8;
    assert_int_equal(crc_by_definition((const uint8_t *)"123456789", 9), 0xcbf43926);
    assert_int_equal(load_le32(entries + 120 + 12), crc_by_definition(entries, 120));
    buffer_release(&bytes);
}

static void test_broken(void **state)
{
    (void)state;
    static const struct {
        size_t at; /* in the content of an index of two entries */
        uint8_t value;
        int status;
        const char *text;
    } cases[] = {
        { 0, 0xff, STATUS_BAD_INPUT, "does not match its checksum" },
        { 80, 3, STATUS_BAD_INPUT, "an index of 104 bytes for 3 frames" },
        { 84, 1, STATUS_LIMIT, "an index of 4294967298 frames, at most 16777216" },
        { 88, 41, STATUS_BAD_INPUT, "index entries of 41 bytes, expected 40" },
        { 92, 0, STATUS_BAD_INPUT, "does not match its checksum" },
        { 96, 'x', STATUS_BAD_INPUT, "the index has no footer" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame_index index = { 0 };
        struct fault fault = { 0 };
        struct buffer bytes = encode(2);
        uint8_t *content = (uint8_t *)bytes.data + 8;
        assert_int_not_equal(content[cases[i].at], cases[i].value);
        content[cases[i].at] = cases[i].value;
        assert_int_equal(frame_index_decode(&index, content, 104, &fault),
                         cases[i].status);
        assert_non_null(strstr(fault.text, cases[i].text));
        assert_int_equal(index.count, 0);
        buffer_release(&bytes);
        frame_index_release(&index);
    }
}

static void test_found_from_the_end(void **state)
{
    (void)state;
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    struct buffer bytes = encode(2);
    uint8_t *content = (uint8_t *)bytes.data + 8;
    scratch_write("index", bytes.data, bytes.len);
    assert_int_equal(frame_index_read(&index, "index", &fault), 1);
    assert_int_equal(index.count, 2);
    assert_int_equal(index.entries[1].offset, 0x0102030405060709);
    frame_index_release(&index);
    store_le64(content + 80, 4);
    scratch_write("index", bytes.data, bytes.len);
    assert_int_equal(frame_index_read(&index, "index", &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text, "index: the index claims 4 frames, more than fit");
    fault.text[0] = '\0';
    assert_int_equal(frame_index_read(&index, "none", &fault), STATUS_IO);
    assert_int_equal(frame_index_read(&index, "/dev/null", &fault), 0);
    buffer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_empty),
        cmocka_unit_test(test_checksum), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_found_from_the_end),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
