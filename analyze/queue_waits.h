/* Waits as they were, and as the models have them. Times in seconds. */
#ifndef TOKTRACE_QUEUE_WAITS_H
#define TOKTRACE_QUEUE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/block_means.h"
#include "analyze/histogram.h"
#include "analyze/queue_estimates.h"
#include "analyze/queue_events.h"
#include "analyze/queue_lattice.h"
#include "analyze/queue_models.h"
#include "analyze/setup_law.h"

enum { WAIT_P50, WAIT_P90, WAIT_P99, WAIT_PERCENTILES };

/* 0.5, 0.9, 0.99; "p50", "p90", "p99". */
extern const double wait_percentiles[WAIT_PERCENTILES];
extern const char *const wait_percentile_names[WAIT_PERCENTILES];

/* Percentiles within HISTOGRAM_RELATIVE_ERROR. */
struct wait_figures {
    struct estimate mean;
    struct estimate percentiles[WAIT_PERCENTILES];
};

extern const struct wait_figures wait_figures_unknown;

/* Of waits in ns; without intervals. Unknown when there is none. */
struct wait_figures wait_figures_of(const struct histogram *waits);

/* The waits of `count` >= 1 events in the order of service, set-up included, with
 * intervals from blocks; also added to `waits`. */
struct wait_figures wait_figures_observed(const struct queue_event *events, size_t count,
                                          struct histogram *waits);

/* Mean of max(0, D of the event before - A): the wait without set-up. */
double wait_mean_without_setup(const struct queue_event *events, size_t count);

/* All models of one worker, with its own services or one that is supposed. */
struct queue_model_set {
    int64_t service_ns; /* of all events, or LINDLEY_RECORDED */
    struct queue_inputs inputs;
    struct queue_predictions predictions;
    struct bracket mg1[WAIT_PERCENTILES]; /* NaN: no steady state, or off the lattice */
    struct wait_figures lindley;
    struct wait_figures lindley_setup; /* unknown without set-up */
};

/* Fills in Lindley's waits, without set-up (of a loop that never sleeps), and with
 * set-ups drawn from `setups`, unless that is empty. Recorded services want their events
 * in the order of service; a supposed service, which knows no such order, wants them in
 * the order of arrival. */
void queue_model_set_replay(struct queue_model_set *set, int64_t service_ns,
                            const struct setup_law *setups,
                            const struct queue_event *events, size_t count);

/* Fills in the rest, from the same events in any order. */
void queue_model_set_predict(struct queue_model_set *set,
                             const struct queue_estimates *estimates,
                             double gap_squared_cv, const struct queue_event *events,
                             size_t count);

#endif
