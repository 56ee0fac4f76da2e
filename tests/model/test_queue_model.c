/* Events simulated from known laws must come back from the analyses: estimates inside
 * their intervals, mean waits as theory has them, tests that reject what is false and
 * seldom what is true. QUEUE_SEEDS in the environment says how many seeds (8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "analyze/arrival_tests.h"
#include "analyze/lindley.h"
#include "analyze/queue_estimates.h"
#include "analyze/queue_sort.h"
#include "analyze/queue_waits.h"
#include "analyze/service_fit.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/queue_simulator.h"

enum { EVENTS = 40000, WARM_UP = 10000, RHOS = 4, SEEDS_DEFAULT = 8 };

static const double rhos[RHOS] = { 0.2, 0.5, 0.8, 0.95 };

static const struct simulation cases[] = {
    { .law = SERVICE_EXP, .service_s = 60e-6 },
    { .law = SERVICE_CONSTANT, .service_s = 60e-6 },
    { .law = SERVICE_LOGNORMAL, .service_s = 60e-6, .squared_cv = 0.5 },
    { .law = SERVICE_HYPER, .service_s = 60e-6, .squared_cv = 2 },
    { .law = SERVICE_EXP, .service_s = 60e-6, .setup_s = 56e-6 },
    { .law = SERVICE_EXP, .service_s = 60e-6, .arrivals = ARRIVALS_BATCHES, .batch = 3 },
    { .law = SERVICE_EXP, .service_s = 60e-6, .arrivals = ARRIVALS_BATCHES, .batch = 3,
      .setup_s = 56e-6 },
};
enum { CASES = sizeof cases / sizeof *cases, CASES_POISSON = 5 };

static unsigned seeds;

/* How often an interval held the truth. */
struct coverage {
    const char *what;
    unsigned inside;
    unsigned of;
};

static void cover(struct coverage *coverage, const struct estimate *estimate,
                  double truth)
{
    assert_true(estimate->interval.known);
    coverage->of++;
    coverage->inside += estimate->interval.low <= truth &&
                        truth <= estimate->interval.high;
}

/* Not below `nominal` by more than four standard deviations of so many trials. */
static void assert_covers(const struct coverage *coverage, double nominal)
{
    double expected = nominal * coverage->of;
    double sd = sqrt(coverage->of * nominal * (1 - nominal));
    print_message("  %-16s inside %u of %u intervals (%.1f %%)\n", coverage->what,
                  coverage->inside, coverage->of,
                  100.0 * coverage->inside / coverage->of);
    assert_true(coverage->inside >= expected - 4 * sd);
}

/* One simulated worker after its warm-up, analysed. */
struct analysed {
    struct queue_event *events; /* owned */
    size_t count;
    struct queue_estimates estimates;
    struct arrival_tests arrivals;
};

static struct analysed analyse(const struct simulation *given, size_t events)
{
    struct analysed analysed = {
        .events = memory_new(events, sizeof *analysed.events),
        .count = events - WARM_UP,
        .estimates = queue_estimates_unknown,
    };
    simulate_queue(given, analysed.events, events);
    struct queue_service met = queue_serve(analysed.events, events);
    assert_int_equal(met.negative, 0);
    for (size_t i = 0; i < analysed.count; i++)
        analysed.events[i] = analysed.events[i + WARM_UP];
    queue_estimate_services(&analysed.estimates, analysed.events, analysed.count,
                            met.wakes > 0);
    queue_estimate_arrivals(&analysed.estimates, analysed.events, analysed.count,
                            BATCH_GAP_AUTO);
    queue_batches_serve(&analysed.estimates.batches, analysed.events, analysed.count);
    arrival_tests_run(&analysed.arrivals, analysed.events, analysed.count);
    return analysed;
}

static struct simulation variant(const struct simulation *base, double rho, unsigned seed)
{
    struct simulation given = *base;
    given.rho = rho;
    given.seed = seed * 1009 + (unsigned)(rho * 100) + 7 * (unsigned)given.law + 1;
    return given;
}

