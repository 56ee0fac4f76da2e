#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "formats/base/json.h"
#include "tests/unit/scratch.h"

static void assert_quoted(const char *text, size_t len, const char *expected)
{
    struct buffer buffer = BUFFER_INIT;
    buffer_append_json_string(&buffer, text, len);
    assert_string_equal(buffer_text(&buffer), expected);
    buffer_release(&buffer);
}

static void test_strings(void **state)
{
    (void)state;
    assert_quoted("", 0, "\"\"");
    assert_quoted("plain µ 日 \xf0\x9f\x98\x80", 17, "\"plain µ 日 \xf0\x9f\x98\x80\"");
    assert_quoted("a\"b\\c\n\r\t", 8, "\"a\\\"b\\\\c\\n\\r\\t\"");
    assert_quoted("\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\x7f\"");
}

#define REPLACED "\xef\xbf\xbd"

static void test_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    assert_quoted("a\x80" "b", 3, "\"a" REPLACED "b\"");
    assert_quoted("\xc3", 1, "\"" REPLACED "\"");                       /* cut off */
    assert_quoted("\xc0\xaf", 2, "\"" REPLACED REPLACED "\"");          /* overlong */
    assert_quoted("\xed\xa0\x80", 3,
                  "\"" REPLACED REPLACED REPLACED "\""); /* surrogate */
    assert_quoted("\xf4\x90\x80\x80", 4, "\"" REPLACED REPLACED REPLACED REPLACED "\"");
    assert_quoted("\xe2\x82", 2, "\"" REPLACED REPLACED "\"");
}

/* Whatever the bytes, the result is a JSON string that a strict parser takes. */
static void test_every_pair_of_bytes_parses(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            char pair[2] = { (char)first, (char)second };
            buffer_clear(&buffer);
            buffer_append_json_string(&buffer, pair, 2);
            json_t *value = json_loadb(buffer.data, buffer.len,
                                       JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
            assert_non_null(value);
            json_decref(value);
        }
    }
    buffer_release(&buffer);
}

static void assert_number(double value, const char *expected)
{
    struct buffer buffer = BUFFER_INIT;
    buffer_append_json_number(&buffer, value);
    assert_string_equal(buffer_text(&buffer), expected);
    buffer_release(&buffer);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(0.1, "0.1");
    assert_number(-12.5, "-12.5");
    assert_number(1.0 / 3, "0.3333333333333333");
    assert_number(123456789, "123456789");
    assert_number(NAN, "null");
    assert_number(-INFINITY, "null");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(DBL_MAX, "1.7976931348623157e+308");
}

static void test_number_or_null(void **state)
{
    (void)state;
    json_t *number = json_number_or_null(1.5);
    json_t *null = json_number_or_null(NAN);
    assert_true(json_is_real(number));
    assert_true(json_is_null(null));
    json_decref(number);
    json_decref(null);
}

static void test_file_round_trip(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    json_t *document = json_pack("{s:i, s:f, s:[s]}", "b", 1, "a", 0.1, "list", "x");
    assert_int_equal(json_write_file(document, "doc.json", false, &fault), STATUS_OK);
    assert_string_equal(
        scratch_read("doc.json"),
        "{\n  \"b\": 1,\n  \"a\": 0.1,\n  \"list\": [\n    \"x\"\n  ]\n}\n");
    assert_int_equal(json_write_file(document, "doc.json", false, &fault), STATUS_USAGE);
    assert_int_equal(json_write_file(document, "doc.json", true, &fault), STATUS_OK);
    json_t *back = NULL;
    assert_int_equal(json_read_file("doc.json", &back, &fault), STATUS_OK);
    assert_true(json_equal(back, document));
    json_decref(document);
    json_decref(back);
}

static void assert_refused(const char *text, size_t len, const char *message)
{
    struct fault fault = { 0 };
    json_t *document = NULL;
    scratch_write("bad.json", text, len);
    assert_int_equal(json_read_file("bad.json", &document, &fault), STATUS_BAD_INPUT);
    assert_null(document);
    assert_non_null(strstr(fault.text, message));
}

static void test_bad_files(void **state)
{
    (void)state;
    assert_refused("", 0, "bad.json: line 1, column 0: ");
    assert_refused("{\"a\": 1,\n \"b\" 2}", 16, "bad.json: line 2, column 6: ");
    assert_refused("{\"a\": 1, \"a\": 2}", 16, "duplicate object key");
    assert_refused("{} {}", 5, "bad.json: line 1, column 4: ");
    assert_refused("{\"a\": nan}", 10, "bad.json: line 1");
}

static void test_integers_are_exact(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    json_t *document = NULL;
    scratch_write("big.json", "[9223372036854775807]", 21);
    assert_int_equal(json_read_file("big.json", &document, &fault), STATUS_OK);
    assert_true(json_integer_value(json_array_get(document, 0)) == INT64_MAX);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_bytes_that_are_not_utf8),
        cmocka_unit_test(test_every_pair_of_bytes_parses),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_number_or_null),
        cmocka_unit_test(test_file_round_trip),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_integers_are_exact),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
