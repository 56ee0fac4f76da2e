/* Made-up logs for measurements, written through the product's own writer. */
#ifndef TOKTRACE_MADE_LOG_H
#define TOKTRACE_MADE_LOG_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "formats/arrivals_writer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

/* A log of a worker: its requests are due one every gap_ns, `events` tokens each. */
struct made_log {
    const char *run_id;
    uint32_t worker;
    uint32_t workers;
    uint64_t requests;
    size_t events;
    int64_t gap_ns;
    uint64_t random_state;
};

/* Uniform in (0, 1). */
static inline double made_uniform(struct made_log *made)
{
    made->random_state = made->random_state * UINT64_C(6364136223846793005) +
                         1442695040888963407;
    return ((double)(made->random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* Gaps of 20 ms +- 2; the client reads 30 us later or more. */
static inline void made_events(struct made_log *made, struct arrival_event *events,
                               int64_t first_ns)
{
    int64_t at_ns = first_ns;
    for (size_t i = 0; i < made->events; i++) {
        events[i] = (struct arrival_event){
            .arrival_ns = at_ns,
            .app_ns = at_ns + 30000 + (int64_t)(-20000 * log(made_uniform(made))),
            .tokens = 1,
            .kind = EVENT_CONTENT,
        };
        at_ns += 18 * NS_PER_MS + (int64_t)(4 * NS_PER_MS * made_uniform(made));
    }
}

/* TTFT is 20 ms + 10 us per input token + an exponential wait. */
static inline void made_request(struct made_log *made, struct arrivals_writer *writer,
                                uint64_t number, struct arrival_event *events)
{
    struct arrival_request request;
    arrival_request_init(&request);
    uint32_t input = 100 + (uint32_t)(2000 * made_uniform(made));
    request.row = number * made->workers + made->worker;
    request.outcome = OUTCOME_OK;
    request.due_ns = (int64_t)number * made->gap_ns;
    request.sent_ns = request.due_ns + 60000 + (int64_t)(20000 * made_uniform(made));
    request.planned_input_tokens = request.usage_prompt_tokens = input;
    request.planned_output_tokens = (uint32_t)made->events;
    request.usage_completion_tokens = (uint32_t)made->events;
    request.http_status = 200;
    double wait_ns = 20e6 + 10e3 * input - 3e6 * log(made_uniform(made));
    made_events(made, events, request.sent_ns + (int64_t)wait_ns);
    request.end_ns = events[made->events - 1].app_ns;
    request.events = events;
    request.event_count = made->events;
    arrivals_writer_request(writer, &request);
}

static inline int made_log_write(struct made_log *made, const char *path,
                                 struct fault *fault)
{
    struct arrivals_header header = {
        .producer = "bench", .worker = made->worker, .workers = made->workers,
        .planned_requests = made->requests,
    };
    struct end_record end = { .at_ns = (int64_t)made->requests * made->gap_ns };
    struct arrivals_writer *writer = NULL;
    snprintf(header.run_id, sizeof header.run_id, "%s", made->run_id);
    int status = arrivals_writer_open(&writer, path, &header, fault);
    if (status < 0)
        return status;
    struct arrival_event *events = memory_new(made->events, sizeof *events);
    for (uint64_t number = 0; number < made->requests; number++)
        made_request(made, writer, number, events);
    free(events);
    return arrivals_writer_close(writer, &end, fault);
}

#endif
