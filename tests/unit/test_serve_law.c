/* The simulated server's law of service: arithmetic of the first token, moments of the
 * gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>

#include <cmocka.h>

#include "replay/serve_law.h"
#include "tests/unit/assert_close.h"

static const int64_t ITL_NS = 2000000;

static struct serve_law law_of(const char *jitter)
{
    struct serve_law law = {
        .ttft_ns = 20000000, .prefill_ns = 50000, .itl_ns = ITL_NS, .seed = 7
    };
    struct fault fault = { { 0 } };
    assert_int_equal(serve_law_parse_jitter(&law, jitter, &fault), STATUS_OK);
    return law;
}

static void first_token(void **state)
{
    (void)state;
    struct serve_law law = law_of("none");
    assert_int_equal(serve_law_first(&law, 1000, 0), 20001000);
    assert_int_equal(serve_law_first(&law, 1000, 100), 25001000);
}

static void times_too_far_ahead_never_come(void **state)
{
    (void)state;
    struct serve_law law = law_of("none");
    law.prefill_ns = INT64_MAX / 2;
    int64_t first_ns = serve_law_first(&law, 1000, UINT32_MAX);
    assert_true(first_ns > INT64_MAX / 5);
    assert_true(first_ns < INT64_MAX / 2);
}

static void without_jitter_gaps_are_exact(void **state)
{
    (void)state;
    struct serve_law law = law_of("none");
    for (uint32_t token = 1; token < 100; token++)
        assert_int_equal(serve_law_gap(&law, token * 3, 0, token), ITL_NS);
}

static void draws_depend_on_place_only(void **state)
{
    (void)state;
    struct serve_law law = law_of("exp");
    int64_t gap_ns = serve_law_gap(&law, 5, 1, 9);
    serve_law_gap(&law, 6, 1, 9);
    assert_int_equal(serve_law_gap(&law, 5, 1, 9), gap_ns);
    assert_int_not_equal(serve_law_gap(&law, 5, 0, 9), gap_ns);
    assert_int_not_equal(serve_law_gap(&law, 5, 1, 10), gap_ns);
    assert_int_not_equal(serve_law_gap(&law, 4, 1, 9), gap_ns);
    law.seed++;
    assert_int_not_equal(serve_law_gap(&law, 5, 1, 9), gap_ns);
}

/* Mean and standard deviation of gaps over their mean itl, 200,000 draws. */
static void expect_moments(const char *jitter, double mean, double sd)
{
    enum { REQUESTS = 2000, TOKENS = 101 };
    struct serve_law law = law_of(jitter);
    double sum = 0, squares = 0, count = 0;
    for (uint64_t request = 0; request < REQUESTS; request++) {
        for (uint32_t token = 1; token < TOKENS; token++) {
            double gap = (double)serve_law_gap(&law, request, 0, token) / (double)ITL_NS;
            assert_true(gap >= 0);
            sum += gap;
            squares += gap * gap;
            count++;
        }
    }
    assert_close(sum / count, mean, 0.02);
    assert_close(sqrt(squares / count - sum / count * sum / count), sd, 0.02);
}

static void moments_of_the_laws(void **state)
{
    (void)state;
    expect_moments("exp", 1, 1);
    expect_moments("normal:0.2", 1, 0.2);
    expect_moments("lognormal:0.5", 1, 0.5);
    expect_moments("lognormal:0", 1, 0);
    /* the cut normal, X = max(0, 1 + Z): mean Phi(1) + phi(1); E[X^2] = 2 Phi(1) + phi(1)
     */
    const double phi = 0.24197072451914337, cumulative = 0.84134474606854293;
    double mean = cumulative + phi;
    expect_moments("normal:1", mean, sqrt(2 * cumulative + phi - mean * mean));
}

static void jitter_that_makes_no_sense(void **state)
{
    (void)state;
    static const char *const texts[] = { "",           "gauss",        "exp:1",
                                         "normal",     "normal:",      "normal:-1",
                                         "normal:abc", "lognormal:11", "none:0",
                                         "nonee",      "exponential",  "normal:nan" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct serve_law law = { 0 };
        struct fault fault = { { 0 } };
        assert_int_equal(serve_law_parse_jitter(&law, texts[i], &fault), STATUS_USAGE);
        assert_true(fault.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_token),
        cmocka_unit_test(times_too_far_ahead_never_come),
        cmocka_unit_test(without_jitter_gaps_are_exact),
        cmocka_unit_test(draws_depend_on_place_only),
        cmocka_unit_test(moments_of_the_laws),
        cmocka_unit_test(jitter_that_makes_no_sense),
    };
    return cmocka_run_group_tests_name("serve_law", tests, NULL, NULL);
}
