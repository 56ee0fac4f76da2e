#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "analyze/bootstrap.h"
#include "analyze/service_laws.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"
#include "tests/unit/assert_close.h"

enum { COUNT = 20000 };

static const struct service_law truths[SERVICE_LAWS] = {
    [LAW_DETERMINISTIC] = { LAW_DETERMINISTIC, { 60e-6, 0.3e-6 } },
    [LAW_EXPONENTIAL] = { LAW_EXPONENTIAL, { 60e-6 } },
    [LAW_GAMMA] = { LAW_GAMMA, { 2.5, 20e-6 } },
    [LAW_LOGNORMAL] = { LAW_LOGNORMAL, { -9.7, 0.8 } },
    [LAW_HYPEREXPONENTIAL] = { LAW_HYPEREXPONENTIAL, { 0.8, 30e-6, 200e-6 } },
};

/* Each law, fitted to draws of its own, comes back: parameters within a few standard
 * errors of 1 / sqrt(20,000) = 0.7 %. */
static void test_fits_come_back(void **state)
{
    (void)state;
    gsl_rng *generator = bootstrap_generator(0);
    double *values = memory_new(COUNT, sizeof *values);
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++) {
        const struct service_law *truth = &truths[kind];
        for (size_t i = 0; i < COUNT; i++)
            values[i] = service_law_draw(truth, generator);
        quantile_sort(values, COUNT);
        struct service_law law = service_law_fit(kind, values, COUNT);
        for (unsigned i = 0; service_law_parameter_name(kind, i); i++)
            assert_close_relative(law.parameters[i], truth->parameters[i],
                                  kind == LAW_HYPEREXPONENTIAL ? 0.08 : 0.03);
        /* Half of the draws lie below the median of the law. */
        assert_close(service_law_cdf(truth, values[COUNT / 2]), 0.5, 0.015);
    }
    gsl_rng_free(generator);
    free(values);
}

/* The density is the slope of the distribution function. */
static void test_density_is_slope(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++) {
        const struct service_law *law = &truths[kind];
        for (double x = 59e-6; x < 62e-6; x += 0.7e-6) {
            double step = 1e-10;
            double slope = (service_law_cdf(law, x + step) -
                            service_law_cdf(law, x - step)) / (2 * step);
            assert_close_relative(exp(service_law_log_density(law, x)), slope, 2e-3);
        }
    }
}

/* One value, and values that are all the same, end in a fit with finite numbers. */
static void test_degenerate(void **state)
{
    (void)state;
    double values[50];
    for (size_t i = 0; i < 50; i++)
        values[i] = 60e-6;
    for (unsigned kind = 0; kind < SERVICE_LAWS; kind++) {
        for (size_t count = 1; count <= 50; count += 49) {
            struct service_law law = service_law_fit(kind, values, count);
            for (unsigned i = 0; service_law_parameter_name(kind, i); i++)
                assert_true(isfinite(law.parameters[i]));
            assert_true(isfinite(service_law_log_density(&law, 60e-6)));
            double p = service_law_cdf(&law, 60e-6);
            assert_true(p >= 0 && p <= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits_come_back),
        cmocka_unit_test(test_density_is_slope),
        cmocka_unit_test(test_degenerate),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
