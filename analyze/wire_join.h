/* What the packets say of a client's requests: wire logs in memory, and each client
 * request found in them again by its connection's ports and its number on that
 * connection. */
#ifndef TOKTRACE_WIRE_JOIN_H
#define TOKTRACE_WIRE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

/* How times of the two logs were brought together. */
enum wire_clock_base {
    WIRE_CLOCK_NONE,      /* nothing was joined yet */
    WIRE_CLOCK_MONOTONIC, /* both logs know the monotonic clock of one boot */
    WIRE_CLOCK_WALL,      /* by the wall clock at their zeros */
};

struct wire_event {
    int64_t arrival_ns; /* on the wire log's clock; TIME_NONE: lost by the capture */
    uint8_t kind;
};

struct wire_request {
    int64_t sent_ns; /* of the last packet of the request; likewise below */
    int64_t headers_ns;
    int64_t end_ns;
    size_t first_event;
    size_t event_count;
    uint32_t log; /* index into logs */
    uint32_t connection_request;
    uint32_t min_rtt_us; /* SYN to SYN-ACK; COUNT_NONE */
    uint32_t flags;      /* enum request_flags */
    uint16_t local_port;
    uint16_t remote_port;
    uint8_t outcome;
    bool joined; /* for the caller to set */
};

/* Start from {0}. */
struct wire_join {
    struct arrivals_header *logs; /* owned */
    size_t log_count;
    size_t log_capacity;
    struct wire_request *requests; /* owned; sorted by wire_join_ready */
    size_t count;
    size_t capacity;
    struct wire_event *events; /* owned */
    size_t event_count;
    size_t event_capacity;
};

void wire_join_release(struct wire_join *join);

/* Adds a wire log. STATUS_USAGE when it is a log of something else. */
int wire_join_read(struct wire_join *join, const char *path, struct fault *fault);

/* To be called after the last log. */
void wire_join_ready(struct wire_join *join);

/* The wire's record of a client request, or NULL; *shift_ns added to its times gives the
 * client's run clock, and *base says how. Where ports came again, the one sent nearest in
 * time that is not marked as joined; never one sent more than WIRE_JOIN_APART_NS apart.
 */
#define WIRE_JOIN_APART_NS (INT64_C(2) * NS_PER_S)
struct wire_request *wire_join_find(const struct wire_join *join,
                                    const struct arrivals_header *client,
                                    const struct arrival_request *request,
                                    int64_t *shift_ns, enum wire_clock_base *base);

/* Fills times_ns[i] with when event i of the client's request was delivered, on the
 * client's clock: TIME_NONE where the capture lost it or the two disagree. Returns how
 * many events disagree in kind. */
size_t wire_join_times(const struct wire_join *join, const struct wire_request *wire,
                       int64_t shift_ns, const struct arrival_request *request,
                       int64_t *times_ns);

/* Memory that wire_join_apply keeps from one request to the next. Start from {0}. */
struct wire_scratch {
    int64_t *times_ns; /* owned */
    size_t capacity;
};

void wire_scratch_release(struct wire_scratch *scratch);

/* Puts the times by packets in place of the client's kernel stamps, for the events whose
 * packets are known: these then share no read with others. False when the request is not
 * on the wire. */
bool wire_join_apply(const struct wire_join *join, const struct arrivals_header *client,
                     struct arrival_request *request, struct wire_scratch *scratch);

#endif
