/* Arrival logs for tests of the analyses: requests with tokens at given times, written
 * through the product's own writer. Times are in ms. */
#ifndef TOKTRACE_TEST_LOG_MAKER_H
#define TOKTRACE_TEST_LOG_MAKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "formats/arrivals_writer.h"

enum { LOG_MAKER_EVENTS = 64 };

/* A log that is being written. */
struct log_maker {
    struct arrivals_writer *writer;
    struct end_record end;
};

static inline void log_maker_open(struct log_maker *maker, const char *path,
                                  uint32_t worker, uint64_t planned, const char *run_id)
{
    struct arrivals_header header = {
        .producer = "test", .worker = worker, .workers = 1, .planned_requests = planned,
    };
    struct fault fault = { 0 };
    snprintf(header.run_id, sizeof header.run_id, "%s", run_id);
    *maker = (struct log_maker){ 0 };
    assert_int_equal(arrivals_writer_open(&maker->writer, path, &header, &fault),
                     STATUS_OK);
}

static inline void log_maker_close(struct log_maker *maker)
{
    struct fault fault = { 0 };
    assert_int_equal(arrivals_writer_close(maker->writer, &maker->end, &fault),
                     STATUS_OK);
}

/* One request: due and sent, then `tokens` tokens, the first at first_ms, then every
 * gap_ms; the client sees each lag_ms later. */
struct made_request {
    uint64_t row;
    enum outcome outcome;
    double due_ms;
    double sent_ms; /* < 0: never */
    double first_ms;
    double gap_ms;
    double lag_ms;
    uint32_t tokens;
    uint32_t input_tokens;
};

static inline int64_t made_ns(double ms)
{
    return (int64_t)(ms * 1e6);
}

static inline void log_maker_add(struct log_maker *maker, const struct made_request *made)
{
    struct arrival_event events[LOG_MAKER_EVENTS] = { 0 };
    struct arrival_request request;
    arrival_request_init(&request);
    assert_true(made->tokens <= LOG_MAKER_EVENTS);
    for (uint32_t i = 0; i < made->tokens; i++) {
        double at_ms = made->first_ms + i * made->gap_ms;
        events[i] = (struct arrival_event){
            .arrival_ns = made_ns(at_ms),
            .app_ns = made_ns(at_ms + made->lag_ms),
            .tokens = 1,
            .kind = EVENT_CONTENT,
        };
    }
    request.row = made->row;
    request.outcome = (uint8_t)made->outcome;
    request.due_ns = made_ns(made->due_ms);
    request.sent_ns = made->sent_ms < 0 ? TIME_NONE : made_ns(made->sent_ms);
    request.end_ns = request.sent_ns;
    if (made->tokens > 0)
        request.end_ns = events[made->tokens - 1].app_ns;
    request.planned_input_tokens = made->input_tokens;
    request.planned_output_tokens = made->tokens;
    request.usage_prompt_tokens = made->input_tokens;
    if (made->outcome == OUTCOME_OK) /* the count comes last: cut answers have none */
        request.usage_completion_tokens = made->tokens;
    request.events = events;
    request.event_count = made->tokens;
    arrivals_writer_request(maker->writer, &request);
    maker->end.requests++;
    maker->end.events += made->tokens;
}

#endif
