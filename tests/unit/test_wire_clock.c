/* Packet stamps to the monotonic clock: drift, steps of the wall clock, stamps outside
 * the pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "record/wire_clock.h"

#define S INT64_C(1000000000)
#define EPOCH (1800000000 * S)

static struct wire_clock make_clock(const struct clock_pair *pairs, size_t count)
{
    struct wire_clock clock = { 0 };
    for (size_t i = 0; i < count; i++)
        wire_clock_add(&clock, pairs[i]);
    return clock;
}

static void one_pair_is_a_difference(void **state)
{
    (void)state;
    struct wire_clock clock = make_clock(&(struct clock_pair){ 50 * S, EPOCH }, 1);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH - 1), 50 * S - 1);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + 7), 50 * S + 7);
    wire_clock_release(&clock);
}

static void slewing_is_linear_between_pairs(void **state)
{
    (void)state;
    /* the wall clock gains 100 us in each second */
    const struct clock_pair pairs[] = { { 50 * S, EPOCH },
                                        { 51 * S, EPOCH + S + 100000 },
                                        { 52 * S, EPOCH + 2 * S + 200000 } };
    struct wire_clock clock = make_clock(pairs, 3);
    assert_int_equal(wire_clock_step(&clock, 1), 0);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + (S + 100000) / 2),
                     50 * S + S / 2);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + S + 100000), 51 * S);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + 3 * S + 200000), 53 * S);
    wire_clock_release(&clock);
}

static void a_step_forward_moves_no_interval(void **state)
{
    (void)state;
    const struct clock_pair pairs[] = { { 50 * S, EPOCH },
                                        { 51 * S, EPOCH + 61 * S },
                                        { 52 * S, EPOCH + 62 * S } };
    struct wire_clock clock = make_clock(pairs, 3);
    assert_int_equal(wire_clock_step(&clock, 1), 60 * S);
    assert_int_equal(wire_clock_step(&clock, 2), 0);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + S / 4), 50 * S + S / 4);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + 60 * S + S / 2),
                     50 * S + S / 2);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + 61 * S + S / 2),
                     51 * S + S / 2);
    wire_clock_release(&clock);
}

static void a_step_back_moves_no_interval(void **state)
{
    (void)state;
    const struct clock_pair pairs[] = { { 50 * S, EPOCH },
                                        { 51 * S, EPOCH - 59 * S },
                                        { 52 * S, EPOCH - 58 * S } };
    struct wire_clock clock = make_clock(pairs, 3);
    assert_int_equal(wire_clock_step(&clock, 1), -60 * S);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH + S / 4), 50 * S + S / 4);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH - 59 * S + S / 2),
                     51 * S + S / 2);
    assert_int_equal(wire_clock_monotonic(&clock, EPOCH - 58 * S + 3), 52 * S + 3);
    wire_clock_release(&clock);
}

static void a_long_capture_keeps_few_pairs(void **state)
{
    (void)state;
    struct wire_clock clock = { 0 };
    for (int64_t i = 0; i < 1000; i++) {
        wire_clock_add(&clock, (struct clock_pair){ (50 + i) * S, EPOCH + i * S });
        assert_int_equal(wire_clock_monotonic(&clock, EPOCH + i * S + 9),
                         (50 + i) * S + 9);
        wire_clock_forget(&clock);
        assert_true(clock.count < 20);
    }
    wire_clock_release(&clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pair_is_a_difference),
        cmocka_unit_test(slewing_is_linear_between_pairs),
        cmocka_unit_test(a_step_forward_moves_no_interval),
        cmocka_unit_test(a_step_back_moves_no_interval),
        cmocka_unit_test(a_long_capture_keeps_few_pairs),
    };
    return cmocka_run_group_tests_name("wire_clock", tests, NULL, NULL);
}
