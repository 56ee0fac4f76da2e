#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "formats/base/units.h"
#include "tests/unit/assert_close.h"

static void test_int(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    int64_t value = 7;
    assert_int_equal(units_parse_int("0", &value, &fault), STATUS_OK);
    assert_int_equal(value, 0);
    assert_int_equal(units_parse_int("-9223372036854775808", &value, &fault), STATUS_OK);
    assert_true(value == INT64_MIN);
    assert_int_equal(units_parse_int("9223372036854775807", &value, &fault), STATUS_OK);
    assert_true(value == INT64_MAX);
    assert_string_equal(fault.text, "");
    assert_int_equal(units_parse_int("9223372036854775808", &value, &fault),
                     STATUS_USAGE);
    assert_string_equal(fault.text, "'9223372036854775808' does not fit in 64 bits");
    static const char *const wrong[] = { "",    "-",   " 1",  "1 ", "+1", "1.0",
                                         "0x1", "1e3", "--1", "one" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(units_parse_int(wrong[i], &value, &fault), STATUS_USAGE);
    assert_true(value == INT64_MAX);
}

static void test_float(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    double value = 7;
    assert_int_equal(units_parse_float("1.5", &value, &fault), STATUS_OK);
    assert_close(value, 1.5, 0);
    assert_int_equal(units_parse_float("-.5", &value, &fault), STATUS_OK);
    assert_close(value, -0.5, 0);
    assert_int_equal(units_parse_float("1e-3", &value, &fault), STATUS_OK);
    assert_close(value, 0.001, 0);
    static const char *const wrong[] = { "",    "-",    ".",    " 1",   "1 ",
                                         "nan", "inf",  "-inf", "0x10", "1e999",
                                         "1,5", "1.5x", "+-1" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(units_parse_float(wrong[i], &value, &fault), STATUS_USAGE);
    assert_close(value, 0.001, 0);
}

static void test_size(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } right[] = {
        { "0", 0 },          { "512", 512 },       { "64k", 64000 },
        { "64KiB", 65536 },  { "2MiB", 2097152 },  { "2Mi", 2097152 },
        { "1G", 1000000000 }, { "1.5kB", 1500 },   { "0.5Ki", 512 },
        { "3B", 3 },         { "1.5GiB", 1610612736 },
        { "2TB", 2000000000000 }, { "1TiB", 1099511627776 },
    };
    struct fault fault = { 0 };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        int64_t bytes = -1;
        assert_int_equal(units_parse_size(right[i].text, &bytes, &fault), STATUS_OK);
        assert_int_equal(bytes, right[i].bytes);
    }
    static const char *const wrong[] = { "",     "k",    "-1",  " 1k", "1 k", "1kk",
                                         "1.k",  ".5k",  "1.2.3", "1e3", "1x",
                                         "9223372036854775807k" };
    int64_t untouched = 5;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(units_parse_size(wrong[i], &untouched, &fault), STATUS_USAGE);
    assert_int_equal(untouched, 5);
}

static void test_duration(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } right[] = {
        { "0", 0 },
        { "0s", 0 },
        { "100ns", 100 },
        { "60us", 60000 },
        { "60µs", 60000 },
        { "250ms", 250000000 },
        { "1.5s", 1500000000 },
        { "0.000000001s", 1 },
        { "5m", 300000000000 },
        { "2h", 7200000000000 },
        { "1.123456789123456789123s", 1123456789 },
        { "0.6ns", 1 },
        { "0.4ns", 0 },
    };
    struct fault fault = { 0 };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        int64_t ns = -1;
        assert_int_equal(units_parse_duration(right[i].text, &ns, &fault), STATUS_OK);
        assert_int_equal(ns, right[i].ns);
    }
    static const char *const wrong[] = { "",     "5",    "1.5",     "-1s", "s",
                                         "1 s",  " 1s",  "1ss",     "1d",  "1S",
                                         "1min", "nans", "3000000h" };
    int64_t untouched = 5;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(units_parse_duration(wrong[i], &untouched, &fault),
                         STATUS_USAGE);
    assert_int_equal(untouched, 5);
    assert_non_null(strstr(fault.text, "'3000000h' is not a duration"));
}

static void test_rate(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    double rate = 0;
    assert_int_equal(units_parse_rate("10", &rate, &fault), STATUS_OK);
    assert_close(rate, 10, 0);
    assert_int_equal(units_parse_rate("2.5/s", &rate, &fault), STATUS_OK);
    assert_close(rate, 2.5, 0);
    assert_int_equal(units_parse_rate("600/m", &rate, &fault), STATUS_OK);
    assert_close(rate, 10, 1e-12);
    assert_int_equal(units_parse_rate("36000/h", &rate, &fault), STATUS_OK);
    assert_close(rate, 10, 1e-12);
    static const char *const wrong[] = { "",    "/s",   "-1",  "1/",
                                         "1/d", "1//s", "inf", "1 /s" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(units_parse_rate(wrong[i], &rate, &fault), STATUS_USAGE);
}

static void test_format_duration(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        { 0, "0 s" },
        { 0.001234, "1.234 ms" },
        { 56.7e-6, "56.7 µs" },
        { 12.3, "12.3 s" },
        { -0.0012, "-1.200 ms" },
        { 0.123, "123 ms" },
        { 999.4e-6, "999 µs" },
        { 999.6e-6, "1.000 ms" },
        { 9.9996e-3, "10.0 ms" },
        { 99.96e-3, "100 ms" },
        { 5e-10, "0.500 ns" },
        { 86400, "86400 s" },
        { 1.5e9, "1.5e+09 s" },
        { NAN, "nan s" },
    };
    char text[UNITS_TEXT_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(units_format_duration(text, cases[i].seconds), cases[i].text);
}

static void test_format_count_and_size(void **state)
{
    (void)state;
    char text[UNITS_TEXT_MAX];
    assert_string_equal(units_format_count(text, 0), "0");
    assert_string_equal(units_format_count(text, 999), "999");
    assert_string_equal(units_format_count(text, 1000), "1,000");
    assert_string_equal(units_format_count(text, 1234567), "1,234,567");
    assert_string_equal(units_format_count(text, -123), "-123");
    assert_string_equal(units_format_count(text, -123456), "-123,456");
    assert_string_equal(units_format_count(text, INT64_MIN),
                        "-9,223,372,036,854,775,808");
    assert_string_equal(units_format_size(text, 0), "0 B");
    assert_string_equal(units_format_size(text, 999), "999 B");
    assert_string_equal(units_format_size(text, 1234), "1.2 kB");
    assert_string_equal(units_format_size(text, 999949), "999.9 kB");
    assert_string_equal(units_format_size(text, 999951), "1.0 MB");
    assert_string_equal(units_format_size(text, 3400000), "3.4 MB");
    assert_string_equal(units_format_size(text, INT64_MAX), "9.2 EB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_float),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_duration),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_format_duration),
        cmocka_unit_test(test_format_count_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
