/* HTTP requests in flight in one worker: libcurl's multi_socket interface in several
 * lanes, every event of every answer stamped. Nothing here blocks, and nothing allocates
 * per token. */
#ifndef TOKTRACE_TRANSFERS_H
#define TOKTRACE_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <curl/curl.h>

#include "formats/answer.h"
#include "formats/arrivals.h"
#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "replay/client_cost.h"
#include "replay/event_pool.h"
#include "replay/target.h"

/* One request from its start to its record. */
struct transfer {
    struct arrival_request record; /* record.events is filled in by the end only */
    struct answer answer;
    struct event_chain events;
    size_t index;        /* of the plan */
    struct buffer *body; /* borrowed from the caller until the request is finished */

    CURL *easy; /* owned, used again and again */
    struct transfers *owner;
    uint16_t lane;
    int fd;           /* its socket; -1: none yet, or closed */
    uint16_t local_port;
    bool settled;     /* counted on its connection */
    bool no_resource; /* the socket could not be made for want of descriptors */
    bool connected;   /* this try got a connection that could take a request */
    bool head_seen;   /* the first response byte came */
    bool sent_whole;  /* all of the request went out on this connection */
    bool redirects;   /* the head at hand has a Location */
    bool waits;       /* for its next try: in by_retry instead of by_activity */
    bool lingers;     /* the answer is over, its connection not yet */
    uint64_t body_sent;
    int64_t retry_after_ns; /* what the answer asked for; 0: nothing */
    int64_t retry_at_ns;    /* when it is tried again; run clock */
    int64_t over_ns;        /* when the answer was over by its own words; run clock */
    int64_t active_ns;      /* last time bytes came; run clock */
    int64_t released_ns;    /* when its place was free again; run clock */
    TAILQ_ENTRY(transfer) by_start;
    TAILQ_ENTRY(transfer) by_activity;
    TAILQ_ENTRY(transfer) by_linger;
    TAILQ_ENTRY(transfer) by_retry;
    struct transfer *next_free;
};

struct transfers; /* opaque */

/* Called when a request is over, its record complete, its events borrowed for the call.
 * The transfer and its body are the caller's again: it gives the body back where it came
 * from. */
typedef void transfer_finished_fn(void *context, struct transfer *transfer);

struct transfers_options {
    const struct target *target; /* borrowed */
    int epoll_fd;                /* sockets are registered here */
    unsigned lanes;
    size_t descriptors;      /* of the process: RLIMIT_NOFILE */
    uint64_t planned_events; /* room for events taken at the start */
    struct client_cost cost; /* per token event; mean 0: a client as fast as it is */
    int64_t timeout_ns;      /* of a request in all; 0: none */
    int64_t idle_timeout_ns; /* without a byte either way; 0: none */
    uint32_t retries;        /* tries more, after what asks for them */
    transfer_finished_fn *on_finished;
    void *context;
};

int transfers_create(struct transfers **transfers,
                     const struct transfers_options *options, struct fault *fault);

/* Drops what is open without records. NULL is allowed. */
void transfers_free(struct transfers *transfers);

/* Sets the zero of the run clock, monotonic ns. Before, it is the clock's own. */
void transfers_set_t0(struct transfers *transfers, int64_t t0_ns);

/* The longest time before it is due that a request is started. */
enum { PREPARE_MAX_NS = 60 * 1000 };

/* How long before its due time a request should be started, in ns, so that all but the
 * writing of it is done by then: as long as that has taken of late, at most
 * PREPARE_MAX_NS. */
int64_t transfers_prepare_ns(const struct transfers *transfers);

/* Starts request `index` of the plan: `planned` has its row, due time, planned tokens and
 * session, and is otherwise as arrival_request_init leaves it. now_ns: run clock. Up
 * to PREPARE_MAX_NS before the due time: it prepares all, waits, and writes the request
 * when it is due. */
void transfers_start(struct transfers *transfers, const struct arrival_request *planned,
                     size_t index, struct buffer *body, int64_t now_ns);

/* Time spent so far in waiting for due times, with nothing done; ns. */
int64_t transfers_held_ns(const struct transfers *transfers);

/* What epoll said of a socket that transfers registered: its data and events. */
struct ready_socket {
    uint64_t data;
    uint32_t events;
};
void transfers_ready(struct transfers *transfers, struct ready_socket ready);

/* Whether a socket that can be written to is in the midst of a request: then only the
 * rest of its body waits. */
bool transfers_is_upload(const struct transfers *transfers, uint64_t data);

/* The loop woke: what follows belongs to this wake-up. Both on the run clock. Refreshes
 * the mapping of kernel stamps; returns the step of the wall clock in ns, 0 as a rule. */
int64_t transfers_woke(struct transfers *transfers, int64_t slept_at_ns, int64_t woke_ns);

/* Runs libcurl's timers that are due. */
void transfers_run_timers(struct transfers *transfers, int64_t now_ns);

/* Ends what ran out of time, and starts next tries. Call it when no socket that is ready
 * waits to be looked at: after a stall of this process, what a server sent in time may
 * still lie there. */
void transfers_expire(struct transfers *transfers, int64_t now_ns);

/* When one of the two has something to do next; INT64_MAX: nothing waits. Run clock. */
int64_t transfers_next_deadline(const struct transfers *transfers);

/* Requests in flight. */
size_t transfers_open(const struct transfers *transfers);

/* Reads that brought events, so far. */
uint64_t transfers_reads(const struct transfers *transfers);

/* Ends all open requests with OUTCOME_CANCELLED, each with its record. */
void transfers_cancel(struct transfers *transfers);

#endif
