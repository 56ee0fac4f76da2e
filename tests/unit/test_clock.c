#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "formats/base/clock.h"

static void test_utc(void **state)
{
    (void)state;
    char text[CLOCK_TEXT_MAX];
    clock_format_utc(text, 0);
    assert_string_equal(text, "1970-01-01T00:00:00.000000000Z");
    /* 951,782,400 s: 2000-02-29, a leap day of a century year. */
    clock_format_utc(text, INT64_C(951782400) * NS_PER_S + 1);
    assert_string_equal(text, "2000-02-29T00:00:00.000000001Z");
    clock_format_utc(text, INT64_C(1234567890) * NS_PER_S + 987654321);
    assert_string_equal(text, "2009-02-13T23:31:30.987654321Z");
}

static void test_sleep_reaches_its_time(void **state)
{
    (void)state;
    int64_t until_ns = clock_monotonic_ns() + 5 * NS_PER_MS;
    clock_sleep_until(until_ns);
    assert_true(clock_monotonic_ns() >= until_ns);
    clock_sleep_until(0);
    clock_sleep_until(-1);
}

static void test_pair(void **state)
{
    (void)state;
    int64_t monotonic_ns = clock_monotonic_ns();
    int64_t realtime_ns = clock_realtime_ns();
    struct clock_pair pair = clock_pair_read();
    assert_true(pair.monotonic_ns >= monotonic_ns);
    assert_true(pair.monotonic_ns <= clock_monotonic_ns());
    /* The distance of the two clocks is the same in both readings but for the time
     * between the two calls above; a second allows for a machine that stalls. */
    int64_t drift_ns =
        (pair.realtime_ns - pair.monotonic_ns) - (realtime_ns - monotonic_ns);
    assert_true(drift_ns < NS_PER_S && drift_ns > -NS_PER_S);
}

static void test_cpu_time_grows_with_work(void **state)
{
    (void)state;
    int64_t before_ns = clock_process_cpu_ns();
    int64_t wall_ns = clock_monotonic_ns();
    while (clock_process_cpu_ns() < before_ns + NS_PER_MS)
        if (clock_monotonic_ns() > wall_ns + 60 * (int64_t)NS_PER_S)
            break;
    assert_true(clock_process_cpu_ns() >= before_ns + NS_PER_MS);
}

static void test_boot_id(void **state)
{
    (void)state;
    char first[BOOT_ID_MAX];
    char second[BOOT_ID_MAX];
    clock_boot_id(first);
    clock_boot_id(second);
    assert_string_equal(first, second);
    assert_true(strlen(first) == 0 || strlen(first) == 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utc),
        cmocka_unit_test(test_sleep_reaches_its_time),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_cpu_time_grows_with_work),
        cmocka_unit_test(test_boot_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
