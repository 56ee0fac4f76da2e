#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analyze/itl.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

enum { MS = 1000000 };

static void test_spread(void **state)
{
    (void)state;
    struct itl *itl = memory_new(1, sizeof *itl);
    int64_t single[] = { 4 * MS, 6 * MS };
    struct multi_gap multi[] = {
        { .gap_ns = 9 * MS, .spread_ns = 9 * MS, .tokens = 3 },
        { .gap_ns = 2 * MS, .spread_ns = 2 * MS, .tokens = 0 },
        { .gap_ns = 6 * MS, .spread_ns = 8 * MS, .tokens = 2 },
    };
    struct clock_gaps gaps = {
        .gap_ns = single, .count = 2, .multi = multi, .multi_count = 3,
    };
    struct clock_gaps none = { 0 };
    itl_add(itl, &gaps);
    itl_add(itl, &none);

    struct distribution events = itl_distribution(itl, false);
    assert_int_equal(events.count, 5); /* 4, 6, 9, 2, 6 */
    assert_int_equal(events.excluded, 1);
    assert_close(events.mean, 27e-3 / 5, 1e-15);
    assert_close(events.max, 9e-3, 0);

    struct distribution tokens = itl_distribution(itl, true);
    assert_int_equal(tokens.count, 7); /* 4, 6, 3, 3, 3, 4, 4 */
    assert_close(tokens.mean, 27e-3 / 7, 1e-15);
    assert_close(tokens.max, 6e-3, 0);
    assert_close_relative(distribution_headline(&tokens, HEADLINE_P50), 4e-3,
                          HISTOGRAM_RELATIVE_ERROR);
    /* one request is not enough for an interval over requests */
    assert_false(tokens.headline[HEADLINE_P50].known);
    itl_release(itl);
    free(itl);
}

/* Gaps of one answer are alike: 100 requests, half with gaps of 1 ms, half of 3 ms. The
 * interval of the median must know that there are 100 choices, not 100,000. */
static void test_interval_is_over_requests(void **state)
{
    (void)state;
    enum { GAPS = 1000 };
    struct itl *itl = memory_new(1, sizeof *itl);
    int64_t gap_ns[GAPS];
    for (int request = 0; request < 100; request++) {
        for (int i = 0; i < GAPS; i++)
            gap_ns[i] = request % 2 == 0 ? 1 * MS : 3 * MS;
        struct clock_gaps gaps = { .gap_ns = gap_ns, .count = GAPS };
        itl_add(itl, &gaps);
    }
    struct distribution result = itl_distribution(itl, false);
    struct interval median = result.headline[HEADLINE_P50];
    assert_true(median.known);
    assert_close_relative(median.low, 1e-3, HISTOGRAM_RELATIVE_ERROR);
    assert_close_relative(median.high, 3e-3, HISTOGRAM_RELATIVE_ERROR);
    itl_release(itl);
    free(itl);
}

static void test_negative_gaps_are_counted(void **state)
{
    (void)state;
    struct itl *itl = memory_new(1, sizeof *itl);
    int64_t gap_ns[] = { -2 * MS, 1 * MS };
    struct clock_gaps gaps = { .gap_ns = gap_ns, .count = 2 };
    itl_add(itl, &gaps);
    assert_int_equal(itl->negative, 1);
    struct distribution result = itl_distribution(itl, false);
    assert_close(result.min, -2e-3, 0);
    itl_release(itl);
    free(itl);
}

static void test_empty(void **state)
{
    (void)state;
    struct itl *itl = memory_new(1, sizeof *itl);
    struct distribution result = itl_distribution(itl, false);
    assert_int_equal(result.count, 0);
    assert_true(isnan(result.mean));
    assert_false(result.headline[HEADLINE_P99].known);
    itl_release(itl);
    free(itl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_interval_is_over_requests),
        cmocka_unit_test(test_negative_gaps_are_counted),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
