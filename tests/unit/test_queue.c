/* The whole analysis on written logs: what comes back of a simulated worker, and a clear
 * statement for everything that cannot be analysed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "analyze/lindley.h"
#include "analyze/queue.h"
#include "analyze/queue_output.h"
#include "formats/arrivals_writer.h"
#include "formats/base/buffer.h"
#include "formats/base/json.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/queue_simulator.h"
#include "tests/unit/scratch.h"

/* A worker's log with these events, one request each. */
static void write_log(const char *path, uint32_t worker,
                      const struct queue_event *events, size_t count)
{
    struct arrivals_header header = { .producer = "test", .worker = worker,
                                      .workers = 2 };
    struct arrivals_writer *writer = NULL;
    struct end_record end = { 0 };
    struct fault fault = { 0 };
    assert_int_equal(arrivals_writer_open(&writer, path, &header, &fault), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        bool slept = events[i].wake != QUEUE_AWAKE;
        struct arrival_event event = {
            .arrival_ns = events[i].arrival_ns,
            .app_ns = events[i].app_ns,
            .wake_ns = slept ? events[i].wake : 0,
            .tokens = 1,
            .flags = slept ? EVENT_FLAG_AFTER_WAKE : 0,
        };
        struct arrival_request request;
        arrival_request_init(&request);
        request.row = i;
        request.outcome = OUTCOME_OK;
        request.sent_ns = event.arrival_ns;
        request.end_ns = event.arrival_ns;
        request.events = &event;
        request.event_count = 1;
        arrivals_writer_request(writer, &request);
    }
    struct loop_record loop = { .to_ns = NS_PER_S, .busy_ns = NS_PER_S / 4 };
    arrivals_writer_loop(writer, &loop);
    assert_int_equal(arrivals_writer_close(writer, &end, &fault), STATUS_OK);
}

static const struct queue_settings plain = {
    .batch_gap_ns = BATCH_GAP_AUTO, .service_ns = LINDLEY_RECORDED, .budget_ns = -1,
    .workers = { 1, 2 }, .workers_count = 2,
};

/* Analyses logs a and, where given, b of the scratch directory. */
struct run {
    struct load load;
    struct queue_data data;
    struct queue queue;
};

static int compute(struct run *run, const struct queue_settings *settings, char *a,
                   char *b)
{
    char *operands[] = { a, b };
    struct fault fault = { 0 };
    struct progress progress;
    *run = (struct run){ 0 };
    progress_init(&progress, false, false);
    assert_int_equal(load_open(&run->load, operands, b ? 2 : 1, &fault), STATUS_OK);
    assert_int_equal(queue_load(&run->data, &run->load, &progress, &fault), STATUS_OK);
    return queue_compute(&run->queue, &run->data, settings, &fault);
}

static void run_release(struct run *run)
{
    queue_release(&run->queue);
    queue_data_release(&run->data);
    load_release(&run->load);
}

static bool is_null(const json_t *object, const char *key)
{
    return json_is_null(json_object_get(object, key));
}

/* A mean that is null has a reason, and one that is not has none. */
static void assert_models_reason(const json_t *models)
{
    const char *name;
    json_t *model;
    json_object_foreach((json_t *)models, name, model)
        if (json_is_object(model))
            assert_int_equal(is_null(model, "mean"), !is_null(model, "reason"));
}

static void assert_reasons(const json_t *document)
{
    size_t at;
    json_t *worker;
    const json_t *whole = json_object_get(document, "whole");
    const json_t *mean = json_object_get(json_object_get(whole, "mean_wait_s"), "mg1");
    assert_true(json_is_number(mean) || !is_null(whole, "reason"));
    json_array_foreach(json_object_get(document, "workers"), at, worker) {
        assert_true(is_null(worker, "problem") !=
                    !json_is_object(json_object_get(worker, "models_s")));
        assert_models_reason(json_object_get(worker, "models_s"));
    }
}

/* Neither NaN nor inf may get into the document or the text, and nothing is null without
 * a reason. */
static void assert_prints(const struct run *run)
{
    json_t *document = queue_json(&run->queue);
    struct buffer text = BUFFER_INIT;
    buffer_append_json(&text, document, 0);
    assert_null(strstr(buffer_text(&text), "nan"));
    assert_null(strstr(buffer_text(&text), "inf"));
    json_error_t error;
    json_t *again = json_loads(buffer_text(&text), 0, &error);
    assert_non_null(again);
    assert_reasons(again);
    json_decref(again);
    json_decref(document);
    buffer_release(&text);

    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    struct sheet sheet = { .out = out };
    queue_show(&sheet, &run->queue, &(struct queue_text_options){ .by_worker = true });
    sheet_release(&sheet);
    fclose(out);
    assert_true(size > 0);
    assert_null(strstr(printed, "nan"));
    assert_null(strstr(printed, "inf"));
    free(printed);
}

