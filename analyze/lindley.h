/* Lindley's recursion (1952) on recorded arrivals: the waits that these arrivals would
 * have met, no law of arrivals assumed. */
#ifndef TOKTRACE_LINDLEY_H
#define TOKTRACE_LINDLEY_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/histogram.h"
#include "analyze/queue_events.h"

/* More workers than this are refused. */
enum { LINDLEY_WORKERS_MAX = 1 << 16 };

/* Each event's own service. */
#define LINDLEY_RECORDED (-1)

struct lindley {
    int64_t service_ns; /* of every event, or LINDLEY_RECORDED */
    /* Paid by each event that finds its worker idle: its own, with recorded services and
     * where it really found an idle loop; else this. */
    int64_t setup_ns;
    uint32_t workers;   /* >= 1: a request goes to worker (row mod workers) */
};

/* No set-up, not even a recorded one. */
#define LINDLEY_NO_SETUP (-1)

/* Adds the wait of each event, set-up included, to `waits` (ns). Each worker
 * serves its own events in the order given. A recorded service below 0 counts as 0. */
void lindley_waits(const struct lindley *lindley, const struct queue_event *events,
                   size_t count, struct histogram *waits);

#endif
