/* Draws against the distribution functions of GSL by Kolmogorov-Smirnov, and moments.
 * Seeds are fixed; chance alone passes 1.95/sqrt(n) once in 1,000. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "assert_close.h"
#include "replay/gamma_law.h"
#include "replay/random_laws.h"

enum { DRAWS = 20000 };

typedef double draw_value(struct random_stream *stream, double parameter);
typedef double distribution(double x, double parameter);

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void check_law(draw_value *draw, distribution *below, double parameter)
{
    double *values = malloc(DRAWS * sizeof *values);
    assert_non_null(values);
    for (uint64_t i = 0; i < DRAWS; i++) {
        struct random_stream stream;
        random_stream_init(&stream, 42, 9, i);
        values[i] = draw(&stream, parameter);
    }
    qsort(values, DRAWS, sizeof *values, compare);
    double distance = 0;
    for (int i = 0; i < DRAWS; i++) {
        double place = below(values[i], parameter);
        distance = fmax(distance, fmax(place - (double)i / DRAWS,
                                       (double)(i + 1) / DRAWS - place));
    }
    free(values);
    assert_true(distance < 1.95 / sqrt(DRAWS));
}

static double draw_exponential_law(struct random_stream *stream, double parameter)
{
    return parameter * random_exponential(stream);
}

static double exponential_below(double x, double parameter)
{
    return gsl_cdf_exponential_P(x, parameter);
}

static double draw_normal_law(struct random_stream *stream, double parameter)
{
    return parameter * random_normal(stream);
}

static double normal_below(double x, double parameter)
{
    return gsl_cdf_gaussian_P(x, parameter);
}

static double gamma_below(double x, double shape)
{
    return gsl_cdf_gamma_P(x, shape, 1);
}

static double gamma_mean_1_below(double x, double shape)
{
    return gsl_cdf_gamma_P(x, shape, 1 / shape);
}

static double weibull_mean_1_below(double x, double shape)
{
    return gsl_cdf_weibull_P(x, 1 / gsl_sf_gamma(1 + 1 / shape), shape);
}

static void exponential(void **state)
{
    (void)state;
    check_law(draw_exponential_law, exponential_below, 3);
}

static void normal(void **state)
{
    (void)state;
    check_law(draw_normal_law, normal_below, 2);
}

static void gamma_of_all_shapes(void **state)
{
    (void)state;
    static const double shapes[] = { 0.05, 0.3, 0.99, 1, 1.7, 25, 400 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_law(random_gamma, gamma_below, shapes[i]);
        check_law(random_gamma_mean_1, gamma_mean_1_below, shapes[i]);
    }
}

static void weibull(void **state)
{
    (void)state;
    static const double shapes[] = { 0.35, 1, 2.5 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_law(random_weibull_mean_1, weibull_mean_1_below, shapes[i]);
}

static void gamma_distribution_function(void **state)
{
    (void)state;
    static const double shapes[] = { 1e-3, 0.04, 0.5, 1, 3, 50, 2000 };
    static const double places[] = { 1e-9, 0.01, 0.3, 1, 1.7, 4, 20 };
    for (size_t i = 0; i < 7; i++) {
        for (size_t k = 0; k < 7; k++) {
            double x = shapes[i] * places[k];
            assert_close(gamma_law_below(shapes[i], x), gsl_sf_gamma_inc_P(shapes[i], x),
                         1e-12);
        }
    }
    assert_close(gamma_law_below(1, 2), 1 - exp(-2), 1e-15);
    assert_close(gamma_law_below(2, 0), 0, 0);
    assert_close(gamma_law_below(2, -1), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential),         cmocka_unit_test(normal),
        cmocka_unit_test(gamma_of_all_shapes), cmocka_unit_test(weibull),
        cmocka_unit_test(gamma_distribution_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
