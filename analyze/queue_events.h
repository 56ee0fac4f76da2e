/* The events of a worker as customers of one server, its loop: when each arrived, how
 * long it waited and was served. Every event of an answer counts, tokens or not: each
 * costs the loop time. */
#ifndef TOKTRACE_QUEUE_EVENTS_H
#define TOKTRACE_QUEUE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"

/* The loop was awake when it came to the event. */
#define QUEUE_AWAKE UINT32_MAX

/* Times in logs are rounded down to so much. Set-up times are kept in this unit, and
 * saturate at 429 s. */
enum { QUEUE_RESOLUTION_NS = 100 };

/* 32 bytes, since there are millions. Times in ns. */
struct queue_event {
    int64_t arrival_ns;
    int64_t app_ns;     /* in hand; TIME_NONE in logs of arrivals alone */
    int64_t service_ns; /* set by queue_serve; below 0 when the clocks disagree */
    uint32_t row;       /* of the request in the plan: what workers share by */
    /* app - wake-up as the log has it, or QUEUE_AWAKE; queue_serve puts the set-up here,
     * in QUEUE_RESOLUTION_NS */
    uint32_t wake;
};

/* What queue_serve met. */
struct queue_service {
    uint64_t wakes;    /* events that the loop woke for */
    uint64_t negative; /* services below 0: in hand before it arrived, a clock fault */
    int64_t least_ns;  /* the lowest of them, or 0 */
};

/* Works out service and set-up of all events of one worker, which have app times. Sorts
 * them by app time, the order in which they were served. With A arrival, D app and K the
 * moment the loop woke for this event:
 *   ready = max(A, D of the event before);  set-up = max(0, K - ready)
 *   service = D - ready - set-up            wait = D - service - A
 * Work of the loop other than events (sending, timers) counts to the service of the event
 * that had to wait for it. */
struct queue_service queue_serve(struct queue_event *events, size_t count);

static inline int64_t queue_setup_ns(const struct queue_event *event)
{
    return (int64_t)event->wake * QUEUE_RESOLUTION_NS;
}

/* Service as the models take it: one below 0, a clock fault, counts as none. */
static inline int64_t queue_service_ns(const struct queue_event *event)
{
    return event->service_ns > 0 ? event->service_ns : 0;
}

/* Time from arrival to the start of service, set-up included; after queue_serve. */
static inline int64_t queue_wait_ns(const struct queue_event *event)
{
    return event->app_ns - event->service_ns - event->arrival_ns;
}

/* Whether nothing was before the event: it starts a busy period. Exact to the unit of
 * set-up times. */
static inline bool queue_found_idle(const struct queue_event *event)
{
    return queue_wait_ns(event) - queue_setup_ns(event) < QUEUE_RESOLUTION_NS;
}

#endif
