/* Summaries of made-up runs, every figure by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "analyze/summary.h"
#include "analyze/summary_output.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/log_maker.h"
#include "tests/unit/scratch.h"

static const struct verdict_limits limits = {
    .min_sent_share = 0.999,
    .max_failed_share = 0.1,
    .max_send_lag_share = 0.1,
    .max_receive_lag_share = 0.5,
    .max_utilisation = 0.7,
    .max_shared_read_share = 0.5,
    .max_stall_ns = 200000000,
    .max_log_wait_ns = 50000000,
    .max_clock_step_ns = 1000000,
    .lag_epsilon_ns = 5000,
};

struct fixture {
    struct load load;
    struct collection collection;
    struct summary summary;
    struct summary_request request;
};

static void summarise(struct fixture *f, char **paths, int count)
{
    struct fault fault = { 0 };
    struct progress progress;
    progress_init(&progress, false, false);
    f->request.limits = limits;
    f->request.whole = true;
    f->collection.window = WINDOW_ALL;
    f->collection.lag_epsilon_ns = limits.lag_epsilon_ns;
    assert_int_equal(load_open(&f->load, paths, count, &fault), STATUS_OK);
    assert_int_equal(collection_read(&f->collection, &f->load, &progress, &fault),
                     STATUS_OK);
    summary_compute(&f->summary, &f->request, &f->load, &f->collection);
}

static void release(struct fixture *f)
{
    summary_release(&f->summary);
    collection_release(&f->collection);
    load_release(&f->load);
}

static const struct verdict_check *check_named(const struct summary *summary,
                                               const char *name)
{
    for (size_t i = 0; i < summary->verdict.count; i++)
        if (strcmp(summary->verdict.checks[i].name, name) == 0)
            return &summary->verdict.checks[i];
    fail_msg("no check %s", name);
    return NULL;
}

/* Four requests 100 ms apart, sent 1 ms late, over two workers. TTFT 20, 30, 40, 50 ms;
 * three tokens each, 10 ms apart; the client sees them 2 ms later. */
static void make_ordinary(void)
{
    struct log_maker logs[2];
    log_maker_open(&logs[0], "a.toklog", 0, 2, "r");
    log_maker_open(&logs[1], "b.toklog", 1, 2, "r");
    for (uint32_t i = 0; i < 4; i++) {
        double due_ms = 100.0 * i;
        struct made_request made = {
            .row = i, .due_ms = due_ms, .sent_ms = due_ms + 1, .gap_ms = 10, .lag_ms = 2,
            .first_ms = due_ms + 21 + 10.0 * i, .tokens = 3, .input_tokens = 100,
        };
        log_maker_add(&logs[i % 2], &made);
    }
    log_maker_close(&logs[0]);
    log_maker_close(&logs[1]);
}

static void assert_ordinary_counts(const struct fixture *f)
{
    const struct request_counts *requests = &f->summary.requests;
    assert_int_equal(requests->planned, 4);
    assert_int_equal(requests->sent, 4);
    assert_int_equal(requests->succeeded, 4);
    assert_int_equal(requests->failed + requests->cancelled + requests->not_sent, 0);
    assert_int_equal(requests->unrecorded, 0);

    const struct timeline *timeline = &f->summary.timeline;
    assert_close(timeline->planned_per_s, 10, 1e-12); /* 3 / 0.3 s */
    assert_close(timeline->sent_per_s, 10, 1e-12);
    /* ends at 43 and 373 ms */
    assert_close(timeline->completed_per_s, 3 / 0.330, 1e-12);
    /* tokens from 21 to 371 ms: 12, less the first */
    assert_close(timeline->output_per_s, 11 / 0.350, 1e-12);
    assert_close(timeline->duration_s, 0.373, 1e-12);
    assert_int_equal(timeline->inflight.max, 1);
    /* 42 + 52 + 62 + 72 ms of 1 to 373 ms */
    assert_close(timeline->inflight.mean, 228.0 / 372, 1e-12);

    assert_int_equal(f->summary.tokens.input, 400);
    assert_int_equal(f->summary.tokens.output, 12);
    assert_int_equal(f->summary.tokens.counted_by, COUNTED_USAGE);
    assert_int_equal(f->summary.tokens.mismatches, 0);
}

