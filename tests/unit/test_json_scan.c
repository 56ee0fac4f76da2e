/* What is JSON and what is not: the judge is jansson; what it means: arithmetic. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/json_scan.h"

/* Scans to the end: the letters of the tokens, "!" for a fault. */
static const char *tokens(const char *text)
{
    static const char letters[] = ".!{}[]ks0tfn";
    static char result[128];
    struct json_scan scan;
    size_t len = 0;
    json_scan_init(&scan, text, strlen(text));
    do {
        json_scan_next(&scan);
        result[len++] = letters[scan.token];
    } while (scan.token > JSON_SCAN_BAD && len + 1 < sizeof result);
    result[len] = '\0';
    return result;
}

static void tokens_in_order(void **state)
{
    (void)state;
    assert_string_equal(tokens("{}"), "{}.");
    assert_string_equal(tokens(" [ ] "), "[].");
    assert_string_equal(tokens("{\"a\":1,\"b\":[true,false,null,\"x\"]}"),
                        "{k0k[tfns]}.");
    assert_string_equal(tokens("[[],{},[{}]]"), "[[]{}[{}]].");
    assert_string_equal(tokens("-0.5e+10"), "0.");
    assert_string_equal(tokens("\"\""), "s.");
}

static const char *const samples[] = {
    "{}", "[]", "{\"a\":1}", "[1,2,3]", "[1,[2,[3]]]", "\"x\"", "1", "-1", "1.5", "1e5",
    "1E-5", "true", "null", "  [1]  ", "[\"\\u00e9\\n\\\"\"]", "[\"\xc3\xa9\"]",
    "{\"\":{}}", "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{,}",
    "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "[1 2]", "[1]]", "[1][2]",
    "{\"a\":1}}", "01", "-", "+1", "1.", ".5", "1e", "1e+", "--1", "tru", "truee",
    "nulll", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "[\"a\nb\"]",
    "[\"a\tb\"]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]", "'a'", "NaN",
    "Infinity", "[1,2,3] x", "[\x01]", "{\"a\":[{\"b\":[}]}",
};

static void jansson_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        json_t *judged = json_loadb(samples[i], strlen(samples[i]),
                                    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        const char *found = tokens(samples[i]);
        bool accepted = found[strlen(found) - 1] == '.';
        if (accepted != (judged != NULL))
            fail_msg("%s: scanned as %s", samples[i], found);
        json_decref(judged);
    }
}

static void values_are_slices(void **state)
{
    (void)state;
    const char *text = "{\"key\": -12.50, \"s\": \"a\\\"b\"}";
    struct json_scan scan;
    json_scan_init(&scan, text, strlen(text));
    json_scan_next(&scan);
    json_scan_next(&scan);
    assert_true(json_scan_is(&scan, "key"));
    assert_false(json_scan_is(&scan, "ke"));
    assert_int_equal(json_scan_offset(&scan), 1);
    json_scan_next(&scan);
    assert_int_equal(scan.value_len, 6);
    assert_memory_equal(scan.value, "-12.50", 6);
    assert_int_equal(json_scan_offset(&scan), 8);
    json_scan_next(&scan);
    json_scan_next(&scan);
    assert_true(scan.escaped);
    assert_memory_equal(scan.value, "a\\\"b", 4);
}

static void values_are_skipped_whole(void **state)
{
    (void)state;
    const char *text = "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":3}";
    struct json_scan scan;
    json_scan_init(&scan, text, strlen(text));
    json_scan_next(&scan);
    json_scan_next(&scan);
    json_scan_next(&scan);
    assert_true(json_scan_skip(&scan));
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_KEY);
    assert_true(json_scan_is(&scan, "d"));
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_NUMBER);
    assert_true(json_scan_skip(&scan));
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_OBJECT_END);
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_END);
}

static void expect_text(const char *json, const char *expected, size_t len)
{
    struct json_scan scan;
    struct buffer text = BUFFER_INIT;
    json_scan_init(&scan, json, strlen(json));
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_STRING);
    json_scan_text(&scan, &text);
    assert_int_equal(text.len, len);
    if (len > 0)
        assert_memory_equal(text.data, expected, len);
    buffer_release(&text);
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    expect_text("\"\"", "", 0);
    expect_text("\"plain\"", "plain", 5);
    expect_text("\"\\b\\f\\n\\r\\t\\\\\\/\\\"\"", "\b\f\n\r\t\\/\"", 8);
    expect_text("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6);
    expect_text("\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80", 4);
    expect_text("\"\\ud83dx\"", "\xef\xbf\xbdx", 4);
    expect_text("\"\\ude00\"", "\xef\xbf\xbd", 3);
    expect_text("\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A", 4);
    expect_text("\"a\\u0000b\"", "a\0b", 3);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[2 * JSON_SCAN_DEPTH_MAX + 4] = { 0 };
    memset(text, '[', JSON_SCAN_DEPTH_MAX);
    memset(text + JSON_SCAN_DEPTH_MAX, ']', JSON_SCAN_DEPTH_MAX);
    struct json_scan scan;
    json_scan_init(&scan, text, 2 * JSON_SCAN_DEPTH_MAX);
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_ARRAY);
    assert_true(json_scan_skip(&scan));
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_END);
    memset(text, '[', JSON_SCAN_DEPTH_MAX + 1);
    json_scan_init(&scan, text, JSON_SCAN_DEPTH_MAX + 1);
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_ARRAY);
    assert_false(json_scan_skip(&scan));
    assert_int_equal(json_scan_offset(&scan), JSON_SCAN_DEPTH_MAX);
}

static void faults_stay(void **state)
{
    (void)state;
    struct json_scan scan;
    json_scan_init(&scan, "[1,x]", 5);
    json_scan_next(&scan);
    json_scan_next(&scan);
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_BAD);
    assert_int_equal(json_scan_offset(&scan), 3);
    assert_non_null(scan.problem);
    assert_int_equal(json_scan_next(&scan), JSON_SCAN_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_in_order),     cmocka_unit_test(jansson_agrees),
        cmocka_unit_test(values_are_slices),   cmocka_unit_test(values_are_skipped_whole),
        cmocka_unit_test(escapes_are_decoded), cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(faults_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
