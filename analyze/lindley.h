/* Lindley's recursion (1952) on recorded arrivals: the waits that these arrivals would
 * have met, no law of arrivals assumed. */
#ifndef TOKTRACE_LINDLEY_H
#define TOKTRACE_LINDLEY_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/histogram.h"
#include "analyze/queue_events.h"
#include "analyze/setup_law.h"

/* More workers than this are refused. */
enum { LINDLEY_WORKERS_MAX = 1 << 16 };

/* Each event's own service. */
#define LINDLEY_RECORDED (-1)

struct lindley {
    int64_t service_ns; /* of every event, or LINDLEY_RECORDED */
    /* What an event that finds its worker idle pays, drawn anew for each; NULL, or empty:
     * nothing. Not its own set-up: with that the recursion only gives back what was
     * observed. Borrowed. */
    const struct setup_law *setup;
    uint32_t workers;   /* >= 1: a request goes to worker (row mod workers) */
};

/* Adds the wait of each event, set-up included, to `waits` (ns). Each worker
 * serves its own events in the order given. A recorded service below 0 counts as 0. */
void lindley_waits(const struct lindley *lindley, const struct queue_event *events,
                   size_t count, struct histogram *waits);

#endif