static void assert_ordinary_latencies(const struct fixture *f)
{
    const struct latencies *arrival = &f->summary.latency[BY_ARRIVAL];
    const struct distribution *ttft = &arrival->metrics[METRIC_TTFT];
    assert_int_equal(ttft->count, 4);
    assert_close(ttft->mean, 0.035, 1e-15);
    assert_close(ttft->min, 0.020, 0);
    assert_close(ttft->max, 0.050, 0);
    assert_close(distribution_headline(ttft, HEADLINE_P50), 0.035, 1e-15);
    assert_close(distribution_headline(ttft, HEADLINE_P90), 0.047, 1e-15);
    assert_close(ttft->sd, sqrt(500.0 / 3) / 1e3, 1e-15);
    assert_false(ttft->headline[HEADLINE_P50].known);

    const struct latencies *app = &f->summary.latency[BY_APP];
    assert_close(app->metrics[METRIC_TTFT].mean, 0.037, 1e-15);
    assert_close(f->summary.latency[FROM_DUE].metrics[METRIC_TTFT].mean, 0.036, 1e-15);
    assert_close(arrival->ntpot_aggregate_s, 0.220 / 12, 1e-15);

    const struct distribution *itl = &arrival->itl;
    assert_int_equal(itl->count, 8);
    assert_int_equal(itl->excluded, 0);
    assert_close(itl->mean, 0.010, 1e-15);
}

static void assert_ordinary_client(const struct fixture *f)
{
    assert_close(f->summary.client.send_lag.mean, 0.001, 1e-15);
    assert_int_equal(f->summary.client.receive_lag.count, 12);
    assert_close(f->summary.client.receive_lag.max, 0.002, 1e-15);
    assert_int_equal(f->summary.client.identity_checked, 4);
    assert_int_equal(f->summary.client.identity_violations, 0);

    assert_int_equal(f->summary.goodput.met, 3);
    assert_close(f->summary.goodput.share, 0.75, 0);
    /* the good ones end at 43, 153 and 263 ms */
    assert_close(f->summary.goodput.per_s, 2 / 0.220, 1e-12);

    assert_true(f->summary.verdict.valid);
    assert_int_equal(f->summary.worker_count, 2);
    assert_int_equal(f->summary.workers[1].sent, 2);
    assert_close(f->summary.workers[1].ttft.mean, 0.040, 1e-15);
}

static void test_ordinary(void **state)
{
    (void)state;
    char *paths[] = { "a.toklog", "b.toklog" };
    struct fixture f = { 0 };
    struct fault fault = { 0 };
    make_ordinary();
    /* E2E is 40, 50, 60, 70 ms: three within 65; NTPOT 13.3, 16.7, 20, 23.3 */
    assert_int_equal(slo_parse(&f.request.slo, "e2e<65ms,ntpot<=20ms", &fault),
                     STATUS_OK);
    summarise(&f, paths, 2);

    assert_ordinary_counts(&f);
    assert_ordinary_latencies(&f);
    assert_ordinary_client(&f);
    release(&f);
    unlink("a.toklog");
    unlink("b.toklog");
}

/* One request of each outcome; 14 were planned, so 4 are in no log. */
static void test_outcomes(void **state)
{
    (void)state;
    struct log_maker log;
    char *paths[] = { "a.toklog" };
    struct fixture f = { 0 };
    log_maker_open(&log, "a.toklog", 0, 14, "r");
    for (uint32_t outcome = 0; outcome < OUTCOMES; outcome++) {
        struct made_request made = {
            .row = outcome, .outcome = (enum outcome)outcome, .due_ms = 10.0 * outcome,
            .sent_ms = outcome == OUTCOME_NOT_SENT ? -1 : 10.0 * outcome,
            .first_ms = 10.0 * outcome + 5, .gap_ms = 1,
            .tokens = outcome == OUTCOME_OK || outcome == OUTCOME_CANCELLED ? 4 : 0,
        };
        log_maker_add(&log, &made);
    }
    log.end.interrupted = true;
    log_maker_close(&log);
    summarise(&f, paths, 1);

    const struct request_counts *requests = &f.summary.requests;
    assert_int_equal(requests->planned, 14);
    assert_int_equal(requests->sent, 9);
    assert_int_equal(requests->succeeded, 1);
    assert_int_equal(requests->failed, 7);
    assert_int_equal(requests->cancelled, 1);
    assert_int_equal(requests->not_sent, 1);
    assert_int_equal(requests->unrecorded, 4);
    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
        assert_int_equal(requests->by_outcome[outcome], 1);
    /* no failure counts as a fast success, nor do the tokens of the cancelled one */
    assert_int_equal(f.summary.latency[BY_ARRIVAL].metrics[METRIC_E2E].count, 1);
    assert_int_equal(f.summary.latency[BY_ARRIVAL].itl.count, 3);
    assert_int_equal(f.summary.tokens.output, 8);
    assert_int_equal(f.summary.tokens.output_failed, 4);
    /* the cancelled one has no count by the server, and no part in any metric */
    assert_int_equal(f.summary.tokens.counted_by, COUNTED_USAGE);

    assert_false(f.summary.verdict.valid);
    assert_true(f.summary.interrupted);
    assert_false(check_named(&f.summary, "sent_share")->ok);
    assert_false(check_named(&f.summary, "failed_share")->ok);
    assert_false(check_named(&f.summary, "client_resource")->ok);
    assert_false(check_named(&f.summary, "interrupted")->ok);
    assert_false(check_named(&f.summary, "unrecorded")->ok);
    assert_true(check_named(&f.summary, "lost_frames")->ok);
    release(&f);
    unlink("a.toklog");
}

