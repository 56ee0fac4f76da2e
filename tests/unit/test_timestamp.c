/* Expected values: arithmetic on days since 1970, `date -u -d ... +%s`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/timestamp.h"

static const int64_t UNTOUCHED = -77;

static int64_t decimal(const char *text, int unit_exponent)
{
    int64_t ns = UNTOUCHED;
    assert_true(timestamp_parse_decimal(text, strlen(text), unit_exponent, &ns));
    return ns;
}

static void decimals_are_exact(void **state)
{
    (void)state;
    assert_int_equal(decimal("0", 9), 0);
    assert_int_equal(decimal("5", 9), 5000000000);
    assert_int_equal(decimal("0.1", 9), 100000000);
    assert_int_equal(decimal("27482", 6), 27482000000);
    assert_int_equal(decimal("1.5", 0), 1);
    assert_int_equal(decimal("0.123456789", 9), 123456789);
    assert_int_equal(decimal("0.1234567899", 9), 123456789);
    /* Doubles near this are 256 ns apart. */
    assert_int_equal(decimal("1700000000.123456789", 9), 1700000000123456789);
    assert_int_equal(decimal("-2.5", 9), -2500000000);
    assert_int_equal(decimal("007", 0), 7);
    assert_int_equal(decimal(".5", 9), 500000000);
    assert_int_equal(decimal("5.", 9), 5000000000);
}

static void exponents_move_the_point(void **state)
{
    (void)state;
    assert_int_equal(decimal("1e-9", 9), 1);
    assert_int_equal(decimal("1e-10", 9), 0);
    assert_int_equal(decimal("1.25E3", 9), 1250000000000);
    assert_int_equal(decimal("125e-2", 9), 1250000000);
    assert_int_equal(decimal("0e300", 9), 0);
    assert_int_equal(decimal("1e+2", 0), 100);
}

static void decimal_limits(void **state)
{
    (void)state;
    assert_int_equal(decimal("9223372036854775807", 0), INT64_MAX);
    assert_int_equal(decimal("9223372036.854775807", 9), INT64_MAX);
    int64_t ns = UNTOUCHED;
    assert_false(timestamp_parse_decimal("9223372036854775808", 19, 0, &ns));
    assert_false(timestamp_parse_decimal("9223372037", 10, 9, &ns));
    assert_false(timestamp_parse_decimal("1e300", 5, 0, &ns));
    assert_int_equal(ns, UNTOUCHED);
}

static void what_is_no_decimal(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "-", ".", "abc", "1 ", " 1", "1e", "1e+", "1.2.3", "0x10", "NaN", "inf",
        "+1", "1e401",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t ns = UNTOUCHED;
        assert_false(timestamp_parse_decimal(texts[i], strlen(texts[i]), 9, &ns));
        assert_int_equal(ns, UNTOUCHED);
    }
}

static int64_t iso(const char *text)
{
    int64_t ns = UNTOUCHED;
    assert_true(timestamp_parse_iso(text, strlen(text), &ns));
    return ns;
}

static void dates(void **state)
{
    (void)state;
    assert_int_equal(iso("1970-01-01 00:00:00"), 0);
    assert_int_equal(iso("1970-01-02T00:00:01"), 86401 * INT64_C(1000000000));
    assert_int_equal(iso("2000-02-29T00:00:00Z"), 951782400 * INT64_C(1000000000));
    assert_int_equal(iso("2023-11-16 18:15:46.6805900"), 1700158546680590000);
    assert_int_equal(iso("1970-01-01T00:00:00.5+01:00"), -3599500000000);
    assert_int_equal(iso("2100-03-01T00:00:00Z") - iso("2100-02-28T00:00:00Z"),
                     86400 * INT64_C(1000000000));
    assert_int_equal(iso("2024-05-10 00:00:00.0099301239"),
                     iso("2024-05-10 00:00:00") + 9930123);
}

static void zones(void **state)
{
    (void)state;
    int64_t noon = iso("2024-05-10 12:00:00");
    assert_int_equal(iso("2024-05-10T12:00:00Z"), noon);
    assert_int_equal(iso("2024-05-10 12:00:00+00:00"), noon);
    assert_int_equal(iso("2024-05-10 14:00:00+02:00"), noon);
    assert_int_equal(iso("2024-05-10 14:00:00+0200"), noon);
    assert_int_equal(iso("2024-05-10 14:00:00+02"), noon);
    assert_int_equal(iso("2024-05-10 06:30:00.0-05:30"), noon);
    assert_int_equal(iso("2024-05-09 23:00:00-13:00"), noon);
}

static void what_is_no_date(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "2024-05-10",
        "2024-05-10 12:00",
        "2024-13-10 12:00:00",
        "2023-02-29 12:00:00",
        "2100-02-29 12:00:00",
        "2024-05-10 24:00:00",
        "2024-05-10 12:60:00",
        "2024-05-10 12:00:61",
        "2024-05-10 12:00:00.",
        "2024-05-10 12:00:00X",
        "2024-05-10 12:00:00+1",
        "2024-05-10 12:00:00+02:0",
        "2024-05-10_12:00:00",
        "24-05-10 12:00:00",
        "1969-12-31 23:59:59",
        "2262-01-01 00:00:00",
        "2024-05-10 12:00:00 ",
        "-024-05-10 12:00:00",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t ns = UNTOUCHED;
        assert_false(timestamp_parse_iso(texts[i], strlen(texts[i]), &ns));
        assert_int_equal(ns, UNTOUCHED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact), cmocka_unit_test(exponents_move_the_point),
        cmocka_unit_test(decimal_limits),     cmocka_unit_test(what_is_no_decimal),
        cmocka_unit_test(dates),              cmocka_unit_test(zones),
        cmocka_unit_test(what_is_no_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
