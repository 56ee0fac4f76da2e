/* Ascending order of events in place: a run of ten million must not need its memory
 * twice. */
#ifndef TOKTRACE_QUEUE_SORT_H
#define TOKTRACE_QUEUE_SORT_H

#include <stddef.h>

#include "analyze/queue_events.h"

/* By app time; what was in hand at the same time, by arrival. */
void queue_sort_by_app(struct queue_event *events, size_t count);

/* By arrival; what arrived at the same time, by app time. */
void queue_sort_by_arrival(struct queue_event *events, size_t count);

#endif
