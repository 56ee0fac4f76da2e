#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analyze/lindley.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/queue_simulator.h"

static double mean_wait(const struct lindley *lindley, const struct queue_event *events,
                        size_t count)
{
    struct histogram waits = { 0 };
    lindley_waits(lindley, events, count, &waits);
    assert_int_equal(waits.moments.count, count);
    double mean = waits.moments.mean;
    histogram_release(&waits);
    return mean;
}

static struct queue_event event_of(int64_t arrival_ns, int64_t service_ns, uint32_t row)
{
    return (struct queue_event){
        .arrival_ns = arrival_ns,
        .app_ns = arrival_ns + service_ns + 1000, /* it really found a busy loop */
        .service_ns = service_ns,
        .row = row,
    };
}

/* Arrivals at 0, 10, 20, 100 of services 30, 5, 0, 7: waits 0, 20, 15, 0. */
static void test_by_hand(void **state)
{
    (void)state;
    const struct queue_event events[] = {
        event_of(0, 30, 0), event_of(10, 5, 1), event_of(20, 0, 2), event_of(100, 7, 3),
    };
    struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .workers = 1 };
    assert_close(mean_wait(&lindley, events, 4), 35.0 / 4, 1e-12);
    /* A set-up of 200 at 0 makes the waits 200, 220, 215, 135. */
    uint32_t setups[] = { 2 };
    const struct setup_law law = { .setups = setups, .count = 1, .step = 1 };
    lindley.setup = &law;
    assert_close(mean_wait(&lindley, events, 4), 770.0 / 4, 1e-12);
    /* Services of 12 each: 0, 2, 4, 0. */
    lindley = (struct lindley){ .service_ns = 12, .workers = 1 };
    assert_close(mean_wait(&lindley, events, 4), 6.0 / 4, 1e-12);
    /* Two workers: rows 0 and 2 meet at one, 1 and 3 at the other. */
    lindley = (struct lindley){ .service_ns = 25, .workers = 2 };
    assert_close(mean_wait(&lindley, events, 4), 5.0 / 4, 1e-12);
}

/* A service below 0 is none, rather than a gift to those behind. */
static void test_negative_service(void **state)
{
    (void)state;
    const struct queue_event events[] = { event_of(0, 30, 0), event_of(10, -50, 1),
                                          event_of(12, 5, 2) };
    struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .workers = 1 };
    assert_close(mean_wait(&lindley, events, 3), (20.0 + 18) / 3, 1e-12);
}

/* The waits of a simulated loop come back to the nanosecond when nobody sleeps. With
 * set-ups drawn from those it paid, though each event gets another's, their mean does:
 * over 200,000 events that are correlated over some tens, to a few per cent. */
static void test_waits_come_back(void **state)
{
    (void)state;
    enum { EVENTS = 200000 };
    struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6, .rho = 0.7,
                                .seed = 3 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    for (unsigned sleeps = 0; sleeps < 2; sleeps++) {
        double sum = 0;
        struct setup_law law = { 0 };
        given.setup_s = sleeps ? 50e-6 : 0;
        simulate_queue(&given, events, EVENTS);
        queue_serve(events, EVENTS);
        for (size_t i = 0; i < EVENTS; i++)
            sum += (double)queue_wait_ns(&events[i]);
        setup_law_learn(&law, events, EVENTS);
        struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .setup = &law,
                                   .workers = 1 };
        assert_close_relative(mean_wait(&lindley, events, EVENTS), sum / EVENTS,
                              sleeps ? 0.02 : 1e-12);
        lindley.setup = NULL;
        if (sleeps)
            assert_true(mean_wait(&lindley, events, EVENTS) < 0.9 * sum / EVENTS);
        setup_law_release(&law);
    }
    free(events);
}

/* More workers never make the mean wait longer here, and one per row none. */
static void test_workers(void **state)
{
    (void)state;
    enum { EVENTS = 5000 };
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6, .rho = 0.9,
                                      .arrivals = ARRIVALS_BATCHES, .batch = 8,
                                      .seed = 4 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    simulate_queue(&given, events, EVENTS);
    double before = INFINITY;
    for (uint32_t workers = 1; workers <= 8; workers *= 2) {
        struct lindley lindley = { .service_ns = 60000, .workers = workers };
        double mean = mean_wait(&lindley, events, EVENTS);
        assert_true(mean < before);
        before = mean;
    }
    struct lindley lindley = { .service_ns = 60000, .workers = EVENTS };
    assert_close(mean_wait(&lindley, events, EVENTS), 0, 0);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_negative_service),
        cmocka_unit_test(test_waits_come_back),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
