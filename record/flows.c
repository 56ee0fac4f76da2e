#include "record/flows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "formats/arrivals.h"
#include "formats/base/memory.h"

enum {
    CLOSED_MAX = 4096,        /* closed flows remembered, to know their late segments */
    LATE_SYN_BYTES = 1 << 20, /* how far data may overtake the SYN */
    NEAR_BYTES = 1 << 24,     /* a segment of the same connection is this near */
    KEEP_ALIVE_BYTES = 1,
};

/* Flows in the order of their last segment. */
struct flow_list {
    struct flow *oldest;
    struct flow *newest;
    size_t count;
};

struct flow_table {
    struct flow **buckets;
    size_t bucket_mask;
    uint64_t seed;
    struct flow_list open;
    struct flow_list closed;
    struct flow_limits limits;
    struct reassembly_budget budget;
    struct flow_handler handler;
    struct flow_counts counts;
    int64_t now_ns;
};

static void list_append(struct flow_list *list, struct flow *flow)
{
    flow->newer = NULL;
    flow->older = list->newest;
    if (list->newest)
        list->newest->newer = flow;
    else
        list->oldest = flow;
    list->newest = flow;
    list->count++;
}

static void list_remove(struct flow_list *list, struct flow *flow)
{
    if (flow->newer)
        flow->newer->older = flow->older;
    else
        list->newest = flow->older;
    if (flow->older)
        flow->older->newer = flow->newer;
    else
        list->oldest = flow->newer;
    list->count--;
}

static bool endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
    return a->port == b->port && memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t endpoint_hash(const struct endpoint *endpoint, uint64_t seed)
{
    uint64_t words[2];
    memcpy(words, endpoint->address, sizeof(words));
    return mix(mix(words[0] ^ seed) ^ words[1] ^ (uint64_t)endpoint->port << 48);
}

/* The same for both directions; seeded, so that nobody can choose ports that collide. */
static struct flow **bucket_of(struct flow_table *table, const struct endpoint *a,
                               const struct endpoint *b)
{
    uint64_t hash = endpoint_hash(a, table->seed) + endpoint_hash(b, table->seed);
    return &table->buckets[hash & table->bucket_mask];
}

/* The flow of a segment and the direction it goes, or NULL. */
static struct flow *find(struct flow_table *table, const struct segment *segment,
                         unsigned *direction)
{
    struct flow *flow = *bucket_of(table, &segment->from, &segment->to);
    for (; flow; flow = flow->bucket_next)
        for (unsigned d = 0; d < 2; d++)
            if (endpoint_equal(&flow->ends[d], &segment->from) &&
                endpoint_equal(&flow->ends[1 - d], &segment->to)) {
                *direction = d;
                return flow;
            }
    return NULL;
}

/* Takes a closed flow out of the table. */
static void forget(struct flow_table *table, struct flow *flow)
{
    struct flow **link = bucket_of(table, &flow->ends[0], &flow->ends[1]);
    while (*link != flow)
        link = &(*link)->bucket_next;
    *link = flow->bucket_next;
    list_remove(&table->closed, flow);
    free(flow);
}

/* Where the bytes of one direction go. */
struct direction_sink {
    struct flow_table *table;
    struct flow *flow;
    unsigned direction;
};

static void pass_bytes(void *context, const uint8_t *bytes, size_t len,
                       int64_t delivered_ns)
{
    const struct direction_sink *to = context;
    to->table->handler.on_bytes(to->table->handler.context, to->flow, to->direction,
                                bytes, len, delivered_ns);
}

static void pass_gap(void *context, uint64_t len, enum gap_reason reason)
{
    const struct direction_sink *to = context;
    to->table->handler.on_gap(to->table->handler.context, to->flow, to->direction, len,
                              reason);
}

static void tell_end(struct flow_table *table, struct flow *flow, unsigned direction)
{
    if (flow->end_told[direction] || !reassembly_ended(&flow->directions[direction]))
        return;
    flow->end_told[direction] = true;
    table->handler.on_end(table->handler.context, flow, direction, table->now_ns);
}

/* Gives up the holes of a direction that cannot be filled any more. */
static void finish_direction(struct flow_table *table, struct flow *flow,
                             unsigned direction)
{
    struct direction_sink to = { table, flow, direction };
    struct reassembly_sink sink = { pass_bytes, pass_gap, &to };
    reassembly_expire(&flow->directions[direction], INT64_MAX, &table->budget, &sink);
    if (!flow->directions[1 - direction].started)
        reassembly_flush(&flow->directions[direction], &table->budget, &sink);
    tell_end(table, flow, direction);
}

