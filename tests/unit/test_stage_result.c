/* The first judgement of a stage, by counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "formats/arrivals.h"
#include "replay/stage_result.h"
#include "tests/unit/assert_close.h"

enum { REQUESTS = 1000 };
static const int64_t stage_ns = 100 * (int64_t)NS_PER_S;

/* Ten requests per second for 100 s, each taking first_s, plus slower_s for every second
 * that has passed. */
static struct stage_log log_of(struct stage_request requests[REQUESTS], double first_s,
                               double slower_s)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        double sent_s = (double)i / 10;
        double took_s = first_s + slower_s * sent_s;
        requests[i] = (struct stage_request){ (int64_t)(sent_s * NS_PER_S),
                                              (int64_t)((sent_s + took_s) * NS_PER_S),
                                              true };
    }
    return (struct stage_log){ .requests = requests, .count = REQUESTS };
}

static void held(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 1, 0);
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_HELD);
    assert_close(stage_mean_latency_s(&log, stage_ns), 1.0, 1e-6);
    /* 991 end by 100 s, the last of them then */
    assert_close(stage_throughput_per_s(&log, stage_ns), 9.91, 1e-6);
}

/* At 0.25 s per second a fifth of what comes stays: 100 requests more by the end. */
static void saturated(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 1, 0.25);
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_SATURATED);
}

static void failed(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 1, 0);
    for (size_t i = 0; i < REQUESTS / 2; i++)
        requests[i].ok = false;
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_FAILED);
    requests[0].ok = true;
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_HELD);
    log.count = 0;
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_FAILED);
}

/* A server that died answers nothing; it did not merely hold on to the requests. */
static void nothing_succeeded(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 1, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        requests[i] = (struct stage_request){ TIME_NONE, requests[i].end_ns, false };
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_FAILED);
    assert_close(stage_throughput_per_s(&log, stage_ns), 0, 0);
    assert_close(stage_mean_latency_s(&log, stage_ns), 0, 0);
}

static void the_client_comes_before_the_server(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 1, 0.25);
    log.busiest = 0.95;
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_CLIENT_LIMITED);
}

static void too_short(void **state)
{
    (void)state;
    struct stage_request requests[REQUESTS];
    struct stage_log log = log_of(requests, 26, 0);
    assert_int_equal(stage_judge(&log, stage_ns), STAGE_TOO_SHORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held),
        cmocka_unit_test(saturated),
        cmocka_unit_test(failed),
        cmocka_unit_test(nothing_succeeded),
        cmocka_unit_test(the_client_comes_before_the_server),
        cmocka_unit_test(too_short),
    };
    return cmocka_run_group_tests_name("stage_result", tests, NULL, NULL);
}
