/* What other numbers of workers would have done with the same arrivals. */
#ifndef TOKTRACE_QUEUE_WHAT_IF_H
#define TOKTRACE_QUEUE_WHAT_IF_H

#include "analyze/queue.h"

/* Fills the what-ifs of `queue` from the events of all workers, in order of arrival.
 * Needs served and supposed, whole, workers and tpot_s. */
void queue_what_if_run(struct queue *queue, const struct queue_event *events,
                       size_t count, const struct queue_settings *settings);

#endif
