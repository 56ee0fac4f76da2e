/* The events of all logs of a load, in memory, and what the loops said of themselves. */
#ifndef TOKTRACE_QUEUE_LOAD_H
#define TOKTRACE_QUEUE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/load.h"
#include "analyze/queue_events.h"
#include "formats/base/terminal.h"

/* More events than this are refused (STATUS_LIMIT): 32 GiB of them. */
#define QUEUE_EVENTS_MAX ((size_t)1 << 30)

/* Of one log: one worker. */
struct queue_log {
    uint32_t worker;
    size_t first; /* its events in the data's array */
    size_t count;
    uint64_t events;       /* in the log, of any kind */
    uint64_t no_arrival;   /* of these left out: no arrival is known */
    uint64_t no_app;       /* arrival known, but not when the client had it */
    uint64_t shared_reads; /* came out of a read with others: arrival not exact */
    struct loop_record *loops; /* owned */
    size_t loop_count;
    size_t loop_capacity;
};

/* Start from {0}. */
struct queue_data {
    struct queue_event *events; /* owned; log after log */
    size_t count;
    size_t capacity;
    struct queue_log *logs; /* owned; one per log of the load */
    size_t log_count;
    bool served; /* the logs have app times */
    double *tpot_s; /* owned; of requests that succeeded and have one, by arrival */
    size_t tpot_count;
    size_t tpot_capacity;
    uint64_t client_resource; /* requests that failed for want of descriptors or ports */
    uint64_t requests;
    struct load_packets packets; /* where arrivals are those of packets */
};

/* Reads all logs. Events of a client's log that lack an app time are left out and
 * counted; logs of arrivals alone are taken as they are. Release in any case. */
int queue_load(struct queue_data *data, struct load *load, struct progress *progress,
               struct fault *fault);

void queue_data_release(struct queue_data *data);

/* Time of [from_ns, to_ns] that loop records of a log cover, and how much of it the loop
 * was busy. A record counts where its middle lies inside. */
void queue_busy_time(const struct queue_log *log, int64_t from_ns, int64_t to_ns,
                     double *covered_s, double *busy_s);

#endif
