/* Private to transfers.c, the transfer_*.c and lanes.c: what they share of one worker's
 * requests. */
#ifndef TOKTRACE_TRANSFERS_STATE_H
#define TOKTRACE_TRANSFERS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/connections.h"
#include "replay/receive_stamp.h"
#include "replay/transfers.h"

/* One multi handle: with thousands of open streams libcurl's search for a free connection
 * is linear, so the streams are spread over several. */
struct lane {
    CURLM *multi;
    struct transfers *owner;
    int64_t deadline_ns; /* run clock; INT64_MAX: no timer */
    uint16_t number;
};

/* The read that is being handed to libcurl, and the wake-up that it belongs to. */
struct read_context {
    int fd;              /* -1: no read */
    uint32_t generation; /* of the connection */
    bool ahead;          /* looked at, not yet read */
    size_t waiting;      /* bytes, PEEK_BYTES_MAX at most */
    /* of its first packet and of its last; run clock; TIME_NONE: the kernel gave none */
    int64_t arrival_ns;
    int64_t last_arrival_ns;
    int64_t woke_ns;    /* run clock */
    int64_t slept_at_ns;
    bool after_sleep; /* no event since the loop woke from a sleep */
    size_t events;    /* of this read */
    struct arrival_event *first_event;
};

TAILQ_HEAD(transfer_list, transfer);

struct transfers {
    struct transfers_options options;
    int64_t t0_ns;      /* monotonic: zero of the run clock */
    struct lane *lanes; /* owned, options.lanes of them */
    CURLSH *share;      /* names are resolved once for all lanes */
    unsigned next_turn; /* of lanes and source addresses */
    struct connections connections;
    struct stamp_clock stamps;
    struct read_context read;
    struct event_pool events;
    /* owned; a finished request's events in one piece */
    struct arrival_event *finished_events;
    size_t finished_capacity;
    struct transfer *free_transfers;
    struct transfer **slabs; /* owned */
    size_t slab_count;
    size_t slab_capacity;
    struct transfer_list by_start;    /* all that are open */
    struct transfer_list by_activity; /* but for the next; least recently active first */
    struct transfer_list by_retry;    /* those that wait for a next try; earliest first */
    struct transfer_list by_linger;   /* those whose answer is over */
    struct transfer *launching; /* that libcurl starts right now; NULL: none */
    size_t open;
    uint64_t reads;
    int64_t prepare_ns; /* from a start to a request that can be written, of late */
    int64_t held_ns;    /* spent in waiting for due times */
};

/* Monotonic time on the run clock. */
int64_t transfers_now(const struct transfers *transfers);

/* Sets callbacks and fixed options on a new easy handle. */
void transfer_callbacks_set(struct transfer *transfer);

/* No more bytes will come: judges the answer, and logs what its end completed. */
void transfer_answer_finish(struct transfer *transfer, enum body_end end);

/* Takes note of what the kernel counted for this request on its connection; once per
 * connection used. */
void transfer_settle(struct transfer *transfer);

/* The transfer is no longer, or never was, on the connection of its socket: a redirect, a
 * dead connection, or another address of the server took its place. */
void transfer_leave_connection(struct transfer *transfer);

/* Looks at what the next read of a socket will bring: when it arrived. */
void read_look(struct transfers *transfers, int fd);

/* What follows belongs to no read. */
void read_end(struct transfers *transfers);

/* From now on, each read of libcurl in this thread is looked at before; NULL: of none. */
void reads_watch(struct transfers *transfers);

int lanes_init(struct transfers *transfers, struct fault *fault);
void lanes_release(struct transfers *transfers);

/* Lets libcurl act on a socket (CURL_SOCKET_TIMEOUT: on its timers), then ends what it
 * finished. */
void lane_act(struct lane *lane, curl_socket_t fd, int events);

/* Starts or starts again what is prepared: takes a turn of the lanes and the source
 * addresses. */
void transfer_launch(struct transfer *transfer);

/* Takes the transfer from libcurl and from its connection. */
void transfer_detach(struct transfer *transfer);

/* Hands the record over and takes the transfer back; released_ns is set. */
void transfer_finish(struct transfer *transfer, enum outcome outcome, int64_t end_ns);

/* Puts a try that failed in this way off to a next one; false when it may not have one.
 */
bool transfer_retry(struct transfer *transfer, enum outcome outcome);

/* Ends a transfer that libcurl finished with `code`. */
void transfer_completed(struct transfer *transfer, CURLcode code);

#endif
