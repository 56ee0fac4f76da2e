#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tests/unit/assert_close.h"
#include "formats/base/quantile.h"

/* By hand from position (n - 1)p, and as numpy.quantile gives them. */
static void test_interpolation(void **state)
{
    (void)state;
    const double four[] = { 1, 2, 3, 4 };
    assert_close(quantile_of_sorted(four, 4, 0), 1, 0);
    assert_close(quantile_of_sorted(four, 4, 0.25), 1.75, 0);
    assert_close(quantile_of_sorted(four, 4, 0.5), 2.5, 0);
    assert_close(quantile_of_sorted(four, 4, 0.9), 3.7, 1e-15);
    assert_close(quantile_of_sorted(four, 4, 1), 4, 0);

    const double uneven[] = { 10, 20, 40, 80, 160 };
    assert_close(quantile_of_sorted(uneven, 5, 0.1), 14, 1e-14);
    assert_close(quantile_of_sorted(uneven, 5, 0.3), 24, 1e-14);
    assert_close(quantile_of_sorted(uneven, 5, 0.95), 144, 1e-13);

    const double one[] = { 7 };
    assert_close(quantile_of_sorted(one, 1, 0.01), 7, 0);
    assert_close(quantile_of_sorted(one, 1, 0.999), 7, 0);

    /* numpy steps back from the upper neighbour when it is nearer: 0.3 - (0.3 - 0.1) *
     * 0.25 */
    const double pair[] = { 0.1, 0.3 };
    assert_close(quantile_of_sorted(pair, 2, 0.75), 0.3 - (0.3 - 0.1) * (1 - 0.75), 0);
}

static void test_hundred(void **state)
{
    (void)state;
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = (double)((i * 37) % 100 + 1); /* 1..100 in another order */
    quantile_sort(values, 100);
    for (size_t i = 0; i < 100; i++)
        assert_close(values[i], (double)(i + 1), 0);
    assert_close(quantile_of_sorted(values, 100, 0.01), 1.99, 1e-12);
    assert_close(quantile_of_sorted(values, 100, 0.5), 50.5, 0);
    assert_close(quantile_of_sorted(values, 100, 0.95), 95.05, 1e-12);
    assert_close(quantile_of_sorted(values, 100, 0.99), 99.01, 1e-12);
    assert_close(quantile_of_sorted(values, 100, 0.999), 99.901, 1e-12);
}

static void test_sort_all_signs_and_sizes(void **state)
{
    (void)state;
    double values[] = { 1e300, -1e-300, 0.0, -1e300, INFINITY, -INFINITY, 5e-324, -5e-324,
                       1, -1 };
    const double expected[] = { -INFINITY, -1e300, -1,    -1e-300, -5e-324,
                                0.0,       5e-324, 1, 1e300,   INFINITY };
    quantile_sort(values, 10);
    for (size_t i = 0; i < 10; i++)
        assert_true(values[i] == expected[i]);

    double nothing[] = { 3 };
    quantile_sort(nothing, 0);
    quantile_sort(nothing, 1);
    assert_true(nothing[0] == 3);

    double equal[] = { 2, 2, 2 };
    quantile_sort(equal, 3);
    assert_true(equal[0] == 2 && equal[2] == 2);
}

static void test_sort_ints(void **state)
{
    (void)state;
    int64_t values[] = { 5, INT64_MAX, -3, INT64_MIN, 0, 5, 1 };
    const int64_t expected[] = { INT64_MIN, -3, 0, 1, 5, 5, INT64_MAX };
    quantile_sort_int(values, 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(values[i] == expected[i]);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void test_sort_against_qsort(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static double ours[COUNT];
    static double theirs[COUNT];
    uint64_t x = 42;
    for (size_t i = 0; i < COUNT; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        ours[i] = theirs[i] = ldexp((double)(int64_t)x, (int)(x >> 58) - 80);
    }
    quantile_sort(ours, COUNT);
    qsort(theirs, COUNT, sizeof theirs[0], compare_doubles);
    assert_memory_equal(ours, theirs, sizeof ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_hundred),
        cmocka_unit_test(test_sort_all_signs_and_sizes),
        cmocka_unit_test(test_sort_ints),
        cmocka_unit_test(test_sort_against_qsort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
