/* Arrival laws: what their names say. Seeds are fixed. */
#include <gsl/gsl_cdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "assert_close.h"
#include "replay/arrivals_process.h"

static const int64_t S = 1000000000;

struct times {
    int64_t *ns;
    size_t count;
};

static struct times draw(const char *law, double rate_per_s, int64_t duration_ns,
                         size_t requests, uint64_t seed)
{
    struct arrivals_process process;
    struct fault fault = { 0 };
    struct times times;
    assert_int_equal(arrivals_process_parse(&process, law, &fault), STATUS_OK);
    assert_int_equal(arrivals_process_draw(&process, rate_per_s, duration_ns, requests,
                                           seed, &times.ns, &times.count, &fault),
                     STATUS_OK);
    return times;
}

static void constant_is_exact(void **state)
{
    (void)state;
    struct times times = draw("constant", 3, 0, 300001, 1);
    assert_int_equal(times.count, 300001);
    assert_int_equal(times.ns[0], 0);
    assert_int_equal(times.ns[1], 333333333);
    assert_int_equal(times.ns[2], 666666667);
    assert_int_equal(times.ns[300000], 100000 * S);
    free(times.ns);
}

static void bounds_end_the_draw(void **state)
{
    (void)state;
    struct times times = draw("constant", 10, 2 * S, 0, 1);
    assert_int_equal(times.count, 20);
    free(times.ns);
    times = draw("constant", 10, 2 * S, 5, 1);
    assert_int_equal(times.count, 5);
    free(times.ns);
    times = draw("poisson", 1000, S, 0, 1);
    assert_true(times.ns[times.count - 1] < S);
    free(times.ns);
}

/* Draw i does not depend on where the draw ends, and another seed gives other draws. */
static void draws_depend_on_seed_and_number(void **state)
{
    (void)state;
    struct times few = draw("gamma:2", 5, 0, 10, 7);
    struct times many = draw("gamma:2", 5, 0, 100, 7);
    struct times other = draw("gamma:2", 5, 0, 10, 8);
    assert_memory_equal(few.ns, many.ns, 10 * sizeof *few.ns);
    assert_memory_not_equal(few.ns, other.ns, 10 * sizeof *few.ns);
    free(few.ns);
    free(many.ns);
    free(other.ns);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Kolmogorov-Smirnov distance of the gaps from a gamma law of mean 1/rate; chance passes
 * 1.95/sqrt(n) once in 1,000. */
static void check_gaps(const char *law, double rate_per_s, double shape)
{
    enum { GAPS = 20000 };
    struct times times = draw(law, rate_per_s, 0, GAPS, 3);
    double *gaps = malloc(GAPS * sizeof *gaps);
    assert_non_null(gaps);
    for (size_t i = 0; i < GAPS; i++)
        gaps[i] = (double)(times.ns[i] - (i > 0 ? times.ns[i - 1] : 0)) / 1e9;
    qsort(gaps, GAPS, sizeof *gaps, compare);
    double distance = 0;
    for (size_t i = 0; i < GAPS; i++) {
        double place = gsl_cdf_gamma_P(gaps[i], shape, 1 / shape / rate_per_s);
        distance = fmax(distance, fmax(place - (double)i / GAPS,
                                       (double)(i + 1) / GAPS - place));
    }
    free(gaps);
    free(times.ns);
    assert_true(distance < 1.95 / sqrt(GAPS));
}

static void gaps_have_their_law(void **state)
{
    (void)state;
    check_gaps("poisson", 2, 1);
    check_gaps("poisson", 1000, 1);
    check_gaps("gamma:0.5", 10, 4);
    check_gaps("gamma:1", 10, 1);
    check_gaps("gamma:2", 10, 0.25);
}

/* 10 s on, 30 s off at a tenth of the rate, mean 20/s: on rate 20·40/(10 + 3). */
static void bursts_come_when_they_should(void **state)
{
    (void)state;
    enum { CYCLES = 100 };
    struct times times = draw("onoff:10s,30s,0.1", 20, CYCLES * 40 * S, 0, 5);
    double on = 0;
    for (size_t i = 0; i < times.count; i++)
        on += times.ns[i] % (40 * S) < 10 * S;
    double expected_on = 20.0 * 40 / 13 * 10 * CYCLES;
    double expected = 20.0 * 40 * CYCLES;
    /* Poisson counts: 4 sd, once in 16,000. */
    assert_close(on, expected_on, 4 * sqrt(expected_on));
    assert_close((double)times.count, expected, 4 * sqrt(expected));
    free(times.ns);
    times = draw("onoff:1s,1s", 20, 100 * S, 0, 5);
    for (size_t i = 0; i < times.count; i++)
        assert_true(times.ns[i] % (2 * S) <= S);
    free(times.ns);
}

static void laws_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "poison", "poisson:2", "gamma", "gamma:", "gamma:0", "gamma:-1", "gamma:x",
        "gamma:101", "onoff:1s", "onoff:1s,", "onoff:1,2", "onoff:0,1s",
        "onoff:1s,1s,2", "onoff:1s,1s,", "constant:", "servegen",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arrivals_process process;
        struct fault fault = { 0 };
        if (arrivals_process_parse(&process, bad[i], &fault) != STATUS_USAGE)
            fail_msg("%s", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_exact),
        cmocka_unit_test(bounds_end_the_draw),
        cmocka_unit_test(draws_depend_on_seed_and_number),
        cmocka_unit_test(gaps_have_their_law),
        cmocka_unit_test(bursts_come_when_they_should),
        cmocka_unit_test(laws_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
