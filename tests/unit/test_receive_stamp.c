#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/base/clock.h"
#include "replay/receive_stamp.h"

/* A clock whose offset is `offset_ns` now, stepped `ago_ns` before now from
 * `before_ns`. */
static struct stamp_clock make_clock(int64_t offset_ns, int64_t before_ns, int64_t ago_ns)
{
    return (struct stamp_clock){
        .offset_ns = offset_ns,
        .offset_before_ns = before_ns,
        .stepped_at_ns = ago_ns < 0 ? INT64_MIN : clock_monotonic_ns() - ago_ns,
    };
}

static void test_without_a_step(void **state)
{
    (void)state;
    struct stamp_clock clock = make_clock(1000, 1000, -1);
    assert_int_equal(stamp_clock_map(&clock, 5000), 4000);
}

/* The wall clock went forward: stamps from before the step map with the old offset. */
static void test_after_a_step_forward(void **state)
{
    (void)state;
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct stamp_clock clock = make_clock(step_ns, 0, NS_PER_MS);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * NS_PER_MS),
                     now_ns - 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 1000 + step_ns), now_ns - 1000);
}

static void test_after_a_step_back(void **state)
{
    (void)state;
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct stamp_clock clock = make_clock(-step_ns, 0, NS_PER_MS);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * NS_PER_MS),
                     now_ns - 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 1000 - step_ns), now_ns - 1000);
}

static void test_a_step_is_forgotten(void **state)
{
    (void)state;
    struct stamp_clock clock =
        make_clock(0, 2 * (int64_t)NS_PER_S, 5 * (int64_t)NS_PER_S);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns), now_ns);
}

/* A client that is 4 s behind reads what came a second before a step. */
static void test_a_late_read_after_a_step_forward(void **state)
{
    (void)state;
    const int64_t s = NS_PER_S;
    struct stamp_clock clock = make_clock(2 * s, 0, 3 * s);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 4 * s), now_ns - 4 * s);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * s + 2 * s), now_ns - 2 * s);
}

static void test_a_step_is_found(void **state)
{
    (void)state;
    struct stamp_clock clock;
    stamp_clock_init(&clock);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    clock.offset_ns -= step_ns;
    int64_t found_ns = stamp_clock_refresh(&clock);
    assert_in_range(found_ns, step_ns - NS_PER_MS, step_ns + NS_PER_MS);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
}

/* Seen between two refreshes, it is told by the next. */
static void test_a_step_is_followed(void **state)
{
    (void)state;
    struct stamp_clock clock;
    stamp_clock_init(&clock);
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct clock_pair pair = clock_pair_read();
    clock.offset_ns += step_ns; /* the clock was set back since */
    stamp_clock_follow(&clock);
    int64_t mapped_ns = stamp_clock_map(&clock, pair.realtime_ns);
    assert_in_range(pair.monotonic_ns + NS_PER_MS - mapped_ns, 0, 2 * NS_PER_MS);
    int64_t told_ns = stamp_clock_refresh(&clock);
    assert_in_range(step_ns + told_ns + NS_PER_MS, 0, 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_step),
        cmocka_unit_test(test_after_a_step_forward),
        cmocka_unit_test(test_after_a_step_back),
        cmocka_unit_test(test_a_step_is_forgotten),
        cmocka_unit_test(test_a_late_read_after_a_step_forward),
        cmocka_unit_test(test_a_step_is_found),
        cmocka_unit_test(test_a_step_is_followed),
    };
    return cmocka_run_group_tests_name("receive_stamp", tests, NULL, NULL);
}
