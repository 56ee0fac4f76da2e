/* What the models need of one worker's events, with 95 % intervals. Times in seconds. */
#ifndef TOKTRACE_QUEUE_ESTIMATES_H
#define TOKTRACE_QUEUE_ESTIMATES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/block_means.h"
#include "analyze/queue_batches.h"
#include "analyze/queue_events.h"
#include "analyze/queue_models.h"

struct queue_estimates {
    double span_s;            /* first to last arrival */
    struct estimate rate_per_s; /* events, (n - 1) / span; Garwood: exact if Poisson */
    struct estimate service[3]; /* E[S], E[S^2], E[S^3]; negative services left out */
    struct estimate service_squared_cv;
    struct estimate rho;      /* lambda E[S] */
    struct estimate setup;    /* E[V] of events that found the loop idle; unknown when the
                                 log has no wake-ups */
    struct estimate setup_2;  /* E[V^2] */
    double idle_share;        /* of the events, that found the loop idle */
    struct queue_occupancy occupancy; /* a service below 0 counts as 0 */
    struct queue_batches batches;
};

/* The rate of a Poisson process that had `count` events in `span_s`: Garwood (1936). */
struct estimate queue_rate(size_t count, double span_s);

extern const struct queue_estimates queue_estimates_unknown;

/* Services of count >= 1 served events in the order of service; set-ups only where the
 * log has wake-ups. */
void queue_estimate_services(struct queue_estimates *estimates,
                             const struct queue_event *events, size_t count, bool wakes);

/* Rate, batches and rho from count >= 2 events in order of arrival, not all at one
 * time. */
void queue_estimate_arrivals(struct queue_estimates *estimates,
                             const struct queue_event *events, size_t count,
                             int64_t batch_gap_ns);

/* As inputs of the models; with service_ns >= 0, as if every service were that. */
struct queue_inputs queue_inputs_from(const struct queue_estimates *estimates,
                                      double gap_squared_cv, int64_t service_ns);

#endif
