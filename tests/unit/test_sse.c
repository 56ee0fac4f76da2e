#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/fault.h"
#include "formats/base/memory.h"
#include "formats/sse.h"
#include "tests/unit/sse_transcript.h"

struct sse_case {
    const char *name;
    const char *input;
    size_t len; /* 0: strlen */
    const char *expected;
    const char *expected_finished; /* further lines after sse_finish; NULL: none */
};

/* Expected lines as in sse_transcript.h. */
static const struct sse_case cases[] = {
    { "nothing", "", 0, "", NULL },
    { "one event", "data: a\n\n", 0, "9 |a\n", NULL },
    { "CRLF ends behind the CR of the blank line", "data: a\r\n\r\n", 0, "10 |a\n",
      NULL },
    { "lone CR", "data: a\r\r", 0, "9 |a\n", NULL },
    { "CR LF LF", "data: a\r\n\ndata: b\n\r", 0, "10 |a\n19 |b\n", NULL },
    { "LF CR is two line ends", "data: a\n\rdata: b\n\n", 0, "9 |a\n18 |b\n", NULL },
    { "data joined by LF", "data: a\ndata:b\ndata:  c\n\n", 0, "25 |a\\nb\\n c\n", NULL },
    { "empty data lines", "data\n\ndata\ndata\n\ndata:\n\n", 0,
      "6 |\n17 |\\n\n24 |\n", NULL },
    { "one space is taken off", "data:  a \n\n", 0, "11 | a \n", NULL },
    { "colons in the value", "data: a:b: c\n\n", 0, "14 |a:b: c\n", NULL },
    { "type", "event: x\ndata: a\n\ndata: b\n\n", 0, "18 x|a\n27 |b\n", NULL },
    { "the last type counts", "event: x\nevent: y\ndata: a\nevent\n\n", 0, "33 |a\n",
      NULL },
    { "a type without data is dropped", "event: x\n\ndata: a\n\n", 0, "19 |a\n", NULL },
    { "comments come at once, even inside an event", ":\n: b\ndata: a\n:c\n\n", 0,
      "2 :\n6 :b\n17 :c\n18 |a\n", NULL },
    { "unknown fields", "id: 1\nretry: 5\nDATA: x\n data: x\ndata a: x\nfoo\n\n", 0, "",
      NULL },
    { "a mark at the start", "\xef\xbb\xbf" "data: a\n\n", 0, "12 |a\n", NULL },
    { "a mark before a comment", "\xef\xbb\xbf:c\n", 0, "6 :c\n", NULL },
    { "a mark alone on its line", "\xef\xbb\xbf\ndata: a\n\n", 0, "13 |a\n", NULL },
    { "two marks", "\xef\xbb\xbf\xef\xbb\xbf" "data: a\n\n", 0, "", NULL },
    { "half a mark", "\xef\xbb" "data: a\n\n", 0, "", NULL },
    { "a mark later", "data: a\n\n\xef\xbb\xbf" "data: b\n\n", 0, "9 |a\n", NULL },
    { "NUL is a byte like others", "data: a\0b\n\n", 11, "11 |a\\0b\n", NULL },
    { "no blank line", "data: a\n", 0, "", "8 |a\n" },
    { "no line end", "data: a\ndata: b", 0, "", "15 |a\\nb\n" },
    { "an unfinished comment", ": a", 0, "", "3 :a\n" },
    { "an unfinished unknown field", "data: a\ndat", 0, "", "11 |a\n" },
    { "only a type at the end", "event: x\n", 0, "", NULL },
    { "a mark alone", "\xef\xbb\xbf", 0, "", NULL },
    { "CR at the very end", "data: a\r", 0, "", "8 |a\n" },
    { "a type is cut",
      "event: 0123456789012345678901234567890123456789012345678901234567890123\n"
      "data: a\n\n",
      0, "81 012345678901234567890123456789012345678901234567890123456789012|a\n", NULL },
};

