/* Columns of events: bytes by hand, what is left out, and every way to be malformed. */
#include "tests/unit/arrival_samples.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "formats/event_columns.h"
#include "tests/unit/arrival_draws.h"

static void assert_column(struct byte_span column, const char *bytes, size_t len)
{
    assert_int_equal(column.len, len);
    if (len)
        assert_memory_equal(column.at, bytes, len);
}

static void test_defaults_are_left_out(void **state)
{
    (void)state;
    const struct arrival_event events[] = {
        { .arrival_ns = 250, .app_ns = TIME_NONE, .tokens = 0, .kind = EVENT_ROLE },
        { .arrival_ns = 250, .app_ns = TIME_NONE, .tokens = 1, .kind = EVENT_TOOL },
    };
    uint8_t room[200];
    struct event_columns columns;
    assert_true(event_columns_bound(2) <= sizeof room);
    event_columns_encode(&columns, events, 2, 99, room);
    assert_int_equal(columns.count, 2);
    assert_int_equal(columns.arrival_step, 0);
    assert_column(columns.kinds, "\3\1\2\1", 4);
    /* 2 units after 0: 1 + 4; then 1 + 0 */
    assert_column(columns.arrival, "\5\1\0\0", 4);
    assert_column(columns.app, "", 0);
    assert_column(columns.tokens, "", 0);
    assert_column(columns.wake, "", 0);
    assert_column(columns.choice, "", 0);
}

static void test_all_columns(void **state)
{
    (void)state;
    const struct arrival_event events[] = {
        { TIME_NONE, -1, 0, 7, 300, EVENT_CONTENT, EVENT_FLAG_UNKNOWN_TIME },
        { -101, TIME_NONE, 1299, 1, 0, EVENT_CONTENT, 0xff },
    };
    uint8_t room[200];
    struct event_columns columns;
    event_columns_encode(&columns, events, 2, TIME_NONE, room);
    assert_column(columns.kinds, "\x80\x02\x01\xd0\x1f\x01", 6); /* 16 * 16; 16 * 0xfd */
    assert_column(columns.arrival, "\0\x04\0\0", 4); /* none; -2 units: 1 + 3 */
    assert_column(columns.app, "\2\0\0\0", 4);       /* -1 unit after 0: 1 + 1; none */
    assert_column(columns.tokens, "\7\1", 2);
    assert_column(columns.wake, "\0\x0d", 2); /* 12 units */
    assert_column(columns.choice, "\xac\x02\0", 3);
}

/* All gaps but one are the same: the step takes them away. */
static void test_step_is_the_typical_gap(void **state)
{
    (void)state;
    struct arrival_event events[20];
    for (size_t i = 0; i < 20; i++)
        events[i] = (struct arrival_event){
            .arrival_ns = (int64_t)i * 2000000 + (i > 9 ? 1000000000 : 0),
            .app_ns = TIME_NONE,
        };
    uint8_t room[800];
    struct event_columns columns;
    event_columns_encode(&columns, events, 20, TIME_NONE, room);
    assert_int_equal(columns.arrival_step, 20000);
    for (size_t i = 1; i < 20; i++)
        if (i != 10)
            assert_int_equal(columns.arrival.at[i], 1);
}

static void test_any_events_go_round(void **state)
{
    (void)state;
    enum { EVENTS_MAX = 300, ROUNDS = 500 };
    struct arrival_event put[EVENTS_MAX], got[EVENTS_MAX];
    uint8_t *room = memory_new(event_columns_bound(EVENTS_MAX), 1);
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = draw_below(EVENTS_MAX + 1);
        for (size_t i = 0; i < count; i++)
            draw_event(&put[i]);
        struct event_columns columns;
        struct fault fault = { 0 };
        int64_t base_ns = draw_time();
        event_columns_encode(&columns, put, count, base_ns, room);
        assert_int_equal(event_columns_decode(&columns, base_ns, got, &fault), STATUS_OK);
        for (size_t i = 0; i < count; i++)
            assert_same_event(&got[i], &put[i]);
    }
    free(room);
}