static void test_estimates_cover_truth(void **state)
{
    (void)state;
    struct coverage rate = { .what = "lambda" };
    struct coverage service = { .what = "E[S]" };
    struct coverage square = { .what = "E[S^2]" };
    struct coverage cube = { .what = "E[S^3]" };
    struct coverage cv2 = { .what = "squared CV" };
    struct coverage setup = { .what = "set-up" };
    struct coverage batch = { .what = "E[X]" };
    struct coverage rho = { .what = "rho" };
    for (unsigned i = 0; i < CASES * seeds; i++) {
        struct simulation given = variant(&cases[i % CASES], rhos[i / CASES % RHOS], i);
        struct analysed got = analyse(&given, EVENTS);
        const struct queue_estimates *estimates = &got.estimates;
        if (given.arrivals == ARRIVALS_POISSON) {
            cover(&rate, &estimates->rate_per_s, given.rho / given.service_s);
            cover(&rho, &estimates->rho, given.rho);
        } else {
            cover(&batch, &estimates->batches.size, given.batch);
        }
        if (given.law != SERVICE_CONSTANT) {
            double mean = given.service_s;
            cover(&service, &estimates->service[0], mean);
            cover(&square, &estimates->service[1], simulated_moment(&given, 2));
            cover(&cube, &estimates->service[2], simulated_moment(&given, 3));
            cover(&cv2, &estimates->service_squared_cv,
                  simulated_moment(&given, 2) / (mean * mean) - 1);
        }
        if (given.setup_s > 0)
            cover(&setup, &estimates->setup, given.setup_s);
        free(got.events);
    }
    assert_covers(&rate, 0.95);
    assert_covers(&rho, 0.95);
    assert_covers(&service, 0.95);
    assert_covers(&square, 0.95);
    assert_covers(&setup, 0.95);
    assert_covers(&batch, 0.95);
    /* Third moments of skewed laws: sums of 30,000 are not quite normal yet. */
    assert_covers(&cv2, 0.94);
    assert_covers(&cube, 0.93);
}

/* A constant service is told exactly. */
static void test_constant_service(void **state)
{
    (void)state;
    struct simulation given = variant(&cases[1], 0.5, 1);
    struct analysed got = analyse(&given, EVENTS);
    assert_close_relative(got.estimates.service[0].value, 60e-6, 1e-12);
    assert_close(got.estimates.service_squared_cv.value, 0, 1e-9);
    free(got.events);
}

/* What the model of this case says of its true parameters. */
static double theory_s(const struct simulation *given)
{
    double rate = given->rho / given->service_s;
    double free_share = 1 - given->rho;
    double square = simulated_moment(given, 2);
    double starts = rate;
    double wait = rate * square / (2 * free_share);
    if (given->arrivals == ARRIVALS_BATCHES) {
        double x = given->batch;
        double x2 = 2 * x * x - x; /* geometric from 1 */
        double s = given->service_s;
        starts = rate / x;
        wait = starts * (x * (square - s * s) + x2 * s * s) / (2 * free_share) +
               (x2 - x) / (2 * x) * s;
    }
    double v = given->setup_s; /* exponential: E[V^2] = 2 v^2 */
    return wait + (2 * v + starts * 2 * v * v) / (2 * (1 + starts * v));
}

/* Observed, Lindley and the model on estimates; means over seeds against theory. */
struct means {
    double sum, squares, lindley, model;
    unsigned of;
};

static enum queue_model model_of(const struct simulation *given)
{
    if (given->arrivals == ARRIVALS_BATCHES)
        return given->setup_s > 0 ? MODEL_BATCH_SETUP : MODEL_BATCH;
    return given->setup_s > 0 ? MODEL_MG1_SETUP : MODEL_MG1;
}

