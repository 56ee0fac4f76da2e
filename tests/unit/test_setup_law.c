#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "analyze/setup_law.h"

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

/* Only those that found it idle count; each of the three comes once in three draws. */
static void test_draws(void **state)
{
    (void)state;
    const struct queue_event events[] = { starter(3), waiter(), starter(0), waiter(),
                                          starter(7) };
    struct setup_law law = { 0 };
    unsigned seen[8] = { 0 };
    setup_law_learn(&law, events, 5);
    assert_int_equal(law.count, 3);
    for (uint64_t i = 0; i < 30; i++)
        seen[setup_law_draw_ns(&law, i) / QUEUE_RESOLUTION_NS]++;
    assert_int_equal(seen[0], 10);
    assert_int_equal(seen[3], 10);
    assert_int_equal(seen[7], 10);
    setup_law_release(&law);
}

/* Each once, whatever their number, in an order that is not theirs. */
static void test_dealt_like_cards(void **state)
{
    (void)state;
    enum { MOST = 500 };
    struct queue_event events[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        events[i] = starter(i);
    for (size_t count = 1; count <= MOST; count++) {
        struct setup_law law = { 0 };
        bool seen[MOST] = { false };
        size_t in_place = 0;
        setup_law_learn(&law, events, count);
        for (uint64_t i = 0; i < count; i++) {
            size_t drawn = (size_t)setup_law_draw_ns(&law, i) / QUEUE_RESOLUTION_NS;
            assert_false(seen[drawn]);
            seen[drawn] = true;
            in_place += drawn == i;
        }
        assert_true(count < 3 || in_place <= count / 2);
        setup_law_release(&law);
    }
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
        cmocka_unit_test(test_dealt_like_cards),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