static void assert_sentence(const struct run *run, size_t worker, const char *part)
{
    struct buffer text = BUFFER_INIT;
    queue_sentence(&text, &run->queue, &run->queue.workers[worker]);
    if (!strstr(buffer_text(&text), part))
        fail_msg("'%s' has no '%s'", buffer_text(&text), part);
    buffer_release(&text);
}

/* M/M/1 with set-up at rho 0.5, and a second worker that had nothing to do. */
static void test_simulated_worker(void **state)
{
    enum { EVENTS = 50000 };
    (void)state;
    char a[] = "a.toklog";
    char b[] = "b.toklog";
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6, .rho = 0.5,
                                      .setup_s = 50e-6, .seed = 1 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    simulate_queue(&given, events, EVENTS);
    write_log(a, 0, events, EVENTS);
    write_log(b, 1, NULL, 0);
    struct run run;
    assert_int_equal(compute(&run, &plain, a, b), STATUS_OK);
    const struct queue_worker *worker = &run.queue.workers[0];
    const struct queue_model_set *set = &worker->recorded;
    assert_int_equal(worker->events, EVENTS);
    assert_close_relative(worker->estimates.rho.value, 0.5, 0.03);
    assert_close_relative(worker->estimates.setup.value, 50e-6, 0.03);
    assert_close(worker->busy_share, 0.25, 1e-9);
    assert_true(worker->services.aic[LAW_EXPONENTIAL] <
                worker->services.aic[worker->services.best] + 10);
    assert_close_relative(worker->observed.mean.value, 60e-6 + 50e-6, 0.1);
    assert_close_relative(set->lindley_setup.mean.value, worker->observed.mean.value,
                          0.02);
    assert_close_relative(set->predictions.mean_s[MODEL_MG1_SETUP],
                          worker->observed.mean.value, 0.1);
    /* rho 0.5 at so many events; 1 / 60 us = 16,667 at rho 1 */
    assert_close_relative(worker->capacity_per_s[2], 1 / 60e-6, 0.03);
    assert_close_relative(worker->busy_capacity_per_s[2], 4 * 0.5 / 60e-6, 0.03);
    assert_sentence(&run, 0, "M/G/1 predicts");
    assert_sentence(&run, 1, "the worker was idle");
    assert_int_equal(run.queue.whole.events, EVENTS);
    assert_close(run.queue.what_ifs[0].rho, 0.5, 0.02);
    assert_true(run.queue.what_ifs[1].waits.mean.value <
                run.queue.what_ifs[0].waits.mean.value);
    assert_prints(&run);
    run_release(&run);
    free(events);
}

/* `count` events, each `gap_ns` after the other, in hand `delay_ns` after it arrived and
 * `each_ns` more for each before it; and what is said of them. */
struct sparse {
    size_t count;
    int64_t gap_ns;
    int64_t delay_ns;
    int64_t each_ns;
    const char *said;
};

/* Too few events, all at one time, services that are nothing or below. */
static void test_nothing_to_learn(void **state)
{
    enum { MOST = 50 };
    static const struct sparse cases[] = {
        { 0, 0, 0, 0, "no events: the worker was idle" },
        { 1, 0, 4000, 0, "one event: no gaps" },
        { 2, 9000, 4000, 0, "two events: one gap" },
        { 2, 0, 4000, 500, "all events arrived at one time" },
        { MOST, 0, 4000, 500, "all events arrived at one time" },
        { MOST, 9000, 0, 0, "no event took any time" },
        { MOST, 9000, -700, 0, "no service is above 0: the clocks disagree" },
    };
    (void)state;
    char a[] = "a.toklog";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct queue_event events[MOST];
        for (size_t at = 0; at < cases[i].count; at++) {
            int64_t arrival_ns = 1000 + (int64_t)at * cases[i].gap_ns;
            events[at] = (struct queue_event){
                .arrival_ns = arrival_ns,
                .app_ns = arrival_ns + cases[i].delay_ns +
                          (int64_t)at * cases[i].each_ns,
                .wake = QUEUE_AWAKE,
            };
        }
        write_log(a, 0, events, cases[i].count);
        struct run run;
        assert_int_equal(compute(&run, &plain, a, NULL), STATUS_OK);
        assert_sentence(&run, 0, cases[i].said);
        assert_true(isnan(run.queue.whole.rho));
        assert_int_equal(run.queue.what_if_count, 0);
        assert_prints(&run);
        run_release(&run);
        remove(a);
    }
}

