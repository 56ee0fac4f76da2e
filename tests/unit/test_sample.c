#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "analyze/metrics.h"
#include "analyze/sample.h"
#include "tests/unit/assert_close.h"

enum { MS = 1000000 };

/* One request sent 1 ms after it was due, at 11 ms on the run clock. */
static struct arrival_request request_of(struct arrival_event *events, size_t count)
{
    struct arrival_request request;
    arrival_request_init(&request);
    request.due_ns = 10 * MS;
    request.sent_ns = 11 * MS;
    request.end_ns = 100 * MS;
    request.events = events;
    request.event_count = count;
    return request;
}

/* App sees everything 2 ms after it arrived. */
static struct arrival_event token_at(int64_t ms)
{
    return (struct arrival_event){
        .arrival_ns = ms * MS,
        .app_ns = (ms + 2) * MS,
        .tokens = 1,
        .kind = EVENT_CONTENT,
    };
}

static struct arrival_event other_at(int64_t ms, enum event_kind kind)
{
    return (struct arrival_event){
        .arrival_ns = ms * MS, .app_ns = (ms + 2) * MS, .kind = (uint8_t)kind,
    };
}

static void assert_metric(const struct request_sample *sample, enum metric metric,
                          enum flavour flavour, double expected_ms)
{
    double seconds = -1;
    assert_true(metric_value(sample, metric, flavour, &seconds));
    assert_close(seconds, expected_ms / 1e3, 1e-15);
}

static void assert_undefined(const struct request_sample *sample, enum metric metric)
{
    double seconds;
    for (int flavour = 0; flavour < FLAVOURS; flavour++)
        assert_false(metric_value(sample, metric, (enum flavour)flavour, &seconds));
}

struct fixture {
    struct request_sample sample;
    struct token_gaps gaps;
};

static void measure(struct fixture *fixture, const struct arrival_request *request)
{
    sample_from_request(request, &fixture->sample, &fixture->gaps);
}

/* Role, three tokens at 31, 35 and 45 ms, finish, usage, done: only the tokens count. */
static void test_ordinary(void **state)
{
    (void)state;
    struct arrival_event events[] = {
        other_at(20, EVENT_ROLE),   token_at(31),          token_at(35), token_at(45),
        other_at(50, EVENT_FINISH), other_at(51, EVENT_USAGE), other_at(52, EVENT_DONE),
    };
    struct arrival_request request = request_of(events, 7);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, 20);
    assert_metric(&f.sample, METRIC_TTFT, BY_APP, 22);
    assert_metric(&f.sample, METRIC_TTFT, FROM_DUE, 21);
    assert_metric(&f.sample, METRIC_TTFT_CONTENT, BY_ARRIVAL, 20);
    assert_metric(&f.sample, METRIC_TPOT, BY_ARRIVAL, 7);
    assert_metric(&f.sample, METRIC_TPOT, BY_APP, 7);
    assert_metric(&f.sample, METRIC_E2E, BY_ARRIVAL, 34);
    assert_metric(&f.sample, METRIC_E2E, BY_APP, 36);
    assert_metric(&f.sample, METRIC_E2E, FROM_DUE, 35);
    assert_metric(&f.sample, METRIC_NTPOT, BY_ARRIVAL, 34.0 / 3);
    assert_int_equal(f.sample.output_tokens, 3);
    assert_int_equal(f.sample.output_events, 3);
    assert_int_equal(f.sample.first_event_tokens, 1);
    assert_false(f.sample.counted_by_usage);
    assert_false(f.sample.mismatch);
    assert_int_equal(f.gaps.arrival.count, 2);
    assert_int_equal(f.gaps.arrival.gap_ns[0], 4 * MS);
    assert_int_equal(f.gaps.arrival.gap_ns[1], 10 * MS);
    assert_int_equal(f.gaps.lag_count, 3);
    assert_int_equal(f.gaps.lag_ns[0], 2 * MS);
    token_gaps_release(&f.gaps);
}

static void test_no_token(void **state)
{
    (void)state;
    struct arrival_event events[] = { other_at(20, EVENT_ROLE),
                                     other_at(21, EVENT_DONE) };
    struct fixture f = { 0 };
    for (size_t count = 0; count <= 2; count += 2) {
        struct arrival_request request = request_of(events, count);
        measure(&f, &request);
        for (int metric = 0; metric < REQUEST_METRICS; metric++)
            assert_undefined(&f.sample, (enum metric)metric);
        assert_int_equal(f.sample.output_tokens, 0);
        assert_int_equal(f.gaps.arrival.count, 0);
    }
    token_gaps_release(&f.gaps);
}

/* One token: TTFT, E2E and NTPOT exist; TPOT and ITL do not, also when usage claims 64
 * tokens. */
