/* Names of kinds and outcomes: each has one of its own, numbers beyond have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/arrivals.h"

static void check_names(const char *(*name_of)(unsigned), unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_string_not_equal(name_of(i), "unknown");
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(name_of(i), name_of(j));
    }
    assert_string_equal(name_of(count), "unknown");
    assert_string_equal(name_of(UINT32_MAX), "unknown");
}

static void test_names(void **state)
{
    (void)state;
    check_names(event_kind_name, EVENT_KINDS);
    check_names(outcome_name, OUTCOMES);
    assert_string_equal(event_kind_name(9), "done");
    assert_string_equal(outcome_name(8), "cancelled");
}

static void test_token_kinds(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < EVENT_KINDS; kind++)
        assert_int_equal(event_kind_is_token(kind), kind < 3);
}

static void test_bounds_of_run_times(void **state)
{
    (void)state;
    assert_false(run_time_is_stored(TIME_NONE));
    assert_false(run_time_is_stored(RUN_TIME_MAX_NS + 1));
    assert_false(run_time_is_stored(-RUN_TIME_MAX_NS - 1));
    assert_true(run_time_is_stored(RUN_TIME_MAX_NS) &&
                run_time_is_stored(-RUN_TIME_MAX_NS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_token_kinds),
        cmocka_unit_test(test_bounds_of_run_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
