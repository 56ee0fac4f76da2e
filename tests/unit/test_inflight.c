#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/inflight.h"
#include "tests/unit/assert_close.h"

static void test_none_and_one(void **state)
{
    (void)state;
    struct inflight none = inflight_sweep(NULL, NULL, 0);
    assert_int_equal(none.max, 0);
    assert_true(isnan(none.mean));

    int64_t from[] = { 5 };
    int64_t to[] = { 9 };
    struct inflight one = inflight_sweep(from, to, 1);
    assert_int_equal(one.max, 1);
    assert_close(one.mean, 1, 0);

    to[0] = 5; /* no time at all */
    one = inflight_sweep(from, to, 1);
    assert_int_equal(one.max, 0);
    assert_true(isnan(one.mean));
}

/* 0-10, 2-4, 3-12, 4-5 (in another order): at 3 there are three; 2-4 is over as 4-5
 * begins. 10 + 2 + 9 + 1 over 12. */
static void test_overlaps(void **state)
{
    (void)state;
    int64_t from[] = { 4, 0, 3, 2 };
    int64_t to[] = { 5, 10, 12, 4 };
    struct inflight result = inflight_sweep(from, to, 4);
    assert_int_equal(result.max, 3);
    assert_close(result.mean, 22.0 / 12, 1e-15);
}

static void test_back_to_back(void **state)
{
    (void)state;
    int64_t from[] = { -10, 0, 10 };
    int64_t to[] = { 0, 10, 20 };
    struct inflight result = inflight_sweep(from, to, 3);
    assert_int_equal(result.max, 1);
    assert_close(result.mean, 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_and_one),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_back_to_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
