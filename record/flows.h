/* TCP connections from segments: a flow is a 4-tuple and its generation, since ports come
 * again. Keeps the state of open flows only; bytes go on to a handler, in order and with
 * their delivery times. */
#ifndef TOKTRACE_FLOWS_H
#define TOKTRACE_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/decode.h"
#include "record/reassemble.h"

enum flow_close {
    FLOW_FINISHED,     /* FIN in both directions */
    FLOW_RESET,        /* RST; flow->closed_by sent it */
    FLOW_REPLACED,     /* the ports were used again */
    FLOW_DROPPED,      /* the oldest, dropped because there were too many */
    FLOW_CAPTURE_OVER, /* still open at the end */
};

struct flow {
    struct endpoint ends[2]; /* direction d is sent by ends[d] */
    struct reassembly directions[2];
    uint32_t generation; /* from 0 */
    /* index of the end that opened the connection; -1 unknown: the handler may set it */
    int client;
    int closed_by;   /* index of the end that sent the first FIN or an RST; -1 */
    bool syn_seen;
    bool closed;
    bool end_told[2];
    int64_t syn_ns; /* TIME_NONE where not captured; likewise below */
    int64_t syn_ack_ns;
    int64_t established_ns; /* the client's first ACK after that */
    void *connection; /* of the handler, which frees it in on_close; NULL at first */

    struct flow *bucket_next; /* of the table */
    struct flow *newer;
    struct flow *older;
};

/* Called in the order of the stream. */
struct flow_handler {
    void (*on_bytes)(void *context, struct flow *flow, unsigned direction,
                     const uint8_t *bytes, size_t len, int64_t delivered_ns);
    void (*on_gap)(void *context, struct flow *flow, unsigned direction, uint64_t len,
                   enum gap_reason reason);
    /* the direction was closed with a FIN, and all its bytes were delivered */
    void (*on_end)(void *context, struct flow *flow, unsigned direction, int64_t time_ns);
    /* nothing will follow for this flow */
    void (*on_close)(void *context, struct flow *flow, enum flow_close how,
                     int64_t time_ns);
    void *context;
};

struct flow_counts {
    uint64_t flows;
    uint64_t dropped;  /* open flows beyond max_flows */
    uint64_t refused;  /* RST instead of SYN-ACK */
    uint64_t reset;
    uint64_t reused;   /* new generations of a 4-tuple */
    uint64_t stray;    /* segments without a flow: mostly of closed ones */
    struct reassembly_counts streams; /* of closed flows; all after flow_table_finish */
};

struct flow_table; /* opaque */

struct flow_limits {
    size_t max_flows;   /* open at a time */
    size_t max_buffer;  /* bytes held behind holes, all flows together */
};

struct flow_table *flow_table_create(const struct flow_limits *limits,
                                     const struct flow_handler *handler);

/* Finishes first where that was not done. NULL is allowed. */
void flow_table_free(struct flow_table *table);

void flow_table_segment(struct flow_table *table, const struct segment *segment);

/* The capture is over: closes all flows, oldest first. */
void flow_table_finish(struct flow_table *table);

const struct flow_counts *flow_table_counts(const struct flow_table *table);

#endif