static void add_run(struct means *means, const struct simulation *given, size_t events)
{
    struct analysed got = analyse(given, events);
    struct histogram waits = { 0 };
    struct wait_figures observed = wait_figures_observed(got.events, got.count, &waits);
    struct queue_model_set set = { 0 };
    struct setup_law setups = { 0 };
    if (given->setup_s > 0)
        setup_law_learn(&setups, got.events, got.count);
    queue_model_set_replay(&set, LINDLEY_RECORDED, &setups, got.events, got.count);
    setup_law_release(&setups);
    set.inputs = queue_inputs_from(&got.estimates, got.arrivals.squared_cv,
                                   LINDLEY_RECORDED);
    set.predictions = queue_predict(&set.inputs);
    means->of++;
    means->sum += observed.mean.value;
    means->squares += observed.mean.value * observed.mean.value;
    means->lindley += given->setup_s > 0 ? set.lindley_setup.mean.value
                                         : set.lindley.mean.value;
    means->model += set.predictions.mean_s[model_of(given)];
    histogram_release(&waits);
    free(got.events);
}

static void test_mean_waits(void **state)
{
    (void)state;
    unsigned beyond_3 = 0;
    for (unsigned i = 0; i < CASES * RHOS; i++) {
        struct means means = { 0 };
        double rho = rhos[i / CASES];
        double theory = 0;
        size_t events = rho > 0.9 ? 10 * EVENTS : EVENTS;
        for (unsigned seed = 0; seed < seeds; seed++) {
            struct simulation given = variant(&cases[i % CASES], rho, seed + 1000);
            theory = theory_s(&given);
            add_run(&means, &given, events);
        }
        double n = means.of;
        double mean = means.sum / n;
        double error = sqrt((means.squares / n - mean * mean) / (n - 1));
        print_message("  case %u rho %.2f: observed %.4g us, theory %.4g (%+.1f se), "
                      "model on estimates %.4g, Lindley %.4g\n", i % CASES, rho,
                      mean * 1e6, theory * 1e6, (mean - theory) / error,
                      means.model / n * 1e6, means.lindley / n * 1e6);
        assert_true(fabs(mean - theory) <= 4 * error);
        beyond_3 += fabs(mean - theory) > 3 * error;
        assert_close_relative(means.model / n, theory, rho > 0.9 ? 0.15 : 0.05);
        /* Its queue is empty at the start of the window. */
        assert_close_relative(means.lindley / n, mean, 0.01);
    }
    /* One in 370 by chance, somewhat more with few seeds. */
    assert_true(beyond_3 <= 1);
}

/* Quantiles of what was simulated lie within the lattice's bracket, widened by their own
 * interval. */
static void test_quantiles(void **state)
{
    (void)state;
    unsigned inside = 0;
    unsigned of = 0;
    for (unsigned i = 0; i < 4 * seeds; i++) {
        struct simulation given = variant(&cases[i % 4], 0.5, i + 5000);
        struct analysed got = analyse(&given, EVENTS);
        struct histogram waits = { 0 };
        struct wait_figures observed =
            wait_figures_observed(got.events, got.count, &waits);
        struct queue_model_set set = { .service_ns = LINDLEY_RECORDED };
        queue_model_set_predict(&set, &got.estimates, 1, got.events, got.count);
        for (size_t p = 0; p < WAIT_PERCENTILES; p++) {
            const struct interval *interval = &observed.percentiles[p].interval;
            of++;
            inside += set.mg1[p].low <= interval->high &&
                      interval->low <= set.mg1[p].high;
        }
        histogram_release(&waits);
        free(got.events);
    }
    print_message("  quantiles agree in %u of %u\n", inside, of);
    assert_true(inside >= 0.9 * of);
}

/* Arrivals in bursts: no Poisson process. M/G/1 predicts far too little, and the tests
 * say which assumption failed. */