static void check_text(const struct sse_case *c, size_t cut, const char *actual,
                       const char *expected)
{
    if (strcmp(actual, expected) != 0)
        fail_msg("%s, cut at %zu: %s instead of %s", c->name, cut, actual, expected);
}

static void check_in_two(const struct sse_case *c, size_t cut)
{
    struct sse_transcript t = { 0 };
    size_t len = c->len > 0 ? c->len : strlen(c->input);
    sse_start(&t.parser);
    assert_int_equal(sse_transcript_feed(&t, c->input, cut), 0);
    assert_int_equal(sse_transcript_feed(&t, c->input + cut, len - cut), 0);
    check_text(c, cut, buffer_text(&t.text), c->expected);
    sse_finish(&t.parser);
    buffer_clear(&t.text);
    assert_int_equal(sse_transcript_drain(&t), 0);
    check_text(c, cut, buffer_text(&t.text),
               c->expected_finished != NULL ? c->expected_finished : "");
    sse_transcript_release(&t);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = cases[i].len > 0 ? cases[i].len : strlen(cases[i].input);
        for (size_t cut = 0; cut <= len; cut++)
            check_in_two(&cases[i], cut);
    }
}

/* What comes before and behind missing bytes, and the events of both together. */
static const struct {
    const char *before;
    const char *behind;
    const char *expected;
} skips[] = {
    { "data: a\n\n", "data: b\n\n", "9 |a\n18 |b\n" },
    { "data: a\n\ndata: x", "y\n\ndata: b\n\n", "9 |a\n28 |b\n" },
    { "event: x\ndata: a\n", "\ndata: b\n\n", "27 |b\n" },
    { "data: a\n", "c\ndata: d\n\ndata: b\n\n", "28 |b\n" },
    { "data: a", "\n\ndata: b\n\n", "18 |b\n" },
    { "data: a\r", "\r\n\r\ndata: b\r\n\r\n", "22 |b\n" },
    { "", ": c\n\ndata: b\n\n", "4 :c\n14 |b\n" },
    { "", "x\n: c\ndata: x\n\n: d\n", "19 :d\n" },
    { "", "\xef\xbb\xbf" "data: x\n\ndata: b\n\n", "21 |b\n" },
    { "data: a", "", "" },
};

static void test_missing_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof skips / sizeof skips[0]; i++) {
        size_t len = strlen(skips[i].behind);
        for (size_t cut = 0; cut <= len; cut++) {
            struct sse_transcript t = { 0 };
            sse_start(&t.parser);
            sse_transcript_feed(&t, skips[i].before, strlen(skips[i].before));
            sse_skip(&t.parser);
            sse_transcript_feed(&t, skips[i].behind, cut);
            sse_transcript_feed(&t, skips[i].behind + cut, len - cut);
            sse_finish(&t.parser);
            sse_transcript_drain(&t);
            if (strcmp(buffer_text(&t.text), skips[i].expected) != 0)
                fail_msg("skip %zu, cut at %zu: %s", i, cut, buffer_text(&t.text));
            sse_transcript_release(&t);
        }
    }
}

static void test_whole_event_is_not_copied(void **state)
{
    static const char input[] = ": c\nevent: x\ndata: abc\n\n";
    struct sse_parser parser = { 0 };
    struct sse_event event;
    (void)state;
    sse_start(&parser);
    sse_feed(&parser, input, sizeof input - 1);
    assert_int_equal(sse_next(&parser, &event), 1);
    assert_ptr_equal(event.data, input + 2);
    assert_int_equal(sse_next(&parser, &event), 1);
    assert_ptr_equal(event.data, strstr(input, "abc"));
    assert_int_equal(sse_next(&parser, &event), 0);
    assert_null(parser.carry.heap.data);
    sse_release(&parser);
}