/* True when no number in the document is anything but finite (jansson refuses others),
 * and the keys that programs rely on are there. */
static void assert_document(const struct fixture *f)
{
    static const char *const keys[] = {
        "schema", "run", "requests", "rate_per_s", "tokens", "latency_s", "latency_app_s",
        "latency_from_due_s", "client_s", "ntpot_parts_s", "inflight", "verdict",
    };
    json_t *document = summary_json(&f->summary, &f->load, &f->request.slo);
    assert_non_null(document);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(document, keys[i]));
    json_t *itl = json_object_get(json_object_get(document, "latency_s"), "itl");
    static const char *const figures[] = {
        "count", "excluded", "mean", "sd", "min", "p1", "p5", "p10", "p25", "p50", "p75",
        "p90",
        "p95", "p99", "p99_9", "max",
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        assert_non_null(json_object_get(itl, figures[i]));
    char *text = json_dumps(document, 0);
    assert_non_null(text);
    assert_null(strstr(text, "nan"));
    free(text);
    json_decref(document);
}

/* Logs of no, one and two requests; nothing divides by zero. */
static void test_nearly_empty(void **state)
{
    (void)state;
    char *paths[] = { "a.toklog" };
    for (uint32_t count = 0; count <= 2; count++) {
        struct log_maker log;
        struct fixture f = { 0 };
        log_maker_open(&log, "a.toklog", 0, count, "");
        for (uint32_t i = 0; i < count; i++) {
            struct made_request made = { .row = i, .tokens = 1, .first_ms = 5 };
            log_maker_add(&log, &made);
        }
        log_maker_close(&log);
        summarise(&f, paths, 1);
        assert_int_equal(f.summary.requests.planned, count);
        assert_true(isnan(f.summary.timeline.planned_per_s)); /* both at one moment */
        assert_true(isnan(f.summary.timeline.output_per_s));
        assert_int_equal(f.summary.latency[BY_ARRIVAL].metrics[METRIC_TPOT].count, 0);
        assert_int_equal(f.summary.latency[BY_ARRIVAL].metrics[METRIC_TPOT].excluded,
                         count);
        assert_int_equal(f.summary.latency[BY_ARRIVAL].itl.excluded, count);
        assert_int_equal(f.summary.verdict.valid, count > 0);
        assert_non_null(f.summary.parts.prefill.reason);
        assert_document(&f);
        release(&f);
        unlink("a.toklog");
    }
}

/* The client had a token 1 ms before it arrived: counted, shown, not clamped. */
static void test_clock_fault(void **state)
{
    (void)state;
    struct log_maker log;
    char *paths[] = { "a.toklog" };
    struct fixture f = { 0 };
    log_maker_open(&log, "a.toklog", 0, 1, "");
    struct made_request made = {
        .due_ms = 0, .sent_ms = 1, .first_ms = 10, .gap_ms = 5, .lag_ms = -1, .tokens = 3,
    };
    log_maker_add(&log, &made);
    log_maker_close(&log);
    summarise(&f, paths, 1);
    assert_close(f.summary.client.receive_lag.min, -0.001, 1e-15);
    assert_close(check_named(&f.summary, "clock_faults")->value, 3, 0);
    assert_false(f.summary.verdict.valid);
    release(&f);
    unlink("a.toklog");
}

