#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analyze/setup_law.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

/* An event that found the loop idle and paid `setup`, in units of 100 ns. */
static struct queue_event starter(uint32_t setup)
{
    int64_t setup_ns = (int64_t)setup * QUEUE_RESOLUTION_NS;
    return (struct queue_event){
        .arrival_ns = 1000, .app_ns = 1500 + setup_ns, .service_ns = 500, .wake = setup
    };
}

static struct queue_event waiter(void)
{
    return (struct queue_event){ .arrival_ns = 0, .app_ns = 9000, .service_ns = 500 };
}

/* Only those that found it idle count; each draw is one of theirs, all as often: of
 * 30,000 draws a third each, within five standard deviations of 82. */
static void test_draws(void **state)
{
    (void)state;
    const struct queue_event events[] = { starter(3), waiter(), starter(0), waiter(),
                                          starter(7) };
    struct setup_law law = { 0 };
    unsigned seen[8] = { 0 };
    setup_law_learn(&law, events, 5);
    assert_int_equal(law.count, 3);
    for (uint64_t i = 0; i < 30000; i++) {
        int64_t setup_ns = setup_law_draw_ns(&law, i);
        assert_int_equal(setup_ns, setup_law_draw_ns(&law, i));
        seen[setup_ns / QUEUE_RESOLUTION_NS]++;
    }
    assert_int_equal(seen[0] + seen[3] + seen[7], 30000);
    assert_close(seen[0], 10000, 410);
    assert_close(seen[3], 10000, 410);
    setup_law_release(&law);
}

/* Of many, so many are kept, first to last evenly. */
static void test_many(void **state)
{
    (void)state;
    enum { EVENTS = 3 * SETUP_LAW_MAX + 7 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    struct setup_law law = { 0 };
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i] = starter(i);
    setup_law_learn(&law, events, EVENTS);
    assert_int_equal(law.count, SETUP_LAW_MAX);
    for (uint32_t i = 0; i < SETUP_LAW_MAX; i++)
        assert_close(law.setups[i], i * ((double)EVENTS / SETUP_LAW_MAX), 1);
    setup_law_release(&law);
    free(events);
}

static void test_none(void **state)
{
    (void)state;
    const struct queue_event event = waiter();
    struct setup_law law = { 0 };
    assert_int_equal(setup_law_draw_ns(NULL, 0), 0);
    assert_int_equal(setup_law_draw_ns(&law, 5), 0);
    setup_law_learn(&law, &event, 1);
    assert_int_equal(setup_law_draw_ns(&law, 0), 0);
    setup_law_release(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