static void test_one_token(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31) };
    struct arrival_request request = request_of(events, 1);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, 20);
    assert_metric(&f.sample, METRIC_NTPOT, BY_ARRIVAL, 20);
    assert_undefined(&f.sample, METRIC_TPOT);
    assert_int_equal(f.gaps.arrival.count, 0);

    request.usage_completion_tokens = 64;
    measure(&f, &request);
    assert_undefined(&f.sample, METRIC_TPOT);
    assert_true(f.sample.mismatch);
    assert_metric(&f.sample, METRIC_NTPOT, BY_ARRIVAL, 20.0 / 64);
    token_gaps_release(&f.gaps);
}

/* Usage is N: 5 tokens in 2 events of 2 and 3, 9 ms apart. */
static void test_several_tokens_per_event(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(40) };
    events[0].tokens = 2;
    events[1].tokens = 3;
    struct arrival_request request = request_of(events, 2);
    request.usage_completion_tokens = 5;
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_true(f.sample.counted_by_usage);
    assert_false(f.sample.mismatch);
    assert_int_equal(f.sample.first_event_tokens, 2);
    assert_metric(&f.sample, METRIC_TPOT, BY_ARRIVAL, 9.0 / 3);
    assert_int_equal(f.gaps.arrival.count, 0);
    assert_int_equal(f.gaps.arrival.multi_count, 1);
    assert_int_equal(f.gaps.arrival.multi[0].gap_ns, 9 * MS);
    assert_int_equal(f.gaps.arrival.multi[0].spread_ns, 9 * MS);
    assert_int_equal(f.gaps.arrival.multi[0].tokens, 3);

    request.usage_completion_tokens = 2; /* N <= k1 */
    measure(&f, &request);
    assert_undefined(&f.sample, METRIC_TPOT);
    token_gaps_release(&f.gaps);
}

/* A gap that brought no token is spent on the next one. */
static void test_event_without_tokens(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(33), token_at(38),
                                     token_at(39) };
    events[1].tokens = 0;
    struct arrival_request request = request_of(events, 4);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_int_equal(f.sample.output_tokens, 3);
    assert_int_equal(f.gaps.arrival.multi_count, 2);
    assert_int_equal(f.gaps.arrival.multi[0].tokens, 0);
    assert_int_equal(f.gaps.arrival.multi[1].gap_ns, 5 * MS);
    assert_int_equal(f.gaps.arrival.multi[1].spread_ns, 7 * MS);
    assert_int_equal(f.gaps.arrival.count, 1);
    assert_int_equal(f.gaps.arrival.gap_ns[0], 1 * MS);
    token_gaps_release(&f.gaps);
}

/* Choice 0 at 31, 41; choice 1 at 32, 36, 40: gaps 10 | 4, 4; spans 10 + 8; 5 tokens, k1
 * = 1 + 1. */
static void test_choices_are_not_mixed(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(32), token_at(36),
                                     token_at(40),
                                      token_at(41) };
    events[1].choice = events[2].choice = events[3].choice = 1;
    struct arrival_request request = request_of(events, 5);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_int_equal(f.sample.choices, 2);
    assert_int_equal(f.gaps.arrival.count, 3);
    assert_int_equal(f.gaps.arrival.gap_ns[0], 4 * MS);
    assert_int_equal(f.gaps.arrival.gap_ns[1], 4 * MS);
    assert_int_equal(f.gaps.arrival.gap_ns[2], 10 * MS);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, 20);
    assert_metric(&f.sample, METRIC_E2E, BY_ARRIVAL, 30);
    assert_metric(&f.sample, METRIC_TPOT, BY_ARRIVAL, 18.0 / 3);
    assert_metric(&f.sample, METRIC_NTPOT, BY_ARRIVAL, (30.0 + 29.0) / 5);
    assert_metric(&f.sample, METRIC_NTPOT, FROM_DUE, (31.0 + 30.0) / 5);

    /* The same tracks serve the next request: nothing is left over. */
    struct arrival_request next = request_of(events + 4, 1);
    measure(&f, &next);
    assert_int_equal(f.sample.choices, 1);
    assert_int_equal(f.gaps.arrival.count, 0);
    token_gaps_release(&f.gaps);
}

static void test_highest_choice(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(32) };
    events[0].choice = events[1].choice = UINT16_MAX;
    struct arrival_request request = request_of(events, 2);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_int_equal(f.gaps.arrival.count, 1);
    token_gaps_release(&f.gaps);
}

static void test_reasoning_first(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(35), token_at(45) };
    events[0].kind = EVENT_REASONING;
    events[1].kind = EVENT_TOOL;
    struct arrival_request request = request_of(events, 3);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, 20);
    assert_metric(&f.sample, METRIC_TTFT_CONTENT, BY_ARRIVAL, 34);
    events[2].kind = EVENT_REASONING;
    measure(&f, &request);
    assert_undefined(&f.sample, METRIC_TTFT_CONTENT);
    token_gaps_release(&f.gaps);
}

