#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analyze/queue_events.h"
#include "analyze/queue_sort.h"
#include "formats/base/memory.h"
#include "formats/base/random.h"

/* Times in units of 100 ns; woke: units from the wake-up to app, -1: awake. */
static struct queue_event event_of(int64_t arrival, int64_t app, int woke)
{
    return (struct queue_event){
        .arrival_ns = arrival * 100,
        .app_ns = app * 100,
        .wake = woke < 0 ? QUEUE_AWAKE : (uint32_t)woke * 100,
    };
}

/* By hand: the loop wakes at 15 for the first, 5 after it came; the second came
 * meanwhile; the third met a loop that was awake and idle; the fourth shared its
 * read. */
static void test_services_by_hand(void **state)
{
    (void)state;
    struct queue_event events[] = {
        event_of(10, 22, 7),
        event_of(12, 30, -1),
        event_of(50, 54, -1),
        event_of(50, 54, -1),
    };
    const int64_t services[] = { 7, 8, 4, 0 };
    const int64_t setups[] = { 5, 0, 0, 0 };
    const int64_t waits[] = { 5, 10, 0, 4 };
    const bool idle[] = { true, false, true, false };
    struct queue_service met = queue_serve(events, 4);
    assert_int_equal(met.wakes, 1);
    assert_int_equal(met.negative, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(events[i].service_ns, services[i] * 100);
        assert_int_equal(queue_setup_ns(&events[i]), setups[i] * 100);
        assert_int_equal(queue_wait_ns(&events[i]), waits[i] * 100);
        assert_int_equal(queue_found_idle(&events[i]), idle[i]);
    }
}

/* A wake-up before the arrival, for something else, is no set-up. */
static void test_wake_before_arrival(void **state)
{
    (void)state;
    struct queue_event events[] = { event_of(100, 130, 60) };
    queue_serve(events, 1);
    assert_int_equal(queue_setup_ns(&events[0]), 0);
    assert_int_equal(events[0].service_ns, 3000);
}

/* In hand before it arrived: counted, and not turned into something else. */
static void test_negative_service(void **state)
{
    (void)state;
    struct queue_event events[] = { event_of(10, 20, -1), event_of(35, 30, -1),
                                    event_of(40, 41, -1) };
    struct queue_service met = queue_serve(events, 3);
    assert_int_equal(met.negative, 1);
    assert_int_equal(met.least_ns, -500);
    assert_int_equal(events[1].service_ns, -500);
    assert_int_equal(events[2].service_ns, 100);
}

static void test_nothing(void **state)
{
    (void)state;
    struct queue_service met = queue_serve(NULL, 0);
    assert_int_equal(met.wakes + met.negative, 0);
    queue_sort_by_arrival(NULL, 0);
}

static int compare(const void *left, const void *right)
{
    const struct queue_event *a = left;
    const struct queue_event *b = right;
    if (a->app_ns != b->app_ns)
        return a->app_ns < b->app_ns ? -1 : 1;
    return (a->arrival_ns > b->arrival_ns) - (a->arrival_ns < b->arrival_ns);
}

/* Against qsort, over few and many values, of both signs, with ties. */
static void check_sort(size_t count, uint32_t values, int64_t scale)
{
    struct random_stream random;
    random_stream_init(&random, count + values, 1, 0);
    struct queue_event *events = memory_new(count, sizeof *events);
    struct queue_event *expected = memory_new(count, sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        int64_t app = (int64_t)random_below(&random, values) - values / 2;
        events[i] = expected[i] = (struct queue_event){
            .app_ns = app * scale,
            .arrival_ns = -(int64_t)random_below(&random, 1000),
        };
    }
    qsort(expected, count, sizeof *expected, compare);
    queue_sort_by_app(events, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(events[i].app_ns, expected[i].app_ns);
        assert_int_equal(events[i].arrival_ns, expected[i].arrival_ns);
    }
    queue_sort_by_arrival(events, count);
    for (size_t i = 1; i < count; i++)
        assert_true(events[i - 1].arrival_ns <= events[i].arrival_ns);
    free(events);
    free(expected);
}

static void test_sort(void **state)
{
    (void)state;
    check_sort(1, 1, 1);
    check_sort(33, 2, 1);
    check_sort(5000, 1, 1);
    check_sort(5000, 3, INT64_C(1) << 60);
    check_sort(20000, 1000000, 100);
    check_sort(20000, UINT32_MAX, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_services_by_hand),
        cmocka_unit_test(test_wake_before_arrival),
        cmocka_unit_test(test_negative_service),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
