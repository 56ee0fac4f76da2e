/* The client as a queue: each worker's loop is one server, its events are the customers.
 * Estimates, models, tests of what they assume, and what other numbers of workers would
 * have done. */
#ifndef TOKTRACE_QUEUE_H
#define TOKTRACE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/arrival_tests.h"
#include "analyze/queue_estimates.h"
#include "analyze/queue_load.h"
#include "analyze/queue_waits.h"
#include "analyze/service_fit.h"

/* One end of the window of arrivals that count. */
struct queue_bound {
    bool given;
    bool is_share;
    double share;      /* of the time from the first to the last arrival */
    int64_t offset_ns; /* otherwise: after the first arrival */
};

enum { QUEUE_WHAT_IFS_MAX = 32, QUEUE_CAPACITIES = 3 };

/* Utilisations for which the capacity is told: 0.5, 0.8, 1. */
extern const double queue_capacity_rhos[QUEUE_CAPACITIES];

struct queue_settings {
    struct queue_bound from;
    struct queue_bound to;
    int64_t batch_gap_ns; /* or BATCH_GAP_AUTO */
    int64_t service_ns;   /* of a client to suppose, or LINDLEY_RECORDED: none */
    int64_t budget_ns;    /* for the p99 wait; below 0: 1 % of the median TPOT */
    uint32_t workers[QUEUE_WHAT_IFS_MAX]; /* numbers to try */
    size_t workers_count;
};

/* Of one worker. */
struct queue_worker {
    uint32_t worker;
    size_t events;              /* in the window */
    const char *problem;        /* why there is no more than this; NULL: there is */
    struct queue_service service; /* of the whole log */
    struct queue_estimates estimates;
    double busy_share;          /* as the loop says; NaN: it does not */
    struct arrival_tests arrivals;
    struct service_fit services;
    struct wait_figures observed;
    double without_setup_s;     /* observed mean, less the set-up */
    struct queue_model_set recorded; /* where `served` */
    struct queue_model_set supposed; /* where a service is supposed */
    double capacity_per_s[QUEUE_CAPACITIES];      /* events, by E[S] */
    double busy_capacity_per_s[QUEUE_CAPACITIES]; /* by what the loop was busy */
};

/* The run over so many workers; a request goes to worker (row mod workers). */
struct queue_what_if {
    uint32_t workers;
    double rho; /* of each, on average */
    struct wait_figures waits; /* set-up included where it is known */
};

/* All workers together. Means of models are over events: a worker counts by what it had
 * to do. */
struct queue_whole {
    size_t events;
    double span_s;
    struct estimate rate_per_s;
    double rho;  /* mean over workers without a problem, and the highest; NaN: none is */
    double rho_max;
    struct wait_figures observed;
    double without_setup_s;
    double mean_s[QUEUE_MODELS];
    double lindley_s;
    double lindley_setup_s;
};

/* Start from {0}. */
struct queue {
    const struct queue_data *data; /* borrowed */
    bool served;   /* services are in the log */
    bool supposed; /* a service was supposed */
    size_t outside; /* events outside the window */
    struct queue_worker *workers; /* owned; one per log */
    size_t worker_count;
    struct queue_whole whole;
    struct queue_what_if what_ifs[QUEUE_WHAT_IFS_MAX];
    size_t what_if_count;
    int64_t what_if_service_ns; /* or LINDLEY_RECORDED */
    double what_if_setup_s;     /* NaN: unknown, taken as 0 */
    double tpot_s;    /* median; NaN */
    double budget_s;  /* NaN: neither given nor derivable */
    uint32_t enough_workers; /* the fewest within the budget; 0: none up to the limit */
};

/* More are not tried in search of enough. */
enum { QUEUE_ENOUGH_MAX = 1024 };

/* Analyses the data, whose events it reorders. STATUS_USAGE when the window is empty by
 * its own terms. Release in any case. */
int queue_compute(struct queue *queue, struct queue_data *data,
                  const struct queue_settings *settings, struct fault *fault);

void queue_release(struct queue *queue);

/* Whether the worker could not keep up: rho >= 1, or busy nearly always. */
bool queue_worker_is_saturated(const struct queue_worker *worker);

#endif