static void test_correlated_arrivals(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < seeds; seed++) {
        struct simulation given = {
            .law = SERVICE_EXP, .service_s = 60e-6, .rho = 0.5,
            .arrivals = ARRIVALS_BURSTS, .seed = seed + 1,
        };
        struct analysed got = analyse(&given, EVENTS);
        struct histogram waits = { 0 };
        struct wait_figures observed =
            wait_figures_observed(got.events, got.count, &waits);
        struct queue_inputs inputs = queue_inputs_from(
            &got.estimates, got.arrivals.squared_cv, LINDLEY_RECORDED);
        struct queue_predictions predicted = queue_predict(&inputs);
        assert_true(predicted.mean_s[MODEL_MG1] < 0.7 * observed.mean.value);
        assert_true(got.arrivals.anderson_p_value <= 0.01);
        assert_true(got.arrivals.lag1 > 0.02 && got.arrivals.lag1_p_value < 0.01);
        assert_true(got.arrivals.dispersion[2].index > 3);
        histogram_release(&waits);
        free(got.events);
    }
}

/* Rejections at 5 % of what is true: within four standard deviations of 5 %. */
static void assert_false_alarms(const char *what, unsigned rejected, unsigned of)
{
    double sd = sqrt(of * 0.05 * 0.95);
    print_message("  %-16s false alarms: %u of %u (%.1f %%)\n", what, rejected, of,
                  100.0 * rejected / of);
    assert_true(rejected <= 0.05 * of + 4 * sd);
}

static void test_false_alarms(void **state)
{
    (void)state;
    unsigned law = 0;
    unsigned lag = 0;
    unsigned dispersion = 0;
    unsigned fit = 0;
    unsigned fits = 0;
    unsigned best = 0;
    for (unsigned i = 0; i < 4 * seeds; i++) {
        struct simulation given = variant(&cases[0], rhos[i % RHOS], i + 9000);
        /* So long that rounding to 100 ns, which drops the shortest, does not matter. */
        given.service_s = 2e-3;
        struct analysed got = analyse(&given, EVENTS);
        law += got.arrivals.anderson_p_value <= 0.05;
        lag += got.arrivals.lag1_p_value <= 0.05;
        dispersion += got.arrivals.dispersion[2].p_value <= 0.05;
        assert_close(got.estimates.batches.size.value, 1, 0.01);
        if (i % 2 == 0) {
            struct service_fit services;
            service_fit_run(&services, got.events, got.count);
            fits++;
            fit += services.gof_p_value <= 0.05;
            best += services.best == LAW_EXPONENTIAL;
            assert_close(services.tail_index, log(100), 4 * services.tail_index_error);
        }
        free(got.events);
    }
    assert_false_alarms("Anderson-Darling", law, 4 * seeds);
    assert_false_alarms("lag 1", lag, 4 * seeds);
    assert_false_alarms("dispersion", dispersion, 4 * seeds);
    assert_false_alarms("goodness of fit", fit, fits);
    /* AIC prefers a law with one parameter more, by chance, in P(chi2_1 > 2) = 16 %. */
    print_message("  exponential chosen in %u of %u\n", best, fits);
    assert_true(best >= 0.55 * fits);
}

/* Each law is recognised. */
static void test_laws_recognised(void **state)
{
    (void)state;
    static const enum service_law_kind expected[] = {
        LAW_EXPONENTIAL, LAW_DETERMINISTIC, LAW_LOGNORMAL, LAW_HYPEREXPONENTIAL,
    };
    for (unsigned i = 1; i < 4; i++) {
        struct simulation given = variant(&cases[i], 0.5, 77);
        struct analysed got = analyse(&given, EVENTS);
        struct service_fit fit;
        service_fit_run(&fit, got.events, got.count);
        assert_int_equal(fit.best, expected[i]);
        if (i > 1) {
            assert_true(fit.distance < 0.02 && fit.gof_p_value > 0.01);
            assert_true(fabs(fit.lag1) < 0.03 && fabs(fit.backlog_correlation) < 0.03);
        }
        free(got.events);
    }
}

int main(void)
{
    const char *wanted = getenv("QUEUE_SEEDS");
    seeds = wanted ? (unsigned)strtoul(wanted, NULL, 10) : SEEDS_DEFAULT;
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates_cover_truth),
        cmocka_unit_test(test_constant_service),
        cmocka_unit_test(test_mean_waits),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_correlated_arrivals),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_laws_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