/* Two runs with the same due times: requests of one do not overlap those of the other. */
static void test_runs_keep_their_clocks(void **state)
{
    (void)state;
    char *paths[] = { "a.toklog", "b.toklog" };
    struct fixture f = { 0 };
    for (int run = 0; run < 2; run++) {
        struct log_maker log;
        log_maker_open(&log, paths[run], 0, 2, run == 0 ? "first" : "second");
        for (uint32_t i = 0; i < 2; i++) {
            struct made_request made = {
                .row = i, .due_ms = 1000.0 * i, .sent_ms = 1000.0 * i,
                .first_ms = 1000.0 * i + 100, .gap_ms = 100, .tokens = 2,
            };
            log_maker_add(&log, &made);
        }
        log_maker_close(&log);
    }
    summarise(&f, paths, 2);
    assert_int_equal(f.collection.epoch_count, 2);
    assert_close(f.summary.timeline.planned_per_s, 1, 1e-12); /* (1 + 1) / (1 s + 1 s) */
    assert_int_equal(f.summary.timeline.inflight.max, 1);
    release(&f);
    unlink("a.toklog");
    unlink("b.toklog");
}

static void test_window(void **state)
{
    (void)state;
    char *paths[] = { "a.toklog", "b.toklog" };
    struct fixture f = { 0 };
    struct fault fault = { 0 };
    struct progress progress;
    struct window range;
    make_ordinary();
    progress_init(&progress, false, false);
    assert_int_equal(collection_due_range(paths, 2, &range, &fault), STATUS_OK);
    assert_int_equal(range.from_ns, 0);
    assert_int_equal(range.to_ns, 300000000);
    f.collection.window = (struct window){ .from_ns = 100000000, .to_ns = 200000000 };
    assert_int_equal(load_open(&f.load, paths, 2, &fault), STATUS_OK);
    assert_int_equal(collection_read(&f.collection, &f.load, &progress, &fault),
                     STATUS_OK);
    summary_compute(&f.summary, &f.request, &f.load, &f.collection);
    assert_int_equal(f.summary.requests.planned, 2);
    assert_int_equal(f.summary.outside, 2);
    assert_close(f.summary.latency[BY_ARRIVAL].metrics[METRIC_TTFT].mean, 0.035, 1e-15);
    assert_int_equal(f.summary.latency[BY_ARRIVAL].itl.count, 4);
    release(&f);
    unlink("a.toklog");
    unlink("b.toklog");
}

static void test_killed_worker(void **state)
{
    (void)state;
    struct log_maker log;
    char *paths[] = { "a.toklog" };
    struct fixture f = { 0 };
    log_maker_open(&log, "a.toklog", 0, 1, "");
    struct made_request made = { .tokens = 2, .first_ms = 5, .gap_ms = 5 };
    log_maker_add(&log, &made);
    arrivals_writer_abandon(log.writer);
    summarise(&f, paths, 1);
    assert_false(check_named(&f.summary, "unfinished_logs")->ok);
    assert_document(&f);
    release(&f);
    unlink("a.toklog");
}

/* The same log by two names: its requests are no more than they were. */
static void test_no_log_counts_twice(void **state)
{
    (void)state;
    struct log_maker log;
    char *paths[] = { "a.toklog", "./a.toklog" };
    struct fault fault = { 0 };
    struct load load = { 0 };
    log_maker_open(&log, "a.toklog", 0, 1, "r");
    log_maker_close(&log);
    assert_int_equal(load_open(&load, paths, 2, &fault), STATUS_USAGE);
    assert_string_equal(fault.text, "a.toklog and ./a.toklog are of the same worker of "
                                    "one run: give it once");
    load_release(&load);
    unlink("a.toklog");
}

static void test_kinds_of_logs_do_not_mix(void **state)
{
    (void)state;
    static const enum log_source sources[] = { LOG_CLIENT, LOG_SERVER };
    char *paths[] = { "a.toklog", "b.toklog" };
    struct fault fault = { 0 };
    struct load load = { 0 };
    for (int i = 0; i < 2; i++) {
        struct arrivals_header header = { .producer = "test", .source = sources[i] };
        struct arrivals_writer *writer;
        struct end_record end = { 0 };
        assert_int_equal(arrivals_writer_open(&writer, paths[i], &header, &fault),
                         STATUS_OK);
        assert_int_equal(arrivals_writer_close(writer, &end, &fault), STATUS_OK);
    }
    assert_int_equal(load_open(&load, paths, 2, &fault), STATUS_USAGE);
    assert_string_equal(fault.text,
                        "b.toklog is a log of kind server, but a.toklog of kind client: "
                        "give one kind");
    load_release(&load);
    unlink("a.toklog");
    unlink("b.toklog");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_nearly_empty),
        cmocka_unit_test(test_clock_fault),
        cmocka_unit_test(test_runs_keep_their_clocks),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_killed_worker),
        cmocka_unit_test(test_no_log_counts_twice),
        cmocka_unit_test(test_kinds_of_logs_do_not_mix),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
