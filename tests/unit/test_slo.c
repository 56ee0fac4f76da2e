#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "analyze/slo.h"
#include "tests/unit/assert_close.h"

static struct slo parse(const char *text)
{
    struct slo slo = { 0 };
    struct fault fault = { 0 };
    assert_int_equal(slo_parse(&slo, text, &fault), STATUS_OK);
    return slo;
}

static void test_terms(void **state)
{
    (void)state;
    struct slo slo =
        parse("ttft<500ms,ttft_content<=1s,due:e2e_p99_9<2s,app:itl_max<50us,"
              "tpot_mean<1ms,ntpot_p50<1ms");
    assert_int_equal(slo.count, 6);
    assert_int_equal(slo.terms[0].metric, METRIC_TTFT);
    assert_int_equal(slo.terms[0].statistic, SLO_EACH);
    assert_int_equal(slo.terms[0].flavour, BY_ARRIVAL);
    assert_false(slo.terms[0].inclusive);
    assert_close(slo.terms[0].limit_s, 0.5, 0);
    assert_int_equal(slo.terms[1].metric, METRIC_TTFT_CONTENT);
    assert_true(slo.terms[1].inclusive);
    assert_int_equal(slo.terms[2].metric, METRIC_E2E);
    assert_int_equal(slo.terms[2].flavour, FROM_DUE);
    assert_int_equal(slo.terms[2].statistic, SLO_QUANTILE);
    assert_close(slo.terms[2].p, 0.999, 1e-15);
    assert_string_equal(slo.terms[2].text, "due:e2e_p99_9<2s");
    assert_int_equal(slo.terms[3].metric, SLO_ITL);
    assert_int_equal(slo.terms[3].flavour, BY_APP);
    assert_int_equal(slo.terms[3].statistic, SLO_MAX);
    assert_int_equal(slo.terms[4].statistic, SLO_MEAN);
    assert_close(slo.terms[5].p, 0.5, 0);
}

static void test_limits(void **state)
{
    (void)state;
    struct slo strict = parse("ttft<10ms");
    struct slo inclusive = parse("ttft<=10ms");
    assert_true(slo_term_holds(&strict.terms[0], 0.0099));
    assert_false(slo_term_holds(&strict.terms[0], 0.010));
    assert_true(slo_term_holds(&inclusive.terms[0], 0.010));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        { "", "expected METRIC<DURATION" },
        { "ttft", "expected METRIC<DURATION" },
        { "ttft>1s", "expected METRIC<DURATION" },
        { "ttftx<1s", "'x' is no statistic" },
        { "xttft<1s", "the metric is none of" },
        { "ttft_p<1s", "is no statistic" },
        { "ttft_p0<1s", "is no statistic" },
        { "ttft_p100<1s", "is no statistic" },
        { "ttft_p9-9<1s", "is no statistic" },
        { "ttft<1", "objective 'ttft<1'" },
        { "ttft<", "objective 'ttft<'" },
        { "ttft<1s,", "objective ''" },
        { "ttft<1000000000000000000000000000000000000ms", "is too long" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slo slo = { 0 };
        struct fault fault = { 0 };
        assert_int_equal(slo_parse(&slo, cases[i].text, &fault), STATUS_USAGE);
        if (!strstr(fault.text, cases[i].expected))
            fail_msg("%s: %s", cases[i].text, fault.text);
    }
}

static void test_too_many(void **state)
{
    (void)state;
    struct slo slo = { 0 };
    struct fault fault = { 0 };
    for (int i = 0; i < SLO_TERMS_MAX; i++)
        assert_int_equal(slo_parse(&slo, "ttft<1s", &fault), STATUS_OK);
    assert_int_equal(slo_parse(&slo, "ttft<1s", &fault), STATUS_USAGE);
}

/* TTFT 20 ms, E2E 20 ms, one token: no TPOT, which any TPOT objective takes as met. */
static void test_requests(void **state)
{
    (void)state;
    struct request_sample sample = {
        .output_tokens = 1, .output_events = 1, .first_event_tokens = 1, .choices = 1,
        .arrival = { .first_ns = 20000000, .last_ns = 20000000 },
    };
    struct slo met = parse("ttft<21ms,tpot<1ms,e2e<21ms");
    struct slo missed = parse("ttft<21ms,e2e<20ms");
    assert_true(slo_met_by(&met, &sample));
    assert_false(slo_met_by(&missed, &sample));

    sample.output_tokens = 5; /* 5 tokens in one event: its pace is not known */
    assert_false(slo_met_by(&met, &sample));
    sample.first_event_tokens = 5; /* an answer that was no stream: nor when each was */
    assert_false(slo_met_by(&met, &sample));
    sample.streamed = true; /* none was waited for after the first event */
    assert_true(slo_met_by(&met, &sample));
    sample.output_tokens = sample.output_events = 0;
    sample.arrival.first_ns = sample.arrival.last_ns = TIME_NONE;
    assert_false(slo_met_by(&met, &sample));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
