/* Requests to write, comparison of what was read, and files in a directory of the test's
 * own. */
#ifndef TOKTRACE_TEST_ARRIVAL_SAMPLES_H
#define TOKTRACE_TEST_ARRIVAL_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/arrivals.h"

/* The stored time of an event: rounded down to 100 ns. */
static inline int64_t stored_time(int64_t ns)
{
    if (ns == TIME_NONE)
        return ns;
    int64_t above = ns % 100;
    return ns - (above < 0 ? above + 100 : above);
}

static inline void assert_same_event(const struct arrival_event *got,
                                     const struct arrival_event *put)
{
    assert_int_equal(got->arrival_ns, stored_time(put->arrival_ns));
    assert_int_equal(got->app_ns, stored_time(put->app_ns));
    assert_int_equal(got->wake_ns, put->wake_ns - put->wake_ns % 100);
    assert_int_equal(got->tokens, put->tokens);
    assert_int_equal(got->choice, put->choice);
    assert_int_equal(got->kind, put->kind);
    assert_int_equal(got->flags, put->flags);
}

static inline void assert_same_request(const struct arrival_request *got,
                                       const struct arrival_request *put)
{
    assert_int_equal(got->row, put->row);
    assert_int_equal(got->due_ns, put->due_ns);
    assert_int_equal(got->start_ns, put->start_ns);
    assert_int_equal(got->connect_start_ns, put->connect_start_ns);
    assert_int_equal(got->connect_end_ns, put->connect_end_ns);
    assert_int_equal(got->tls_end_ns, put->tls_end_ns);
    assert_int_equal(got->sent_ns, put->sent_ns);
    assert_int_equal(got->headers_ns, put->headers_ns);
    assert_int_equal(got->end_ns, put->end_ns);
    assert_int_equal(got->planned_input_tokens, put->planned_input_tokens);
    assert_int_equal(got->planned_output_tokens, put->planned_output_tokens);
    assert_int_equal(got->usage_prompt_tokens, put->usage_prompt_tokens);
    assert_int_equal(got->usage_completion_tokens, put->usage_completion_tokens);
    assert_int_equal(got->usage_cached_tokens, put->usage_cached_tokens);
    assert_int_equal(got->usage_reasoning_tokens, put->usage_reasoning_tokens);
    assert_int_equal(got->bytes_sent, put->bytes_sent);
    assert_int_equal(got->bytes_received, put->bytes_received);
    assert_int_equal(got->min_rtt_us, put->min_rtt_us);
    assert_int_equal(got->retransmits, put->retransmits);
    assert_int_equal(got->connection_request, put->connection_request);
    assert_int_equal(got->local_port, put->local_port);
    assert_int_equal(got->remote_port, put->remote_port);
    assert_int_equal(got->http_status, put->http_status);
    assert_int_equal(got->curl_code, put->curl_code);
    assert_int_equal(got->attempts, put->attempts);
    assert_int_equal(got->outcome, put->outcome);
    assert_int_equal(got->flags, put->flags);
    assert_string_equal(got->finish_reason, put->finish_reason);
    assert_string_equal(got->session, put->session);
    assert_int_equal(got->event_count, put->event_count);
    for (size_t i = 0; i < put->event_count; i++)
        assert_same_event(&got->events[i], &put->events[i]);
}

/* A request with a different value in every field, events as given. */
static inline struct arrival_request sample_request(uint64_t row,
                                                    struct arrival_event *events,
                                                    size_t event_count)
{
    int64_t due_ns = (int64_t)row * 1000003;
    return (struct arrival_request){
        .row = row,
        .due_ns = due_ns,
        .start_ns = due_ns + 1,
        .connect_start_ns = due_ns + 20,
        .connect_end_ns = due_ns + 300,
        .tls_end_ns = due_ns + 4000,
        .sent_ns = due_ns + 50001,
        .headers_ns = due_ns + 600001,
        .end_ns = due_ns + 70000001,
        .planned_input_tokens = 101,
        .planned_output_tokens = 102,
        .usage_prompt_tokens = 103,
        .usage_completion_tokens = 104,
        .usage_cached_tokens = 105,
        .usage_reasoning_tokens = 106,
        .bytes_sent = 107,
        .bytes_received = UINT64_C(108) << 40,
        .min_rtt_us = 109,
        .retransmits = 110,
        .connection_request = 111,
        .local_port = 50112,
        .remote_port = 8113,
        .http_status = 200,
        .curl_code = 18,
        .attempts = 2,
        .outcome = OUTCOME_TRUNCATED,
        .flags = REQUEST_STREAMED | REQUEST_WIRE_OVERLAP,
        .finish_reason = "length",
        .session = "session-1",
        .events = events,
        .event_count = event_count,
    };
}

/* A stream as a client sees it: role, content, finish, usage, done; every second event
 * after a wake-up. */
static inline void sample_events(struct arrival_event *events, size_t count,
                                 int64_t from_ns)
{
    for (size_t i = 0; i < count; i++) {
        bool woke = i % 2 == 0;
        int64_t jitter_ns = (int64_t)(i * 2654435761u % 200000);
        int64_t arrival_ns = from_ns + (int64_t)i * 2000000 + jitter_ns;
        events[i] = (struct arrival_event){
            .arrival_ns = arrival_ns,
            .app_ns = arrival_ns + 30001 + (int64_t)(i % 7) * 911,
            .wake_ns = woke ? 2000 + (uint32_t)i % 8000 : 0,
            .tokens = 1,
            .kind = EVENT_CONTENT,
            .flags = woke ? EVENT_FLAG_AFTER_WAKE : 0,
        };
    }
    if (count > 4) {
        events[0].kind = EVENT_ROLE;
        events[0].tokens = 0;
    }
    static const uint8_t last_kinds[] = { EVENT_DONE, EVENT_USAGE, EVENT_FINISH };
    for (size_t i = 0; i < 3 && count > 4; i++) {
        events[count - 1 - i].kind = last_kinds[i];
        events[count - 1 - i].tokens = 0;
    }
}

/* The example of arrivals.md, section 8. */
enum { PAPER_EVENTS = 4 };
static inline struct arrival_request
paper_request(struct arrival_event events[PAPER_EVENTS])
{
    const struct arrival_event paper[PAPER_EVENTS] = {
        { 1321500, 1345678, 2345, 0, 0, EVENT_ROLE, EVENT_FLAG_AFTER_WAKE },
        { 3321499, 3340000, 0, 1, 0, EVENT_CONTENT, 0 },
        { 5321600, 5350050, 0, 1, 0, EVENT_CONTENT, EVENT_FLAG_AFTER_WAKE },
        { 5321600, 5350050, 0, 0, 0, EVENT_DONE, EVENT_FLAG_SHARED_READ },
    };
    memcpy(events, paper, sizeof paper);
    struct arrival_request request;
    arrival_request_init(&request);
    request.row = 7;
    request.due_ns = 1000000;
    request.start_ns = 1001500;
    request.sent_ns = 1021500;
    request.headers_ns = 1321500;
    request.end_ns = 5321623;
    request.planned_output_tokens = 2;
    request.local_port = 50000;
    request.http_status = 200;
    request.outcome = OUTCOME_OK;
    request.flags = REQUEST_STREAMED | REQUEST_DONE_SEEN;
    strcpy(request.finish_reason, "stop");
    request.events = events;
    request.event_count = PAPER_EVENTS;
    return request;
}

#endif
