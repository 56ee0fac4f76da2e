/* Timers of many streams: against a plain search, under random sets, moves and removals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>

#include <cmocka.h>

#include "formats/base/draw.h"
#include "replay/timer_heap.h"

enum { TIMERS = 300, ROUNDS = 20000 };

static struct timer timers[TIMERS];
static int64_t dues_ns[TIMERS]; /* INT64_MAX: not set */

static int64_t earliest_ns(void)
{
    int64_t best_ns = INT64_MAX;
    for (size_t i = 0; i < TIMERS; i++)
        best_ns = dues_ns[i] < best_ns ? dues_ns[i] : best_ns;
    return best_ns;
}

static void first_is_the_earliest(void **state)
{
    (void)state;
    struct timer_heap heap = { 0 };
    for (size_t i = 0; i < TIMERS; i++)
        dues_ns[i] = INT64_MAX;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct draw draw = draw_at(1, 2, round);
        size_t i = draw.words[0] % TIMERS;
        bool remove = draw.words[1] % 3 == 0;
        dues_ns[i] = remove ? INT64_MAX : (int64_t)(draw.words[1] % 100000);
        if (remove)
            timer_heap_remove(&heap, &timers[i]);
        else
            timer_heap_set(&heap, &timers[i], dues_ns[i]);
        const struct timer_entry *first = timer_heap_first(&heap);
        int64_t first_ns = first ? first->due_ns : INT64_MAX;
        assert_true(first_ns == earliest_ns());
        assert_true(!first || dues_ns[first->timer - timers] == first->due_ns);
    }
    timer_heap_release(&heap);
}

static void comes_out_in_order(void **state)
{
    (void)state;
    struct timer_heap heap = { 0 };
    struct timer many[1000] = { { 0 } };
    for (size_t i = 0; i < 1000; i++)
        timer_heap_set(&heap, &many[i], (int64_t)(i * 7919 % 1000));
    for (int64_t expected = 0; expected < 1000; expected++) {
        const struct timer_entry *first = timer_heap_first(&heap);
        assert_non_null(first);
        assert_int_equal(first->due_ns, expected);
        timer_heap_remove(&heap, first->timer);
    }
    assert_null(timer_heap_first(&heap));
    timer_heap_remove(&heap, &many[0]);
    assert_null(timer_heap_first(&heap));
    timer_heap_release(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_is_the_earliest),
        cmocka_unit_test(comes_out_in_order),
    };
    return cmocka_run_group_tests_name("timer_heap", tests, NULL, NULL);
}