#define SPAN(text) { (const uint8_t *)(text), sizeof(text) - 1 }

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        struct event_columns columns;
        int status;
        const char *text;
    } cases[] = {
        { { .count = REQUEST_EVENTS_MAX + 1 }, STATUS_LIMIT, "1048577 events" },
        { { .count = UINT64_MAX }, STATUS_LIMIT, "at most 1048576" },
        { { .count = 1 }, STATUS_BAD_INPUT, "kinds" },
        { { .count = 1, .kinds = SPAN("\0\1") }, STATUS_BAD_INPUT, "arrival" },
        { { .count = 1, .arrival_step = INT64_MAX }, STATUS_BAD_INPUT, "arrival step" },
        { { .count = 1, .arrival_step = INT64_MIN }, STATUS_BAD_INPUT, "arrival step" },
#define GOOD .count = 2, .kinds = SPAN("\0\2"), .arrival = SPAN("\1\1\0\0")
        { { GOOD }, STATUS_OK, "" },
#undef GOOD
#define KINDS(text) .count = 2, .kinds = SPAN(text), .arrival = SPAN("\1\1\0\0")
        { { KINDS("\0\1") }, STATUS_BAD_INPUT, "kinds" },         /* one event of two */
        { { KINDS("\0\3") }, STATUS_BAD_INPUT, "kinds" },         /* three of two */
        { { KINDS("\0\0\0\2") }, STATUS_BAD_INPUT, "kinds" },     /* an empty run */
        { { KINDS("\0\2\0") }, STATUS_BAD_INPUT, "kinds" },       /* a byte too many */
        { { KINDS("\x20\2") }, STATUS_BAD_INPUT, "kinds" },       /* flag 1 */
        { { KINDS("\x80\x20\2") }, STATUS_BAD_INPUT, "kinds" },   /* code 4096 */
        { { KINDS("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1") }, STATUS_BAD_INPUT,
          "kinds" },
#undef KINDS
#define ARRIVAL(text) .count = 2, .kinds = SPAN("\0\2"), .arrival = SPAN(text)
        { { ARRIVAL("\1\1\0") }, STATUS_BAD_INPUT, "arrival" },
        { { ARRIVAL("\1\1\0\x80") }, STATUS_BAD_INPUT, "arrival" },
        { { ARRIVAL("\1\1\0\0\0") }, STATUS_BAD_INPUT, "arrival" },
        /* 2^52 above the low byte; then 2^49, whose half is beyond 72 years of units */
        { { ARRIVAL("\1\1\0\x80\x80\x80\x80\x80\x80\x80\x08") }, STATUS_BAD_INPUT,
          "arrival" },
        { { ARRIVAL("\1\1\0\x80\x80\x80\x80\x80\x80\x80\x01") }, STATUS_BAD_INPUT,
          "arrival" },
#undef ARRIVAL
#define WITH(column, text) \
    .count = 2, .kinds = SPAN("\0\2"), .arrival = SPAN("\1\1\0\0"), .column = SPAN(text)
        { { WITH(app, "\1\1\0") }, STATUS_BAD_INPUT, "app" },
        { { WITH(app, "\1\1\0\x80") }, STATUS_BAD_INPUT, "app" },
        { { WITH(app, "\1\1\0\0\0") }, STATUS_BAD_INPUT, "app" },
        { { WITH(app, "\1\1\0\xff\xff\xff\xff\xff\xff\xff\7") }, STATUS_BAD_INPUT,
          "app" },
        { { WITH(tokens, "\1") }, STATUS_BAD_INPUT, "tokens" },
        { { WITH(tokens, "\1\1\1") }, STATUS_BAD_INPUT, "tokens" },
        { { WITH(tokens, "\1\x80\x80\x80\x80\x10") }, STATUS_BAD_INPUT, "tokens" },
        { { WITH(wake, "\1") }, STATUS_BAD_INPUT, "wake" },
        { { WITH(wake, "\1\1\1") }, STATUS_BAD_INPUT, "wake" },
        { { WITH(wake, "\1\xff\xff\xff\xff\1") }, STATUS_BAD_INPUT, "wake" },
        { { WITH(choice, "\1") }, STATUS_BAD_INPUT, "choice" },
        { { WITH(choice, "\1\1\1") }, STATUS_BAD_INPUT, "choice" },
        { { WITH(choice, "\1\x80\x80\4") }, STATUS_BAD_INPUT, "choice" },
#undef WITH
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arrival_event events[2];
        struct fault fault = { 0 };
        int status = event_columns_decode(&cases[i].columns, 0, events, &fault);
        assert_int_equal(status, cases[i].status);
        assert_non_null(strstr(fault.text, cases[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_left_out),
        cmocka_unit_test(test_all_columns),
        cmocka_unit_test(test_step_is_the_typical_gap),
        cmocka_unit_test(test_any_events_go_round),
        cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
