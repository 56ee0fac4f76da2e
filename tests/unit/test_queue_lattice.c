/* The waiting-time distribution of M/G/1 against closed forms and against numerical
 * inversion of its transform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/queue_lattice.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"

/* Services of mean 1. */
struct law {
    double (*residual)(double x);          /* P(residual service <= x) */
    double complex (*transform)(double complex s); /* E[exp(-s S)] */
};

static double residual_exp(double x)
{
    return -expm1(-x);
}

static double complex transform_exp(double complex s)
{
    return 1 / (1 + s);
}

/* Of two exponential stages of mean 1/2. */
static double residual_erlang(double x)
{
    return 1 - exp(-2 * x) * (1 + x);
}

static double complex transform_erlang(double complex s)
{
    return 4 / ((2 + s) * (2 + s));
}

/* Phases of mean 5/9 (share 9/10) and 5 (share 1/10): each makes up half of the time. */
static double residual_hyper(double x)
{
    return 1 - exp(-x * 9 / 5) / 2 - exp(-x / 5) / 2;
}

static double complex transform_hyper(double complex s)
{
    return 0.9 / (1 + s * 5 / 9) + 0.1 / (1 + s * 5);
}

static double residual_constant(double x)
{
    return x < 1 ? x : 1;
}

static const struct law laws[] = {
    { residual_exp, transform_exp },
    { residual_erlang, transform_erlang },
    { residual_hyper, transform_hyper },
};

/* P(W > t) by the Euler method of Abate and Whitt (1995): its transform is
 * (1 - W(s)) / s with W(s) = (1 - rho) s / (s - rho + rho B(s)). */
static double tail_by_euler(const struct law *law, double rho, double t)
{
    enum { TERMS = 30, AVERAGED = 12 };
    static const double binomials[AVERAGED] = { 1,   11,  55,  165, 330, 462,
                                                462, 330, 165, 55,  11,  1 };
    const double a = 18.4;
    double sum = 0;
    double partial = 0;
    for (int k = 0; k < TERMS + AVERAGED; k++) {
        double complex s = (a + 2 * M_PI * I * k) / (2 * t);
        double complex wait = (1 - rho) * s / (s - rho + rho * law->transform(s));
        double term = creal((1 - wait) / s) * (k % 2 ? -1 : 1);
        partial += exp(a / 2) / t * (k == 0 ? term / 2 : term);
        if (k >= TERMS)
            sum += partial * binomials[k - TERMS] / 2048;
    }
    return sum;
}

static void fill(struct queue_lattice *lattice, double (*residual)(double x), double rho,
                 double step, size_t count)
{
    double *values = memory_new(count + 1, sizeof *values);
    for (size_t k = 0; k <= count; k++)
        values[k] = residual((double)k * step);
    queue_lattice_fill(lattice, rho, step, values, count);
    free(values);
}

/* The error of the bracket's middle falls with the square of the step: two steps give the
 * limit (Richardson). */
static double cdf_at(double (*residual)(double x), double rho, double t)
{
    double middle[2];
    for (size_t i = 0; i < 2; i++) {
        struct queue_lattice lattice = { 0 };
        size_t steps = (size_t)1500 << i;
        fill(&lattice, residual, rho, t / ((double)steps + 0.5), steps + 1);
        middle[i] = queue_lattice_cdf(&lattice, steps);
        queue_lattice_release(&lattice);
    }
    return middle[1] + (middle[1] - middle[0]) / 3;
}

/* P(W <= t) = 1 - rho exp(-(1 - rho) t). */
static void test_mm1(void **state)
{
    (void)state;
    const double rhos[] = { 0.2, 0.5, 0.8, 0.95 };
    for (size_t i = 0; i < 4; i++)
        for (double t = 0.5; t < 9; t *= 2)
            assert_close(cdf_at(residual_exp, rhos[i], t),
                         1 - rhos[i] * exp(-(1 - rhos[i]) * t), 1e-6);
    assert_close(tail_by_euler(&laws[0], 0.5, 2), 0.5 * exp(-1), 1e-8);
}

/* Erlang (1909): P(W <= t) = (1 - rho) sum over j <= t of (rho (j - t))^j / j!
 * exp(-rho (j - t)). */
static double md1(double rho, double t)
{
    double sum = 0;
    double factorial = 1;
    for (int j = 0; j <= (int)t; j++) {
        factorial *= j > 0 ? j : 1;
        sum += pow(rho * (j - t), j) / factorial * exp(-rho * (j - t));
    }
    return (1 - rho) * sum;
}

static void test_md1(void **state)
{
    (void)state;
    const double rhos[] = { 0.2, 0.5, 0.8, 0.95 };
    /* The lattice meets the kinks of the law when 1 is a whole number of steps. */
    const size_t steps = 2000;
    for (size_t i = 0; i < 4; i++) {
        struct queue_lattice lattice = { 0 };
        fill(&lattice, residual_constant, rhos[i], 1 / (double)steps, 5 * steps);
        for (size_t k = 1000; k < 5 * steps; k += 1100)
            assert_close(queue_lattice_cdf(&lattice, k),
                         md1(rhos[i], ((double)k + 0.5) / (double)steps), 1e-6);
        queue_lattice_release(&lattice);
    }
}

static void test_against_inversion(void **state)
{
    (void)state;
    const double rhos[] = { 0.2, 0.5, 0.8, 0.95 };
    for (size_t law = 0; law < 3; law++)
        for (size_t i = 0; i < 4; i++)
            for (double t = 0.5; t < 9; t *= 2)
                assert_close(1 - cdf_at(laws[law].residual, rhos[i], t),
                             tail_by_euler(&laws[law], rhos[i], t), 1e-6);
}

/* The bracket holds the exact quantile and narrows with the step. */
static void test_bracket(void **state)
{
    (void)state;
    const double rho = 0.8;
    double width = INFINITY;
    for (size_t steps = 500; steps <= 8000; steps *= 4) {
        struct queue_lattice lattice = { 0 };
        fill(&lattice, residual_exp, rho, 40.0 / (double)steps, steps);
        for (double p = 0.5; p < 0.999; p += 0.1) {
            double exact = -log((1 - p) / rho) / (1 - rho);
            struct bracket bracket = queue_lattice_quantile(&lattice, p);
            assert_true(bracket.low <= exact && exact <= bracket.high);
        }
        struct bracket bracket = queue_lattice_quantile(&lattice, 0.9);
        assert_true(bracket.high - bracket.low < width);
        width = bracket.high - bracket.low;
        queue_lattice_release(&lattice);
    }
    assert_true(width < 0.15);
}

/* Below 1 - rho nobody waits; beyond the lattice nothing is claimed. */
static void test_ends(void **state)
{
    (void)state;
    struct queue_lattice lattice = { 0 };
    fill(&lattice, residual_exp, 0.5, 0.01, 100);
    struct bracket bracket = queue_lattice_quantile(&lattice, 0.49);
    assert_close(bracket.low, 0, 0);
    assert_close(bracket.high, 0, 0);
    bracket = queue_lattice_quantile(&lattice, 0.99);
    assert_true(isnan(bracket.low) && isnan(bracket.high));
    queue_lattice_release(&lattice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm1),
        cmocka_unit_test(test_md1),
        cmocka_unit_test(test_against_inversion),
        cmocka_unit_test(test_bracket),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
