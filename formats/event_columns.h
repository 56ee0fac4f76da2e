/* The events of one request as columns of bytes, which compress several times better than
 * rows, and back. The bytes: arrivals.md, "Events". */
#ifndef TOKTRACE_EVENT_COLUMNS_H
#define TOKTRACE_EVENT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"
#include "formats/record_fields.h"

enum {
    EVENT_UNIT_NS = 100, /* resolution of stored event times */
    EVENT_KIND_BITS = 4, /* of the code of a run; the flags are above */
};

/* Rounds towards minus infinity, so that the unit's start is never after the time. */
static inline int64_t event_units(int64_t time_ns)
{
    return time_ns / EVENT_UNIT_NS - (time_ns % EVENT_UNIT_NS < 0);
}

/* What the first arrival is stored as a difference to: 0 where there is no such time. */
static inline int64_t event_base_units(int64_t base_ns)
{
    return run_time_is_stored(base_ns) ? event_units(base_ns) : 0;
}

/* An empty column stands for its default. */
struct event_columns {
    uint64_t count;
    int64_t arrival_step;   /* units that each gap between arrivals is stored less by */
    struct byte_span kinds; /* runs */
    struct byte_span arrival;
    struct byte_span app;    /* default: TIME_NONE */
    struct byte_span tokens; /* default: 1 for token events, 0 for others */
    struct byte_span wake;   /* default: no event after a wake-up */
    struct byte_span choice; /* default: 0 */
};

/* Upper bound of the bytes that event_columns_encode writes for count events. */
size_t event_columns_bound(size_t count);

/* Encodes count events, count <= REQUEST_EVENTS_MAX, into the memory at `at`, and points
 * the columns into it. base_ns: the time that the first arrival is stored as a difference
 * to; TIME_NONE for 0. */
void event_columns_encode(struct event_columns *columns,
                          const struct arrival_event *events, size_t count,
                          int64_t base_ns, uint8_t *at);

/* Fills events[0..columns->count). STATUS_BAD_INPUT names the column that breaks the
 * rules, STATUS_LIMIT when there are more than REQUEST_EVENTS_MAX events; call
 * event_columns_check before taking memory. */
int event_columns_decode(const struct event_columns *columns, int64_t base_ns,
                         struct arrival_event *events, struct fault *fault);

/* Whether the columns may hold as many events as they claim: 0, or the statuses above. */
int event_columns_check(const struct event_columns *columns, struct fault *fault);

#endif
