/* The loop of a worker: sends what is due, hands ready sockets to the transfers, keeps
 * the log. One thread, no lock, no allocation per token. */
#ifndef TOKTRACE_WORKER_LOOP_H
#define TOKTRACE_WORKER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/arrivals_writer.h"
#include "formats/base/fault.h"
#include "replay/body_queue.h"
#include "replay/schedule.h"
#include "replay/transfers.h"
#include "replay/worker.h"

/* epoll data of the descriptors that are no sockets; those of sockets are below 2^63 as
 * fd and generation are never both all ones. */
#define WAKE_DATA UINT64_MAX
#define TIMER_DATA (UINT64_MAX - 1)
#define SIGNAL_DATA (UINT64_MAX - 2)

/* What the loop did since the last loop record. */
struct span {
    int64_t from_ns;
    int64_t busy_ns;
    int64_t longest_ns;
    uint64_t iterations;
    uint64_t reads_before;
    int64_t held_before_ns;
    uint64_t events;
    uint64_t waited_before_ns;
};

struct worker {
    const struct worker_setup *setup;
    struct worker_counters *counters;
    struct schedule *schedule;
    struct body_queue *bodies;
    struct transfers *transfers;
    struct arrivals_writer *log;
    int epoll_fd;
    int timer_fd;
    int signal_fd;
    int64_t t0_ns;
    /* when worker_send_due has something to start; INT64_MAX: not known */
    int64_t next_due_ns;
    int64_t armed_ns;   /* what the timer is set to; INT64_MAX: not set */
    int64_t stop_at_ns; /* when open streams are cut off after a stop; INT64_MAX: never */
    unsigned next_upload;
    /* sockets that may have been ready at look_from_ns and that no wait since gave */
    size_t unseen;
    int64_t look_from_ns;
    bool stopping;      /* nothing more is sent */
    bool abort;
    bool interrupted;
    struct span span;
    uint64_t requests_logged;
    uint64_t events_logged;
};

/* Runs from T0 until the share is done or the run is stopped; cancels what is open,
 * writes records of what was not sent, closes the log. The status of the log. */
int worker_loop(struct worker *worker, struct fault *fault);

/* For the log's finished requests: the callback of transfers; context is the worker. */
void worker_on_finished(void *context, struct transfer *transfer);

/* Asks for the bodies of the requests that come next. */
void worker_ask_bodies(struct worker *worker);

#endif
