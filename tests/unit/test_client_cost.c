#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <time.h>

#include "formats/base/clock.h"
#include "replay/client_cost.h"

static struct client_cost parsed(const char *text)
{
    struct client_cost cost = { .seed = 1 };
    struct fault fault = { "" };
    assert_int_equal(client_cost_parse(&cost, text, &fault), STATUS_OK);
    return cost;
}

static void test_laws(void **state)
{
    (void)state;
    struct client_cost cost = parsed("60us");
    assert_int_equal(cost.mean_ns, 60000);
    assert_int_equal(cost.law, COST_CONSTANT);
    assert_int_equal(parsed("1ms:exp").law, COST_EXPONENTIAL);
    cost = parsed("1ms:lognormal:1.5");
    assert_int_equal(cost.law, COST_LOGNORMAL);
    assert_true(cost.cv == 1.5);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[] = { "",
                                       "60",
                                       "60us:",
                                       "60us:gauss",
                                       "-60us",
                                       "2s",
                                       "60us:lognormal:",
                                       "60us:lognormal:-1",
                                       "60us:x",
                                       "60us:exp:0.5",
                                       "60us:lognormal:11" };
    for (size_t at = 0; at < sizeof bad / sizeof bad[0]; at++) {
        struct client_cost cost = { 0 };
        struct fault fault = { "" };
        assert_int_equal(client_cost_parse(&cost, bad[at], &fault), STATUS_USAGE);
        assert_string_not_equal(fault.text, "");
    }
}

/* Mean and coefficient of variation of 100,000 draws: within 5 standard errors of the
 * law's, so a false alarm has a probability below 1e-6; the seed is fixed. */
static void assert_moments(const char *text, double mean_ns, double cv)
{
    enum { DRAWS = 100000 };
    struct client_cost cost = parsed(text);
    double sum = 0;
    double squares = 0;
    for (uint64_t at = 0; at < DRAWS; at++) {
        double value = (double)client_cost_at(&cost, at);
        sum += value;
        squares += value * value;
    }
    double mean = sum / DRAWS;
    double variance = squares / DRAWS - mean * mean;
    assert_true(fabs(mean - mean_ns) < 5 * cv * mean_ns / sqrt(DRAWS) + 1);
    assert_true(fabs(sqrt(variance) / mean - cv) < 0.05);
}

static void test_moments(void **state)
{
    (void)state;
    assert_moments("60us", 60000, 0);
    assert_moments("60us:exp", 60000, 1);
    assert_moments("60us:lognormal:0.5", 60000, 0.5);
}

static void test_streams_differ(void **state)
{
    (void)state;
    struct client_cost one = parsed("1ms:exp");
    struct client_cost other = one;
    other.stream = 1;
    assert_int_not_equal(client_cost_at(&one, 0), client_cost_at(&other, 0));
    assert_int_equal(client_cost_at(&one, 7), client_cost_at(&one, 7));
}

/* The CPU clock of this thread must have moved by what was asked for. */
static void test_cpu_is_spent(void **state)
{
    (void)state;
    struct client_cost cost = parsed("2ms");
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    client_cost_spend(&cost);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    int64_t spent_ns = (int64_t)(after.tv_sec - before.tv_sec) * NS_PER_S +
                       after.tv_nsec - before.tv_nsec;
    assert_true(spent_ns >= 2 * NS_PER_MS);
    assert_int_equal(cost.spent, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_moments),      cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_cpu_is_spent),
    };
    return cmocka_run_group_tests_name("client_cost", tests, NULL, NULL);
}
