/* Tagged fields from any bytes: what the rules allow is read, all else is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/arrivals.h"
#include "formats/record_fields.h"

struct thing {
    uint8_t narrow;
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    bool yes;
    int64_t number;
    int64_t first_ns;
    int64_t second_ns;
    char text[4];
    struct byte_span bytes;
};

#define THING(member, number, kind) \
    .id = (number), .type = (kind), .offset = offsetof(struct thing, member), \
    .size = sizeof(((struct thing *)NULL)->member)

static const struct field_spec specs[] = {
    { THING(narrow, 1, FIELD_COUNT), .required = true },
    { THING(half, 2, FIELD_COUNT) },
    { THING(word, 3, FIELD_COUNT) },
    { THING(wide, 4, FIELD_COUNT) },
    { THING(yes, 6, FIELD_BOOL) },
    { THING(number, 7, FIELD_SIGNED) },
    { THING(first_ns, 8, FIELD_TIME) },
    { THING(second_ns, 9, FIELD_TIME) },
    { THING(text, 10, FIELD_TEXT) },
    { THING(bytes, 11, FIELD_BYTES) },
};
static const struct thing blank = {
    .word = 500,
    .first_ns = TIME_NONE,
    .second_ns = TIME_NONE,
};
static const struct field_table table = { specs, 10, &blank, sizeof blank };

static void test_bytes(void **state)
{
    (void)state;
    const struct thing full = {
        .narrow = 0,
        .half = 300,
        .word = 0,
        .wide = UINT64_MAX,
        .yes = true,
        .number = -2,
        .first_ns = -1,
        .second_ns = 9,
        .text = "abc",
        .bytes = { (const uint8_t *)"\xff", 1 },
    };
    static const uint8_t expected[] = {
        0x02, 0x00,                   /* id 1: required, though it is as in blank */
        0x04, 0xac, 0x02,             /* id 2: 300 = 2 * 128 + 44 */
        0x06, 0x00,                   /* id 3: 0 is not its blank */
        0x08, 0xff, 0xff, 0xff, 0xff, /* id 4: nine groups of seven ones and one more */
        0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        0x0c, 0x01,                   /* id 6 */
        0x0e, 0x03,                   /* id 7: zigzag of -2 */
        0x10, 0x01,                   /* id 8: zigzag of -1 - 0 */
        0x12, 0x14,                   /* id 9: zigzag of 9 - -1 */
        0x15, 0x03, 'a',  'b',  'c',  /* id 10 */
        0x17, 0x01, 0xff,             /* id 11 */
    };
    uint8_t got[400];
    assert_true(fields_bound(&table) + 1 <= sizeof got);
    const uint8_t *end = fields_encode(&table, &full, got);
    assert_int_equal(end - got, sizeof expected);
    assert_memory_equal(got, expected, sizeof expected);

    struct thing read;
    struct fault fault = { 0 };
    uint64_t unknown = 0;
    int status = fields_decode(&table, &read, (struct byte_span){ got, sizeof expected },
                               &unknown, &fault);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(unknown, 0);
    assert_true(read.narrow == 0 && read.half == 300 && read.word == 0 && read.yes);
    assert_true(read.wide == UINT64_MAX && read.number == -2);
    assert_true(read.first_ns == -1 && read.second_ns == 9);
    assert_string_equal(read.text, "abc");
    assert_int_equal(read.bytes.len, 1);
    assert_int_equal(read.bytes.at[0], 0xff);
}

static int decode(const char *bytes, size_t len, struct thing *thing, uint64_t *unknown,
                  struct fault *fault)
{
    return fields_decode(&table, thing, (struct byte_span){ (const uint8_t *)bytes, len },
                         unknown, fault);
}

static void test_missing_fields_are_blank(void **state)
{
    (void)state;
    struct thing thing;
    struct fault fault = { 0 };
    uint64_t unknown = 0;
    assert_int_equal(decode("\x02\x07", 2, &thing, &unknown, &fault), STATUS_OK);
    assert_int_equal(thing.narrow, 7);
    assert_int_equal(thing.half, 0);
    assert_int_equal(thing.word, 500);
    assert_int_equal(thing.first_ns, TIME_NONE);
    assert_string_equal(thing.text, "");
    assert_int_equal(thing.bytes.len, 0);
}

/* A later minor version: a number in the gap, bytes beyond the table. */
static void test_unknown_fields_are_counted(void **state)
{
    (void)state;
    struct thing thing;
    struct fault fault = { 0 };
    uint64_t unknown = 5;
    static const char bytes[] = "\x02\x01\x0a\x63\x0c\x01\x81\x08\x02xy";
    assert_int_equal(decode(bytes, sizeof bytes - 1, &thing, &unknown, &fault),
                     STATUS_OK);
    assert_int_equal(unknown, 7);
    assert_true(thing.yes);
}

static void test_broken(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *text;
    } cases[] = {
        { "", 0, "field 1 is missing" },
        { "\x04\x01", 2, "field 1 is missing" },
        { "\x02\x00\x04\x01\x04\x01", 6, "field 2 comes after field 2" },
        { "\x02\x00\x06\x01\x04\x01", 6, "field 2 comes after field 3" },
        { "\x00\x00", 2, "field 0 comes after field 0" },
        { "\x02", 1, "malformed field after field 0" },
        { "\x02\x80", 2, "malformed field after field 0" },
        { "\x02\x01\x80", 3, "malformed field after field 1" },
        { "\x02\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 13, "malformed field" },
        { "\x02\x80\x02", 3, "field 1 is 256, at most 255 is possible" },
        { "\x02\x00\x04\x80\x80\x04", 6, "field 2 is 65536, at most 65535" },
        { "\x02\x00\x0c\x02", 4, "field 6 is 2, at most 1" },
        { "\x03\x01x", 3, "field 1 is bytes, expected a number" },
        { "\x02\x00\x14\x01", 4, "field 10 is a number, expected bytes" },
        { "\x02\x00\x15\x04xxxx", 8, "field 10 has 4 bytes, at most 3 are possible" },
        { "\x02\x00\x15\x02x\0", 6, "field 10 is text with a NUL in it" },
        { "\x02\x00\x15\x02x", 5, "malformed field after field 1" },
        { "\x02\x00\x17\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, "malformed field" },
        { "\x02\x00\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, "beyond 72 years" },
        { "\x02\x00\x10\x03\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15, "field 9" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing thing;
        struct fault fault = { 0 };
        uint64_t unknown = 0;
        int status = decode(cases[i].bytes, cases[i].len, &thing, &unknown, &fault);
        assert_int_equal(status, STATUS_BAD_INPUT);
        assert_non_null(strstr(fault.text, cases[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_missing_fields_are_blank),
        cmocka_unit_test(test_unknown_fields_are_counted),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