static void test_small_split_event_does_not_allocate(void **state)
{
    struct sse_parser parser = { 0 };
    struct sse_event event;
    char text[SSE_CARRY_SPACE - 6];
    (void)state;
    memset(text, 'x', sizeof text);
    sse_start(&parser);
    sse_feed(&parser, "data: ", 6);
    assert_int_equal(sse_next(&parser, &event), 0);
    sse_feed(&parser, text, sizeof text);
    assert_int_equal(sse_next(&parser, &event), 0);
    sse_feed(&parser, "\n\n", 2);
    assert_int_equal(sse_next(&parser, &event), 1);
    assert_int_equal(event.data_len, sizeof text);
    assert_null(parser.carry.heap.data);
    sse_release(&parser);
}

static void test_parser_may_move_between_reads(void **state)
{
    struct sse_parser before = { 0 }, after;
    struct sse_event event;
    (void)state;
    sse_start(&before);
    sse_feed(&before, "event: x\ndata: a\ndata: b", 24);
    assert_int_equal(sse_next(&before, &event), 0);
    after = before;
    memset(&before, 0xff, sizeof before);
    sse_feed(&after, "c\n\n", 3);
    assert_int_equal(sse_next(&after, &event), 1);
    assert_memory_equal(event.data, "a\nbc", 4);
    assert_string_equal(event.type, "x");
    sse_release(&after);
}

/* A stream whose one event has `len` bytes of data, fed in pieces: what sse_next says at
 * its end. */
static int feed_large(struct sse_parser *parser, size_t len, size_t piece)
{
    struct sse_event event = { 0 };
    char *text = memory_new(len + 8, 1);
    int got = 0;
    memset(text, 'x', len + 8);
    memcpy(text, "data: ", 6);
    memcpy(text + len + 6, "\n\n", 2);
    sse_start(parser);
    for (size_t at = 0; at < len + 8 && got == 0; at += piece) {
        sse_feed(parser, text + at, len + 8 - at < piece ? len + 8 - at : piece);
        got = sse_next(parser, &event);
    }
    if (got == 1)
        assert_int_equal(event.data_len, len);
    free(text);
    return got;
}

/* An event of a data line of `len` bytes and an empty one: len + 1 bytes, joined. */
static void check_two_lines(struct sse_parser *parser, size_t len, int expected)
{
    struct sse_event event;
    char *text = memory_new(len, 1);
    sse_start(parser);
    sse_feed(parser, "data: ", 6);
    assert_int_equal(sse_next(parser, &event), 0);
    sse_feed(parser, text, len);
    assert_int_equal(sse_next(parser, &event), 0);
    sse_feed(parser, "\ndata\n\n", 7);
    assert_int_equal(sse_next(parser, &event), expected);
    if (expected == 1)
        assert_int_equal(event.data_len, len + 1);
    free(text);
}

static void test_limits(void **state)
{
    struct sse_parser parser = { 0 };
    struct sse_event event;
    (void)state;
    size_t pieces[] = { SIZE_MAX / 2, 1000 * 1000 };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(feed_large(&parser, SSE_DATA_MAX, pieces[i]), 1);
        assert_int_equal(feed_large(&parser, SSE_DATA_MAX + 1, pieces[i]), STATUS_LIMIT);
        assert_int_equal(feed_large(&parser, SSE_LINE_MAX, pieces[i]), STATUS_LIMIT);
        sse_feed(&parser, "data: a\n\n", 9);
        assert_int_equal(sse_next(&parser, &event), STATUS_LIMIT);
    }
    check_two_lines(&parser, SSE_DATA_MAX - 2, 1);
    check_two_lines(&parser, SSE_DATA_MAX - 1, 1);
    check_two_lines(&parser, SSE_DATA_MAX, STATUS_LIMIT);
    assert_in_range(parser.carry.heap.capacity, SSE_KEPT_CAPACITY + 1, SIZE_MAX);
    sse_start(&parser);
    assert_int_equal(parser.carry.heap.capacity, 0);
    sse_feed(&parser, "data: a\n\n", 9);
    assert_int_equal(sse_next(&parser, &event), 1);
    sse_release(&parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_missing_bytes),
        cmocka_unit_test(test_whole_event_is_not_copied),
        cmocka_unit_test(test_small_split_event_does_not_allocate),
        cmocka_unit_test(test_parser_may_move_between_reads),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