static void add_counts(struct reassembly_counts *sum,
                       const struct reassembly_counts *more)
{
    sum->retransmitted += more->retransmitted;
    sum->reordered += more->reordered;
    sum->duplicates += more->duplicates;
    sum->mismatched += more->mismatched;
    sum->keep_alives += more->keep_alives;
    sum->implausible += more->implausible;
    sum->lost_gaps += more->lost_gaps;
    sum->snaplen_gaps += more->snaplen_gaps;
    sum->memory_gaps += more->memory_gaps;
    sum->gap_bytes += more->gap_bytes;
}

/* Ends an open flow; it stays known among the closed ones for a while. */
static void close_flow(struct flow_table *table, struct flow *flow, enum flow_close how)
{
    for (unsigned d = 0; d < 2; d++)
        finish_direction(table, flow, d);
    table->handler.on_close(table->handler.context, flow, how, table->now_ns);
    for (unsigned d = 0; d < 2; d++) {
        add_counts(&table->counts.streams, &flow->directions[d].counts);
        reassembly_release(&flow->directions[d], &table->budget);
    }
    flow->closed = true;
    list_remove(&table->open, flow);
    list_append(&table->closed, flow);
    if (table->closed.count > CLOSED_MAX)
        forget(table, table->closed.oldest);
}

static struct flow *open_flow(struct flow_table *table, const struct segment *segment,
                              uint32_t generation)
{
    if (table->open.count >= table->limits.max_flows) {
        table->counts.dropped++;
        close_flow(table, table->open.oldest, FLOW_DROPPED);
    }
    struct flow *flow = memory_new(1, sizeof(*flow));
    flow->ends[0] = segment->from;
    flow->ends[1] = segment->to;
    flow->generation = generation;
    flow->client = flow->closed_by = -1;
    flow->syn_ns = flow->syn_ack_ns = flow->established_ns = TIME_NONE;
    for (unsigned d = 0; d < 2; d++)
        reassembly_init(&flow->directions[d]);
    struct flow **bucket = bucket_of(table, &flow->ends[0], &flow->ends[1]);
    flow->bucket_next = *bucket;
    *bucket = flow;
    list_append(&table->open, flow);
    table->counts.flows++;
    table->counts.reused += generation > 0;
    return flow;
}

/* True for a SYN of another connection than the flow's. */
static bool is_other_syn(const struct flow *flow, const struct reassembly *stream,
                         const struct segment *segment)
{
    if (!stream->started)
        return flow->closed;
    uint32_t first_seq = segment->seq + 1;
    if (stream->first_seq == first_seq)
        return false;
    int64_t offset = reassembly_offset(stream, first_seq);
    bool overtaken = !flow->syn_seen && offset < 0 && offset >= -LATE_SYN_BYTES;
    return flow->closed || !overtaken;
}

/* True when the segment belongs to a new connection on the ports of an old one. */
static bool starts_over(const struct flow *flow, unsigned direction,
                        const struct segment *segment)
{
    const struct reassembly *stream = &flow->directions[direction];
    if (segment->flags & SEGMENT_SYN)
        return is_other_syn(flow, stream, segment);
    if (!flow->closed || segment->payload_bytes <= KEEP_ALIVE_BYTES || !stream->started)
        return false;
    int64_t distance = reassembly_offset(stream, segment->seq) - (int64_t)stream->next;
    return distance < -NEAR_BYTES || distance > NEAR_BYTES;
}

/* Opens a flow only for what can begin one: other segments are the tail of something. */
static struct flow *flow_for(struct flow_table *table, const struct segment *segment,
                             unsigned *direction)
{
    struct flow *flow = find(table, segment, direction);
    uint32_t generation = 0;
    if (flow && starts_over(flow, *direction, segment)) {
        generation = flow->generation + 1;
        if (!flow->closed)
            close_flow(table, flow, FLOW_REPLACED);
        forget(table, flow);
        flow = NULL;
    }
    if (flow)
        return flow;
    bool begins = !(segment->flags & SEGMENT_RST) &&
                  (segment->flags & SEGMENT_SYN ||
                   segment->payload_bytes > KEEP_ALIVE_BYTES);
    *direction = 0;
    return begins ? open_flow(table, segment, generation) : NULL;
}

static void note_round_trip(struct flow *flow)
{
    int64_t round_trip_ns;
    if (__builtin_sub_overflow(flow->syn_ack_ns, flow->syn_ns, &round_trip_ns))
        return;
    for (unsigned d = 0; d < 2; d++)
        if (round_trip_ns > flow->directions[d].reorder_ns)
            flow->directions[d].reorder_ns = round_trip_ns;
}

