/* One direction of a TCP connection: segments in any order to bytes in order, each with
 * the time at which it was delivered, that is, could first have reached the application.
 * The first copy of a byte wins; a byte is delivered at the running maximum of the
 * first-seen times of all bytes up to it.
 *
 * Sequence numbers are unwrapped to 64-bit offsets; offset 0 is the first byte behind the
 * SYN, or the first byte seen where there was no SYN. */
#ifndef TOKTRACE_REASSEMBLE_H
#define TOKTRACE_REASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/decode.h"
#include "record/held_segments.h"

/* Why bytes of a stream are unknown. */
enum gap_reason {
    GAP_LOST,    /* the peer acknowledged what was not captured */
    GAP_SNAPLEN, /* captured, but cut by the snap length */
    GAP_MEMORY,  /* the bytes behind the hole did not fit in the buffers any more */
};

/* Where the stream goes; called from the functions below only. */
struct reassembly_sink {
    void (*on_bytes)(void *context, const uint8_t *bytes, size_t len,
                     int64_t delivered_ns);
    void (*on_gap)(void *context, uint64_t len, enum gap_reason reason);
    void *context;
};

/* What was seen on the way; only ever grows. */
struct reassembly_counts {
    uint64_t retransmitted; /* segments with nothing new, or that filled a hole late */
    uint64_t reordered;     /* segments that filled a hole soon after it opened */
    uint64_t duplicates;    /* second copies of a packet from the tap itself */
    uint64_t mismatched;    /* segments that overlap earlier ones with other bytes */
    uint64_t keep_alives;
    uint64_t implausible;   /* segments too far from the stream to belong to it */
    uint64_t lost_gaps;     /* by reason */
    uint64_t snaplen_gaps;
    uint64_t memory_gaps;
    uint64_t gap_bytes;
};

enum { RECENT_SEGMENTS = 4 };

struct reassembly {
    struct reassembly_counts counts;
    uint64_t next;         /* offset of the next byte to deliver */
    uint64_t highest;      /* behind the highest byte seen */
    uint64_t acknowledged; /* by the peer */
    uint64_t fin;          /* offset of the end of the stream; UINT64_MAX before a FIN */
    uint64_t history_from; /* offset from which `history` is valid */
    int64_t acknowledged_ns; /* when the hole at `next` was acknowledged, if it was */
    int64_t hole_ns;         /* when the hole at `next` was first seen */
    int64_t delivered_ns;    /* of the byte before `next` */
    /* a hole filled sooner was reordering, later a retransmission: the RTT */
    int64_t reorder_ns;
    uint32_t first_seq;      /* sequence number of offset 0 */
    bool started;
    bool hole_acknowledged;
    struct held_segments held; /* all beyond `next` */
    uint8_t *history;          /* the last delivered bytes, a ring */
    struct {
        uint64_t offset;
        int64_t time_ns;
        uint32_t len;
    } recent[RECENT_SEGMENTS];
    unsigned recent_next;
};

/* Nothing seen yet. */
void reassembly_init(struct reassembly *reassembly);

/* Frees what is held, delivers nothing. */
void reassembly_release(struct reassembly *reassembly, struct reassembly_budget *budget);

/* Fixes offset 0; without it the first segment does. */
void reassembly_start(struct reassembly *reassembly, uint32_t first_seq);

/* Offset of a sequence number, relative to what was delivered last; negative before
 * offset 0. */
int64_t reassembly_offset(const struct reassembly *reassembly, uint32_t seq);

/* A segment in this direction, its FIN and data on SYN included. */
void reassembly_segment(struct reassembly *reassembly, const struct segment *segment,
                        struct reassembly_budget *budget,
                        const struct reassembly_sink *sink);

/* The peer acknowledged all bytes before `ack`. A hole there is capture loss, but only
 * once REASSEMBLY_GRACE_NS have passed: taps swap packets of the two directions. */
enum { REASSEMBLY_GRACE_NS = 10 * 1000 * 1000 };
void reassembly_acknowledge(struct reassembly *reassembly, uint32_t ack, int64_t time_ns);

/* Gives up holes whose grace is over at now_ns (INT64_MAX: all acknowledged ones). */
void reassembly_expire(struct reassembly *reassembly, int64_t now_ns,
                       struct reassembly_budget *budget,
                       const struct reassembly_sink *sink);

/* Gives up all holes, acknowledged or not: for a direction whose peer is not in the
 * capture. */
void reassembly_flush(struct reassembly *reassembly, struct reassembly_budget *budget,
                      const struct reassembly_sink *sink);

/* True once everything up to the FIN was delivered. */
bool reassembly_ended(const struct reassembly *reassembly);

#endif