static void test_never_sent(void **state)
{
    (void)state;
    struct arrival_request request = request_of(NULL, 0);
    request.sent_ns = TIME_NONE;
    request.outcome = OUTCOME_NOT_SENT;
    struct fixture f = { 0 };
    measure(&f, &request);
    for (int metric = 0; metric < REQUEST_METRICS; metric++)
        assert_undefined(&f.sample, (enum metric)metric);
    token_gaps_release(&f.gaps);
}

/* A log from packets: no app times, and the second token was lost by the capture. */
static void test_unknown_times(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(31), token_at(33), token_at(36),
                                     token_at(37) };
    for (size_t i = 0; i < 4; i++)
        events[i].app_ns = TIME_NONE;
    events[1].arrival_ns = TIME_NONE;
    events[1].flags = EVENT_FLAG_UNKNOWN_TIME;
    struct arrival_request request = request_of(events, 4);
    struct fixture f = { 0 };
    double seconds;
    measure(&f, &request);
    assert_int_equal(f.gaps.unknown_times, 1);
    assert_int_equal(f.gaps.arrival.count, 1); /* no gap spans the unknown one */
    assert_int_equal(f.gaps.arrival.gap_ns[0], 1 * MS);
    assert_int_equal(f.gaps.app.count, 0);
    assert_int_equal(f.gaps.lag_count, 0);
    assert_metric(&f.sample, METRIC_TPOT, BY_ARRIVAL, 2);
    assert_false(metric_value(&f.sample, METRIC_TTFT, BY_APP, &seconds));

    events[3].arrival_ns = TIME_NONE; /* now the last one is unknown too */
    measure(&f, &request);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, 20);
    assert_undefined(&f.sample, METRIC_E2E);
    assert_undefined(&f.sample, METRIC_TPOT);
    assert_undefined(&f.sample, METRIC_NTPOT);
    token_gaps_release(&f.gaps);
}

/* Three choices over all the time that a log can hold: the sum of their spans does not
 * fit 63 bits. */
static void test_spans_that_do_not_fit(void **state)
{
    (void)state;
    enum { CHOICES = 3 };
    struct arrival_event events[2 * CHOICES];
    for (uint16_t i = 0; i < CHOICES; i++) {
        events[i] = events[CHOICES + i] = token_at(0);
        events[i].arrival_ns = events[i].app_ns = -RUN_TIME_MAX_NS;
        events[CHOICES + i].arrival_ns = events[CHOICES + i].app_ns = RUN_TIME_MAX_NS;
        events[i].choice = events[CHOICES + i].choice = i;
    }
    struct arrival_request request = request_of(events, 2 * CHOICES);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_undefined(&f.sample, METRIC_TPOT);
    assert_undefined(&f.sample, METRIC_NTPOT);
    assert_int_equal(f.gaps.arrival.count, CHOICES);
    token_gaps_release(&f.gaps);
}

/* A clock fault is carried as it is, not clamped: arrival before sent, app before
 * arrival. */
static void test_clock_fault(void **state)
{
    (void)state;
    struct arrival_event events[] = { token_at(9), token_at(35) };
    events[1].app_ns = 34 * MS;
    struct arrival_request request = request_of(events, 2);
    struct fixture f = { 0 };
    measure(&f, &request);
    assert_metric(&f.sample, METRIC_TTFT, BY_ARRIVAL, -2);
    assert_int_equal(f.gaps.lag_ns[1], -1 * MS);
    token_gaps_release(&f.gaps);
}

static void test_input_tokens(void **state)
{
    (void)state;
    struct arrival_request request = request_of(NULL, 0);
    struct fixture f = { 0 };
    double tokens;
    measure(&f, &request);
    assert_false(metric_uncached_input(&f.sample, &tokens));
    request.planned_input_tokens = 100;
    measure(&f, &request);
    assert_true(metric_uncached_input(&f.sample, &tokens));
    assert_close(tokens, 100, 0);
    request.usage_prompt_tokens = 110;
    request.usage_cached_tokens = 64;
    measure(&f, &request);
    assert_true(metric_uncached_input(&f.sample, &tokens));
    assert_close(tokens, 46, 0);
    request.usage_cached_tokens = 111; /* more than there were */
    measure(&f, &request);
    assert_false(metric_uncached_input(&f.sample, &tokens));
    token_gaps_release(&f.gaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_no_token),
        cmocka_unit_test(test_one_token),
        cmocka_unit_test(test_several_tokens_per_event),
        cmocka_unit_test(test_spans_that_do_not_fit),
        cmocka_unit_test(test_event_without_tokens),
        cmocka_unit_test(test_choices_are_not_mixed),
        cmocka_unit_test(test_highest_choice),
        cmocka_unit_test(test_reasoning_first),
        cmocka_unit_test(test_never_sent),
        cmocka_unit_test(test_unknown_times),
        cmocka_unit_test(test_clock_fault),
        cmocka_unit_test(test_input_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
