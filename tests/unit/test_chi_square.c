#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <gsl/gsl_errno.h>

#include "analyze/chi_square.h"
#include "tests/unit/assert_close.h"

/* With 2 degrees of freedom it is exponential of mean 2. */
static void test_two_degrees(void **state)
{
    (void)state;
    for (double x = 0.1; x < 20; x *= 2) {
        assert_close(chi_square_above(x, 2), exp(-x / 2), 1e-12);
        assert_close(chi_square_below(x, 2), -expm1(-x / 2), 1e-12);
    }
    assert_close(chi_square_quantile(0.95, 2), -2 * log(0.05), 1e-9);
}

/* Both methods meet where one takes over: neighbouring numbers of degrees differ by
 * little more than their means do. */
static void test_methods_meet(void **state)
{
    (void)state;
    for (double z = -3; z <= 3; z += 0.5) {
        double x = 1000 + z * sqrt(2000);
        assert_close(chi_square_below(x, 1000.001), chi_square_below(x, 1000), 2e-5);
        assert_close(chi_square_above(x, 1000.001), chi_square_above(x, 1000), 2e-5);
    }
    assert_close(chi_square_quantile(0.975, 1000.001), chi_square_quantile(0.975, 1000),
                 0.01);
}

/* Far beyond what the exact series bear. Mean n, variance 2 n, nearly normal. */
static void test_millions(void **state)
{
    (void)state;
    double freedom = 2e7;
    double sd = sqrt(2 * freedom);
    assert_close(chi_square_below(freedom + 1.959964 * sd, freedom), 0.975, 1e-4);
    assert_close(chi_square_above(freedom + 1.959964 * sd, freedom), 0.025, 1e-4);
    assert_close(chi_square_quantile(0.025, freedom), freedom - 1.959964 * sd, 5);
    for (double p = 0.01; p < 1; p += 0.07)
        assert_close(chi_square_below(chi_square_quantile(p, freedom), freedom), p, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_degrees),
        cmocka_unit_test(test_methods_meet),
        cmocka_unit_test(test_millions),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
