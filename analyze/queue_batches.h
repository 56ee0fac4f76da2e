/* Events that arrive together: batches, as a server that emits one token for every stream
 * at once makes them. */
#ifndef TOKTRACE_QUEUE_BATCHES_H
#define TOKTRACE_QUEUE_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/block_means.h"
#include "analyze/queue_events.h"
#include "analyze/queue_models.h"

/* Choose the gap that ends a batch from the arrivals themselves. */
#define BATCH_GAP_AUTO (-1)

struct queue_batches {
    int64_t gap_ns; /* an event that comes later than this after another starts a batch */
    size_t count;
    double start_squared_cv; /* of the times between starts; 1 for a Poisson process */
    struct estimate size;    /* E[X] */
    struct estimate size_2;  /* E[X^2] */
    /* of services, s: see struct queue_inputs; set by queue_batches_serve */
    double service_2;
    double inner_s;
    struct queue_occupancy occupancy;
};

/* The smallest gap of 0, 100 ns ... 10 ms for which batches start like a Poisson process
 * or more evenly: squared coefficient of variation of the times between starts at most
 * 1.1, give or take sampling error; else the gap with the least. Events in order of
 * arrival. */
int64_t queue_batch_gap(const struct queue_event *events, size_t count);

/* Splits `count` >= 1 events in order of arrival at gaps over gap_ns (or
 * BATCH_GAP_AUTO). */
void queue_batches_split(struct queue_batches *batches, const struct queue_event *events,
                         size_t count, int64_t gap_ns);

/* What the services of the same events, which have been through queue_serve, come to in
 * the batches they were split into. A service below 0 counts as 0. A batch found the
 * server idle when one of its events did. */
void queue_batches_serve(struct queue_batches *batches, const struct queue_event *events,
                         size_t count);

#endif
