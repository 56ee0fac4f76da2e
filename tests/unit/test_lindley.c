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
    struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .workers = 1,
                               .setup_ns = LINDLEY_NO_SETUP };
    assert_close(mean_wait(&lindley, events, 4), 35.0 / 4, 1e-12);
    /* A set-up of 4 at 0 and at 100 makes the waits 4, 24, 19, 4. */
    lindley.setup_ns = 4;
    assert_close(mean_wait(&lindley, events, 4), 51.0 / 4, 1e-12);
    /* Services of 12 each: 0, 2, 4, 0. */
    lindley = (struct lindley){ .service_ns = 12, .workers = 1, .setup_ns = 0 };
    assert_close(mean_wait(&lindley, events, 4), 6.0 / 4, 1e-12);
    /* Two workers: rows 0 and 2 meet at one, 1 and 3 at the other. */
    lindley = (struct lindley){ .service_ns = 25, .workers = 2, .setup_ns = 0 };
    assert_close(mean_wait(&lindley, events, 4), 5.0 / 4, 1e-12);
}

/* A service below 0 is none, rather than a gift to those behind. */
static void test_negative_service(void **state)
{
    (void)state;
    const struct queue_event events[] = { event_of(0, 30, 0), event_of(10, -50, 1),
                                          event_of(12, 5, 2) };
    struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .workers = 1,
                               .setup_ns = LINDLEY_NO_SETUP };
    assert_close(mean_wait(&lindley, events, 3), (20.0 + 18) / 3, 1e-12);
}

/* With services and set-ups as recorded, the waits of a simulated loop come back to the
 * nanosecond; without set-up they are shorter. */
static void test_recorded_waits_come_back(void **state)
{
    (void)state;
    enum { EVENTS = 20000 };
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6,
                                      .rho = 0.7, .setup_s = 50e-6, .seed = 3 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    double sum = 0;
    simulate_queue(&given, events, EVENTS);
    queue_serve(events, EVENTS);
    for (size_t i = 0; i < EVENTS; i++)
        sum += (double)queue_wait_ns(&events[i]);
    struct lindley lindley = { .service_ns = LINDLEY_RECORDED, .workers = 1,
                               .setup_ns = 0 };
    assert_close_relative(mean_wait(&lindley, events, EVENTS), sum / EVENTS, 1e-12);
    lindley.setup_ns = LINDLEY_NO_SETUP;
    assert_true(mean_wait(&lindley, events, EVENTS) < 0.9 * sum / EVENTS);
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
        cmocka_unit_test(test_recorded_waits_come_back),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