/* More work than time: no steady state, and who was saturated. */
static void test_overload(void **state)
{
    enum { EVENTS = 5000 };
    (void)state;
    char a[] = "a.toklog";
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6, .rho = 1.3,
                                      .seed = 1 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    simulate_queue(&given, events, EVENTS);
    write_log(a, 0, events, EVENTS);
    struct run run;
    assert_int_equal(compute(&run, &plain, a, NULL), STATUS_OK);
    assert_true(queue_worker_is_saturated(&run.queue.workers[0]));
    assert_sentence(&run, 0, "the client, not the server, was saturated");
    assert_true(isnan(run.queue.workers[0].recorded.predictions.mean_s[MODEL_MG1]));
    assert_prints(&run);
    run_release(&run);
    free(events);
}

/* Clock faults are counted and shown. */
static void test_clock_fault(void **state)
{
    enum { EVENTS = 1000 };
    (void)state;
    char a[] = "a.toklog";
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 60e-6, .rho = 0.3,
                                      .seed = 1 };
    struct queue_event *events = memory_new(EVENTS, sizeof *events);
    simulate_queue(&given, events, EVENTS);
    for (size_t i = 0; i < EVENTS; i += 100)
        events[i].arrival_ns = events[i].app_ns + 700;
    write_log(a, 0, events, EVENTS);
    struct run run;
    assert_int_equal(compute(&run, &plain, a, NULL), STATUS_OK);
    assert_int_equal(run.queue.workers[0].service.negative, EVENTS / 100);
    assert_int_equal(run.queue.workers[0].service.least_ns, -700);
    assert_prints(&run);
    run_release(&run);
    free(events);
}

/* Events 0 to 9 ms, one each: from 20 % to 60 % of the span are 1.8 to 5.4 ms. */
static void test_window(void **state)
{
    struct queue_event events[10];
    (void)state;
    char a[] = "a.toklog";
    for (int64_t i = 0; i < 10; i++)
        events[i] = (struct queue_event){ .arrival_ns = i * NS_PER_MS,
                                          .app_ns = i * NS_PER_MS + 1000,
                                          .wake = QUEUE_AWAKE };
    write_log(a, 0, events, 10);
    struct queue_settings settings = plain;
    settings.from = (struct queue_bound){ .given = true, .is_share = true, .share = 0.2 };
    settings.to = (struct queue_bound){ .given = true, .is_share = true, .share = 0.6 };
    struct run run;
    assert_int_equal(compute(&run, &settings, a, NULL), STATUS_OK);
    assert_int_equal(run.queue.workers[0].events, 4);
    assert_int_equal(run.queue.outside, 6);
    assert_close(run.queue.whole.span_s, 0.003, 1e-12);
    run_release(&run);
    settings.from = (struct queue_bound){ .given = true, .offset_ns = 7 * NS_PER_MS };
    settings.to = (struct queue_bound){ 0 };
    assert_int_equal(compute(&run, &settings, a, NULL), STATUS_OK);
    assert_int_equal(run.queue.workers[0].events, 3);
    run_release(&run);
    settings.to = (struct queue_bound){ .given = true, .offset_ns = NS_PER_MS };
    assert_int_equal(compute(&run, &settings, a, NULL), STATUS_USAGE);
    run_release(&run);
}

/* A budget is kept by the fewest workers that keep it: eight events at once, every
 * second, each taking 1 ms. Over k workers the last waits (8 / k - 1) ms. */
static void test_enough_workers(void **state)
{
    struct queue_event events[80];
    (void)state;
    char a[] = "a.toklog";
    for (int64_t i = 0; i < 80; i++)
        events[i] = (struct queue_event){
            .arrival_ns = i / 8 * NS_PER_S,
            .app_ns = i / 8 * NS_PER_S + (i % 8 + 1) * NS_PER_MS,
            .wake = QUEUE_AWAKE,
        };
    write_log(a, 0, events, 80);
    struct queue_settings settings = plain;
    const int64_t budgets_ms[] = { 7, 3, 1, 0 };
    const uint32_t enough[] = { 1, 2, 4, 8 };
    for (size_t i = 0; i < 4; i++) {
        struct run run;
        /* Percentiles are told within 0.4 %. */
        settings.budget_ns = budgets_ms[i] * NS_PER_MS * 101 / 100;
        assert_int_equal(compute(&run, &settings, a, NULL), STATUS_OK);
        assert_int_equal(run.queue.enough_workers, enough[i]);
        run_release(&run);
    }
}

/* Each in an empty directory. */
#define FRESH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(test_simulated_worker),
        FRESH(test_nothing_to_learn),
        FRESH(test_overload),
        FRESH(test_clock_fault),
        FRESH(test_window),
        FRESH(test_enough_workers),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
