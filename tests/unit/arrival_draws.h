/* Requests and events drawn at random, with extremes more often than chance would have
 * them. */
#ifndef TOKTRACE_TEST_ARRIVAL_DRAWS_H
#define TOKTRACE_TEST_ARRIVAL_DRAWS_H

#include <stdint.h>
#include <stdio.h>

#include "formats/arrivals.h"

static uint64_t draw_state = 1;

static inline uint64_t draw_below(uint64_t limit)
{
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (draw_state >> 11) % limit;
}

static inline int64_t draw_time(void)
{
    static const int64_t scales[] = { 1000, 1000000, 1000000000, RUN_TIME_MAX_NS };
    int64_t scale = scales[draw_below(4)];
    if (draw_below(10) == 0)
        return TIME_NONE;
    return (int64_t)draw_below((uint64_t)scale) * (draw_below(2) ? 1 : -1);
}

/* Small, any, or the largest. */
static inline uint64_t draw_count(uint64_t max)
{
    switch (draw_below(4)) {
    case 0:
        return max;
    case 1:
        return draw_below(max);
    default:
        return draw_below(3);
    }
}

static inline void draw_event(struct arrival_event *event)
{
    *event = (struct arrival_event){
        .arrival_ns = draw_time(),
        .app_ns = draw_time(),
        .tokens = (uint32_t)draw_count(UINT32_MAX),
        .choice = (uint16_t)draw_count(UINT16_MAX),
        .kind = (uint8_t)draw_below(EVENT_KINDS),
        .flags = (uint8_t)draw_below(256),
    };
    if (event->flags & EVENT_FLAG_AFTER_WAKE)
        event->wake_ns = (uint32_t)draw_count(UINT32_MAX);
}

/* Events are left to the caller. */
static inline void draw_request(struct arrival_request *request)
{
    *request = (struct arrival_request){
        .row = draw_count(UINT64_MAX),
        .due_ns = draw_time(),
        .start_ns = draw_time(),
        .connect_start_ns = draw_time(),
        .connect_end_ns = draw_time(),
        .tls_end_ns = draw_time(),
        .sent_ns = draw_time(),
        .headers_ns = draw_time(),
        .end_ns = draw_time(),
        .planned_input_tokens = (uint32_t)draw_count(UINT32_MAX),
        .planned_output_tokens = (uint32_t)draw_count(UINT32_MAX),
        .usage_prompt_tokens = (uint32_t)draw_count(UINT32_MAX),
        .usage_completion_tokens = (uint32_t)draw_count(UINT32_MAX),
        .usage_cached_tokens = (uint32_t)draw_count(UINT32_MAX),
        .usage_reasoning_tokens = (uint32_t)draw_count(UINT32_MAX),
        .bytes_sent = draw_count(UINT64_MAX),
        .bytes_received = draw_count(UINT64_MAX),
        .min_rtt_us = (uint32_t)draw_count(UINT32_MAX),
        .retransmits = (uint32_t)draw_count(UINT32_MAX),
        .connection_request = (uint32_t)draw_count(UINT32_MAX),
        .local_port = (uint16_t)draw_count(UINT16_MAX),
        .remote_port = (uint16_t)draw_count(UINT16_MAX),
        .http_status = (uint16_t)draw_count(UINT16_MAX),
        .curl_code = (uint16_t)draw_count(UINT16_MAX),
        .attempts = (uint16_t)draw_count(UINT16_MAX),
        .outcome = (uint8_t)draw_below(OUTCOMES),
        .flags = (uint32_t)draw_count(UINT32_MAX),
    };
    snprintf(request->finish_reason, sizeof request->finish_reason, "r%u",
             (unsigned)draw_below(100));
    snprintf(request->session, sizeof request->session, "%*d", (int)draw_below(127), 7);
}

#endif
