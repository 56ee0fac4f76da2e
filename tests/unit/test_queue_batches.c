#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analyze/queue_batches.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/queue_simulator.h"

enum { EVENTS = 20000 };

static int64_t chosen_gap(const struct simulation *given, int64_t spread_ns,
                          struct queue_batches *batches)
{
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    simulate_queue(given, events, EVENTS);
    /* The events of a batch follow each other at spread_ns. */
    for (size_t i = 1; i < EVENTS; i++)
        if (events[i].arrival_ns <= events[i - 1].arrival_ns)
            events[i].arrival_ns = events[i - 1].arrival_ns + spread_ns;
    queue_batches_split(batches, events, EVENTS, BATCH_GAP_AUTO);
    free(events);
    return batches->gap_ns;
}

/* Gaps over 10 split 0, 5, 15 | 40 | 60, 60: sizes 3, 1, 2. */
static void test_by_hand(void **state)
{
    (void)state;
    struct queue_event events[6] = { 0 };
    const int64_t arrivals_ns[] = { 0, 5, 15, 40, 60, 60 };
    for (size_t i = 0; i < 6; i++)
        events[i].arrival_ns = arrivals_ns[i];
    struct queue_batches batches;
    queue_batches_split(&batches, events, 6, 10);
    assert_int_equal(batches.count, 3);
    assert_close(batches.size.value, 2, 1e-12);
    assert_close(batches.size_2.value, 14.0 / 3, 1e-12);
    /* Starts at 0, 40, 60: times 40 and 20, mean 30, mean square 1000. */
    assert_close(batches.start_squared_cv, 1000.0 / 900 - 1, 1e-12);
    queue_batches_split(&batches, events, 6, 0);
    assert_int_equal(batches.count, 5);
    queue_batches_split(&batches, events, 1, BATCH_GAP_AUTO);
    assert_int_equal(batches.count, 1);
    assert_false(batches.size.interval.known);
}

/* Events of 30 and 10 at once find an idle server that takes 5 to wake; one of 20 comes
 * later and waits; the clock of another is wrong: its service is none. */
static void test_services_of_batches(void **state)
{
    (void)state;
    struct queue_event events[4] = {
        { .arrival_ns = 0, .app_ns = 35000, .service_ns = 30000, .wake = 50 },
        { .arrival_ns = 0, .app_ns = 45000, .service_ns = 10000 },
        { .arrival_ns = 40000, .app_ns = 65000, .service_ns = 20000 },
        { .arrival_ns = 60000, .app_ns = 62000, .service_ns = -3000 },
    };
    struct queue_batches batches;
    queue_batches_split(&batches, events, 4, 0);
    queue_batches_serve(&batches, events, 4);
    assert_int_equal(batches.count, 3);
    assert_close_relative(batches.service_2, (1600.0 + 400 + 0) / 3 * 1e-12, 1e-12);
    assert_close_relative(batches.inner_s, 30e-6 / 4, 1e-12);
    assert_close_relative(batches.occupancy.idle_s, 45e-6, 1e-12);
    assert_close_relative(batches.occupancy.idle_2, 2025e-12, 1e-12);
    assert_close_relative(batches.occupancy.busy_s, 10e-6, 1e-12);
    assert_close_relative(batches.occupancy.busy_2, 200e-12, 1e-12);
}

/* Poisson arrivals are no batches, however dense. */
static void test_poisson_is_left_alone(void **state)
{
    (void)state;
    struct queue_batches batches;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const struct simulation given = { .service_s = 10e-6, .rho = 0.9, .seed = seed };
        assert_int_equal(chosen_gap(&given, 0, &batches), 0);
        assert_close(batches.size.value, 1, 0.02);
    }
}

/* Batches are found when they arrive at once, and when they take a while. */
static void test_batches_are_found(void **state)
{
    (void)state;
    struct queue_batches batches;
    const struct simulation given = { .service_s = 60e-6, .rho = 0.05, .seed = 1,
                                      .arrivals = ARRIVALS_BATCHES, .batch = 10 };
    assert_int_equal(chosen_gap(&given, 0, &batches), 0);
    assert_close_relative(batches.size.value, 10.0, 0.05);
    assert_close(batches.start_squared_cv, 1, 0.2);
    int64_t gap_ns = chosen_gap(&given, 2000, &batches);
    assert_true(gap_ns >= 2000 && gap_ns <= 100000);
    assert_close_relative(batches.size.value, 10.0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_services_of_batches),
        cmocka_unit_test(test_poisson_is_left_alone),
        cmocka_unit_test(test_batches_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
