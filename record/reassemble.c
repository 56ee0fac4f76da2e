#include "record/reassemble.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

enum {
    HISTORY_BYTES = 1024,       /* a power of 2 */
    /* segments behind a hole, per direction: keeps insertion cheap */
    HELD_MAX = 4096,
    DUPLICATE_NS = 20 * 1000,   /* no sender retransmits faster */
    REORDER_NS = 3 * 1000 * 1000,
    PLAUSIBLE_BYTES = 1 << 30, /* the largest window that TCP can offer */
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void reassembly_init(struct reassembly *reassembly)
{
    *reassembly = (struct reassembly){
        .fin = UINT64_MAX,
        .delivered_ns = INT64_MIN,
        .reorder_ns = REORDER_NS,
    };
}

void reassembly_release(struct reassembly *reassembly, struct reassembly_budget *budget)
{
    while (reassembly->held.first)
        held_segments_remove_first(&reassembly->held, budget);
    free(reassembly->history);
    reassembly->history = NULL;
}

void reassembly_start(struct reassembly *reassembly, uint32_t first_seq)
{
    reassembly->started = true;
    reassembly->first_seq = first_seq;
}

int64_t reassembly_offset(const struct reassembly *reassembly, uint32_t seq)
{
    uint32_t next_seq = reassembly->first_seq + (uint32_t)reassembly->next;
    return (int64_t)reassembly->next + (int32_t)(seq - next_seq);
}

bool reassembly_ended(const struct reassembly *reassembly)
{
    return reassembly->next >= reassembly->fin;
}

static void remember(struct reassembly *reassembly, const struct piece *piece)
{
    if (!reassembly->history)
        reassembly->history = memory_new(1, HISTORY_BYTES);
    struct piece rest = *piece;
    if (rest.captured > HISTORY_BYTES)
        piece_advance(&rest, rest.captured - HISTORY_BYTES);
    size_t at = rest.offset % HISTORY_BYTES;
    size_t first = HISTORY_BYTES - at < rest.captured ? HISTORY_BYTES - at
                                                      : rest.captured;
    memcpy(reassembly->history + at, rest.bytes, first);
    memcpy(reassembly->history, rest.bytes + first, rest.captured - first);
}

/* True when captured bytes of the piece before `next` differ from those delivered, as far
 * as they are remembered. */
static bool differs_from_history(const struct reassembly *reassembly,
                                 const struct piece *piece)
{
    uint64_t oldest = reassembly->next > HISTORY_BYTES ? reassembly->next - HISTORY_BYTES
                                                       : 0;
    uint64_t from = max_u64(piece->offset, max_u64(oldest, reassembly->history_from));
    uint64_t to = min_u64(piece->offset + piece->captured, reassembly->next);
    for (uint64_t at = from; at < to; at++)
        if (reassembly->history[at % HISTORY_BYTES] != piece->bytes[at - piece->offset])
            return true;
    return false;
}

/* Delivers a piece that starts at `next`. */
static void deliver(struct reassembly *reassembly, const struct piece *piece,
                    const struct reassembly_sink *sink)
{
    if (piece->time_ns > reassembly->delivered_ns)
        reassembly->delivered_ns = piece->time_ns;
    reassembly->next = piece_end(piece);
    if (piece->captured) {
        remember(reassembly, piece);
        sink->on_bytes(sink->context, piece->bytes, piece->captured,
                       reassembly->delivered_ns);
    }
    uint32_t cut = piece->len - piece->captured;
    if (cut) {
        reassembly->history_from = reassembly->next;
        reassembly->counts.snaplen_gaps++;
        reassembly->counts.gap_bytes += cut;
        sink->on_gap(sink->context, cut, GAP_SNAPLEN);
    }
}

/* Delivers held segments that have become next, and notes whether an acknowledged hole
 * remains. */
static void drain(struct reassembly *reassembly, struct reassembly_budget *budget,
                  const struct reassembly_sink *sink)
{
    bool moved = false;
    struct piece first;
    while (held_segments_first(&reassembly->held, &first) &&
           first.offset == reassembly->next) {
        deliver(reassembly, &first, sink);
        held_segments_remove_first(&reassembly->held, budget);
        moved = true;
    }
    if (reassembly->acknowledged <= reassembly->next)
        reassembly->hole_acknowledged = false;
    if (moved && held_segments_first(&reassembly->held, &first))
        reassembly->hole_ns = first.time_ns;
}

/* Gives up the bytes from `next` to `to`. */
static void skip_to(struct reassembly *reassembly, uint64_t to, enum gap_reason reason,
                    struct reassembly_budget *budget, const struct reassembly_sink *sink)
{
    uint64_t len = to - reassembly->next;
    reassembly->next = to;
    reassembly->history_from = to;
    if (reassembly->highest < to)
        reassembly->highest = to;
    if (reason == GAP_LOST)
        reassembly->counts.lost_gaps++;
    else
        reassembly->counts.memory_gaps++;
    reassembly->counts.gap_bytes += len;
    sink->on_gap(sink->context, len, reason);
    drain(reassembly, budget, sink);
}

/* A second copy of a packet that the tap itself made (loopback, "any", bridges). */
static bool is_tap_duplicate(struct reassembly *reassembly, const struct piece *piece)
{
    for (unsigned i = 0; i < RECENT_SEGMENTS; i++) {
        int64_t since;
        if (reassembly->recent[i].len == piece->len &&
            reassembly->recent[i].offset == piece->offset &&
            !__builtin_sub_overflow(piece->time_ns, reassembly->recent[i].time_ns,
                                    &since) &&
            since >= -DUPLICATE_NS && since <= DUPLICATE_NS)
            return true;
    }
    unsigned slot = reassembly->recent_next++ % RECENT_SEGMENTS;
    reassembly->recent[slot].offset = piece->offset;
    reassembly->recent[slot].time_ns = piece->time_ns;
    reassembly->recent[slot].len = piece->len;
    return false;
}

/* One byte, or none, just before what was acknowledged last. */
static bool is_keep_alive(const struct reassembly *reassembly,
                          const struct segment *segment, int64_t offset)
{
    return segment->payload_bytes <= 1 &&
           !(segment->flags & (SEGMENT_SYN | SEGMENT_FIN | SEGMENT_RST)) &&
           reassembly->next > 0 && offset == (int64_t)reassembly->next - 1 &&
           reassembly->acknowledged >= reassembly->next && !reassembly->held.first;
}

/* Something new below the highest byte seen: swapped on the way, or sent again. */
static void count_late(struct reassembly *reassembly, int64_t time_ns)
{
    int64_t since;
    if (__builtin_sub_overflow(time_ns, reassembly->hole_ns, &since) ||
        since > reassembly->reorder_ns)
        reassembly->counts.retransmitted++;
    else
        reassembly->counts.reordered++;
}

/* Makes room by giving up holes when the piece would exceed the budget. (A piece that is
 * split by held ones may then exceed it by a few headers; the next one pays.) */
static void keep_within_budget(struct reassembly *reassembly, const struct piece *piece,
                               struct reassembly_budget *budget,
                               const struct reassembly_sink *sink)
{
    size_t needed = held_segments_cost(piece);
    struct piece first;
    while (held_segments_first(&reassembly->held, &first) &&
           (budget->used + needed > budget->limit || reassembly->held.count >= HELD_MAX))
        skip_to(reassembly, first.offset, GAP_MEMORY, budget, sink);
    if (piece->offset > reassembly->next && budget->used + needed > budget->limit)
        skip_to(reassembly, piece->offset, GAP_MEMORY, budget, sink);
}

static void add_new_bytes(struct reassembly *reassembly, struct piece piece,
                          bool *mismatch, struct reassembly_budget *budget,
                          const struct reassembly_sink *sink)
{
    bool late = piece.offset < reassembly->highest;
    if (piece.offset > reassembly->next)
        keep_within_budget(reassembly, &piece, budget, sink);
    if (piece_end(&piece) <= reassembly->next)
        return;
    if (piece.offset < reassembly->next)
        piece_advance(&piece, reassembly->next - piece.offset);
    if (!reassembly->held.first && piece.offset > reassembly->next)
        reassembly->hole_ns = piece.time_ns;
    if (reassembly->highest < piece_end(&piece))
        reassembly->highest = piece_end(&piece);
    bool known = false;
    if (!reassembly->held.first && piece.offset == reassembly->next)
        deliver(reassembly, &piece, sink);
    else
        known = held_segments_insert(&reassembly->held, piece, mismatch, budget);
    if (known)
        reassembly->counts.retransmitted++;
    else if (late)
        count_late(reassembly, piece.time_ns);
    drain(reassembly, budget, sink);
}

static void add_payload(struct reassembly *reassembly, struct piece piece,
                        struct reassembly_budget *budget,
                        const struct reassembly_sink *sink)
{
    if (is_tap_duplicate(reassembly, &piece)) {
        reassembly->counts.duplicates++;
        return;
    }
    bool mismatch = piece.offset < reassembly->next &&
                    differs_from_history(reassembly, &piece);
    if (piece_end(&piece) <= reassembly->next) {
        reassembly->counts.retransmitted++;
    } else {
        if (piece.offset < reassembly->next)
            piece_advance(&piece, reassembly->next - piece.offset);
        add_new_bytes(reassembly, piece, &mismatch, budget, sink);
    }
    reassembly->counts.mismatched += mismatch;
}

void reassembly_segment(struct reassembly *reassembly, const struct segment *segment,
                        struct reassembly_budget *budget,
                        const struct reassembly_sink *sink)
{
    uint32_t seq = segment->seq + (segment->flags & SEGMENT_SYN ? 1 : 0);
    if (!reassembly->started)
        reassembly_start(reassembly, seq);
    int64_t offset = reassembly_offset(reassembly, seq);
    int64_t end = offset + segment->payload_bytes;
    if (is_keep_alive(reassembly, segment, offset)) {
        reassembly->counts.keep_alives++;
        return;
    }
    if (offset - (int64_t)reassembly->next > PLAUSIBLE_BYTES) {
        reassembly->counts.implausible++;
        return;
    }
    struct piece piece = { (uint64_t)offset, segment->time_ns, segment->payload,
                           segment->payload_bytes, segment->captured_bytes };
    if (offset < 0 && end > 0) {
        piece.offset = 0;
        piece.len = (uint32_t)end;
        uint32_t cut = segment->payload_bytes - piece.len;
        piece.captured = piece.captured > cut ? piece.captured - cut : 0;
        piece.bytes += segment->captured_bytes - piece.captured;
    }
    if (segment->payload_bytes && end > 0)
        add_payload(reassembly, piece, budget, sink);
    if (segment->flags & SEGMENT_FIN && reassembly->fin == UINT64_MAX &&
        end >= (int64_t)reassembly->next)
        reassembly->fin = (uint64_t)end;
}

void reassembly_acknowledge(struct reassembly *reassembly, uint32_t ack, int64_t time_ns)
{
    if (!reassembly->started)
        return;
    int64_t offset = reassembly_offset(reassembly, ack);
    if (offset <= (int64_t)reassembly->acknowledged ||
        offset - (int64_t)reassembly->next > PLAUSIBLE_BYTES)
        return;
    reassembly->acknowledged = (uint64_t)offset;
    if (reassembly->acknowledged > reassembly->next && !reassembly->hole_acknowledged) {
        reassembly->hole_acknowledged = true;
        reassembly->acknowledged_ns = time_ns;
    }
}

/* The end of the hole at `next` that the peer acknowledged; `next` where there is none.
 * An acknowledged FIN is one beyond the last byte. */
static uint64_t acknowledged_hole_end(const struct reassembly *reassembly)
{
    uint64_t end = min_u64(reassembly->acknowledged, reassembly->fin);
    struct piece first;
    if (held_segments_first(&reassembly->held, &first))
        end = min_u64(end, first.offset);
    return max_u64(end, reassembly->next);
}

void reassembly_expire(struct reassembly *reassembly, int64_t now_ns,
                       struct reassembly_budget *budget,
                       const struct reassembly_sink *sink)
{
    int64_t waited;
    if (!reassembly->hole_acknowledged)
        return;
    if (now_ns != INT64_MAX &&
        (__builtin_sub_overflow(now_ns, reassembly->acknowledged_ns, &waited) ||
         waited < REASSEMBLY_GRACE_NS))
        return;
    for (;;) {
        uint64_t end = acknowledged_hole_end(reassembly);
        if (end == reassembly->next)
            break;
        skip_to(reassembly, end, GAP_LOST, budget, sink);
    }
}

void reassembly_flush(struct reassembly *reassembly, struct reassembly_budget *budget,
                      const struct reassembly_sink *sink)
{
    struct piece first;
    while (held_segments_first(&reassembly->held, &first))
        skip_to(reassembly, first.offset, GAP_LOST, budget, sink);
}