static void note_handshake(struct flow *flow, unsigned direction,
                           const struct segment *segment)
{
    bool syn = segment->flags & SEGMENT_SYN;
    bool ack = segment->flags & SEGMENT_ACK;
    if (syn)
        flow->client = (int)(ack ? 1 - direction : direction);
    if (syn && !ack) {
        flow->syn_seen = true;
        if (flow->syn_ns == TIME_NONE)
            flow->syn_ns = segment->time_ns;
    } else if (syn && flow->syn_ack_ns == TIME_NONE) {
        flow->syn_ack_ns = segment->time_ns;
        if (flow->syn_ns != TIME_NONE)
            note_round_trip(flow);
    } else if (ack && (int)direction == flow->client && flow->syn_ack_ns != TIME_NONE &&
               flow->established_ns == TIME_NONE) {
        flow->established_ns = segment->time_ns;
    }
}

/* Resets far from the stream are forged or stale: receivers ignore them, and so do we. */
static bool is_plausible_reset(const struct reassembly *stream,
                               const struct segment *segment)
{
    if (!stream->started)
        return true;
    int64_t distance = reassembly_offset(stream, segment->seq) - (int64_t)stream->next;
    return distance >= -NEAR_BYTES && distance <= NEAR_BYTES;
}

static void reset_flow(struct flow_table *table, struct flow *flow, unsigned direction,
                       const struct segment *segment)
{
    struct reassembly *stream = &flow->directions[direction];
    if (!is_plausible_reset(stream, segment)) {
        stream->counts.implausible++;
        return;
    }
    if (flow->closed_by < 0)
        flow->closed_by = (int)direction;
    if (!stream->started && flow->syn_seen)
        table->counts.refused++;
    else
        table->counts.reset++;
    close_flow(table, flow, FLOW_RESET);
}

static void feed_flow(struct flow_table *table, struct flow *flow, unsigned direction,
                      const struct segment *segment)
{
    struct direction_sink to[2] = { { table, flow, 0 }, { table, flow, 1 } };
    struct reassembly_sink sinks[2] = { { pass_bytes, pass_gap, &to[0] },
                                        { pass_bytes, pass_gap, &to[1] } };
    if (segment->flags & SEGMENT_ACK)
        reassembly_acknowledge(&flow->directions[1 - direction], segment->ack,
                               segment->time_ns);
    for (unsigned d = 0; d < 2; d++)
        reassembly_expire(&flow->directions[d], segment->time_ns, &table->budget,
                          &sinks[d]);
    reassembly_segment(&flow->directions[direction], segment, &table->budget,
                       &sinks[direction]);
    for (unsigned d = 0; d < 2; d++)
        tell_end(table, flow, d);
}

void flow_table_segment(struct flow_table *table, const struct segment *segment)
{
    unsigned direction;
    table->now_ns = segment->time_ns;
    struct flow *flow = flow_for(table, segment, &direction);
    if (!flow || flow->closed) {
        table->counts.stray++;
        return;
    }
    list_remove(&table->open, flow);
    list_append(&table->open, flow);
    if (segment->flags & SEGMENT_RST) {
        reset_flow(table, flow, direction, segment);
        return;
    }
    note_handshake(flow, direction, segment);
    if (segment->flags & SEGMENT_FIN && flow->closed_by < 0)
        flow->closed_by = (int)direction;
    feed_flow(table, flow, direction, segment);
    if (flow->end_told[0] && flow->end_told[1])
        close_flow(table, flow, FLOW_FINISHED);
}

struct flow_table *flow_table_create(const struct flow_limits *limits,
                                     const struct flow_handler *handler)
{
    size_t buckets = 1024;
    while (buckets < limits->max_flows && buckets < (size_t)1 << 24)
        buckets *= 2;
    struct flow_table *table = memory_new(1, sizeof(*table));
    table->buckets = memory_new(buckets, sizeof(*table->buckets));
    table->bucket_mask = buckets - 1;
    table->limits = *limits;
    table->budget.limit = limits->max_buffer;
    table->handler = *handler;
    if (getrandom(&table->seed, sizeof(table->seed), GRND_NONBLOCK) < 0)
        table->seed = (uint64_t)(uintptr_t)table;
    return table;
}

void flow_table_finish(struct flow_table *table)
{
    while (table->open.oldest)
        close_flow(table, table->open.oldest, FLOW_CAPTURE_OVER);
}

void flow_table_free(struct flow_table *table)
{
    if (!table)
        return;
    flow_table_finish(table);
    while (table->closed.oldest)
        forget(table, table->closed.oldest);
    free(table->buckets);
    free(table);
}

const struct flow_counts *flow_table_counts(const struct flow_table *table)
{
    return &table->counts;
}
