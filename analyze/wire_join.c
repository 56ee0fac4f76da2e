#include "analyze/wire_join.h"

#include <stdlib.h>
#include <string.h>

#include "formats/arrivals_reader.h"
#include "formats/base/memory.h"

void wire_join_release(struct wire_join *join)
{
    free(join->logs);
    free(join->requests);
    free(join->events);
    *join = (struct wire_join){ 0 };
}

static void add_events(struct wire_join *join, const struct arrival_request *request)
{
    for (size_t i = 0; i < request->event_count; i++) {
        const struct arrival_event *event = &request->events[i];
        join->events = memory_grow(join->events, join->event_count, &join->event_capacity,
                                   sizeof *join->events);
        join->events[join->event_count++] = (struct wire_event){
            .arrival_ns = event->arrival_ns,
            .kind = event->kind,
        };
    }
}

static void add_request(struct wire_join *join, const struct arrival_request *request)
{
    join->requests = memory_grow(join->requests, join->count, &join->capacity,
                                 sizeof *join->requests);
    join->requests[join->count++] = (struct wire_request){
        .sent_ns = request->sent_ns != TIME_NONE ? request->sent_ns : request->start_ns,
        .headers_ns = request->headers_ns,
        .end_ns = request->end_ns,
        .first_event = join->event_count,
        .event_count = request->event_count,
        .log = (uint32_t)(join->log_count - 1),
        .connection_request = request->connection_request,
        .min_rtt_us = request->min_rtt_us,
        .flags = request->flags,
        .local_port = request->local_port,
        .remote_port = request->remote_port,
        .outcome = request->outcome,
    };
    add_events(join, request);
}

static void add_log(struct wire_join *join, const struct arrivals_header *header)
{
    join->logs = memory_grow(join->logs, join->log_count, &join->log_capacity,
                             sizeof *join->logs);
    join->logs[join->log_count++] = *header;
}

int wire_join_read(struct wire_join *join, const char *path, struct fault *fault)
{
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    int got = arrivals_reader_open(&reader, path, fault);
    if (got < 0)
        return got;
    const struct arrivals_header *header = arrivals_reader_header(reader);
    if (header->source == LOG_WIRE) {
        add_log(join, header);
        while ((got = arrivals_reader_next(reader, &record, fault)) == 1)
            if (record.type == RECORD_REQUEST)
                add_request(join, &record.request);
    } else {
        got = fault_set(fault, STATUS_USAGE, "%s is no log from packets", path);
    }
    arrivals_reader_close(reader);
    return got;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* By ports, then number on the connection. */
static int compare_keys(const struct wire_request *a, const struct wire_request *b)
{
    int order = compare_numbers(a->local_port, b->local_port);
    if (order == 0)
        order = compare_numbers(a->remote_port, b->remote_port);
    return order ? order : compare_numbers(a->connection_request, b->connection_request);
}

static int compare_requests(const void *left, const void *right)
{
    const struct wire_request *a = left, *b = right;
    int order = compare_keys(a, b);
    if (order == 0)
        order = compare_numbers(a->log, b->log);
    return order ? order : (a->sent_ns > b->sent_ns) - (a->sent_ns < b->sent_ns);
}

void wire_join_ready(struct wire_join *join)
{
    if (join->count > 0)
        qsort(join->requests, join->count, sizeof *join->requests, compare_requests);
}

/* The first request with the key, or the place where it would be. */
static size_t find_first(const struct wire_join *join, const struct wire_request *key)
{
    size_t low = 0, high = join->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&join->requests[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the wire log's clock to the client's. */
static int64_t shift_between(const struct arrivals_header *wire,
                             const struct arrivals_header *client,
                             enum wire_clock_base *base)
{
    bool monotonic = wire->t0_monotonic_ns != 0 && wire->boot_id[0] != '\0' &&
                     strcmp(wire->boot_id, client->boot_id) == 0;
    *base = monotonic ? WIRE_CLOCK_MONOTONIC : WIRE_CLOCK_WALL;
    int64_t shift_ns = 0;
    bool overflow = monotonic
                        ? __builtin_sub_overflow(wire->t0_monotonic_ns,
                                                 client->t0_monotonic_ns, &shift_ns)
                        : __builtin_sub_overflow(wire->t0_realtime_ns,
                                                 client->t0_realtime_ns, &shift_ns);
    bool absurd = shift_ns > RUN_TIME_MAX_NS || shift_ns < -RUN_TIME_MAX_NS;
    return overflow || absurd ? 0 : shift_ns;
}

/* How far apart the two say that the request was sent. */
static int64_t distance(const struct wire_request *wire, int64_t shift_ns,
                        int64_t sent_ns)
{
    if (wire->sent_ns == TIME_NONE)
        return INT64_MAX;
    int64_t apart = wire->sent_ns + shift_ns - sent_ns;
    return apart < 0 ? -apart : apart;
}

struct wire_request *wire_join_find(const struct wire_join *join,
                                    const struct arrivals_header *client,
                                    const struct arrival_request *request,
                                    int64_t *shift_ns, enum wire_clock_base *base)
{
    struct wire_request key = {
        .local_port = request->local_port,
        .remote_port = request->remote_port,
        .connection_request = request->connection_request,
    };
    struct wire_request *best = NULL;
    int64_t best_apart = WIRE_JOIN_APART_NS;
    if (request->connection_request == 0 || request->sent_ns == TIME_NONE)
        return NULL;
    for (size_t i = find_first(join, &key);
         i < join->count && compare_keys(&join->requests[i], &key) == 0; i++) {
        struct wire_request *wire = &join->requests[i];
        enum wire_clock_base own_base;
        int64_t shift = shift_between(&join->logs[wire->log], client, &own_base);
        int64_t apart = distance(wire, shift, request->sent_ns);
        if (wire->joined || apart > best_apart)
            continue;
        best = wire;
        best_apart = apart;
        *base = own_base;
        *shift_ns = shift;
    }
    return best;
}

/* Events of the wire that have a time, from one end on, up to one that stands for lost
 * bytes. */
static size_t known_run(const struct wire_event *events, size_t count, bool backwards)
{
    size_t run = 0;
    while (run < count &&
           events[backwards ? count - 1 - run : run].arrival_ns != TIME_NONE)
        run++;
    return run;
}

static size_t match(const struct wire_event *wire, int64_t shift_ns,
                    const struct arrival_event *event, int64_t *time_ns)
{
    if (wire->kind != event->kind)
        return 1;
    *time_ns = wire->arrival_ns + shift_ns;
    return 0;
}

size_t wire_join_times(const struct wire_join *join, const struct wire_request *wire,
                       int64_t shift_ns, const struct arrival_request *request,
                       int64_t *times_ns)
{
    const struct wire_event *events = join->events + wire->first_event;
    size_t count = request->event_count;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        times_ns[i] = TIME_NONE;
    size_t head = known_run(events, wire->event_count, false);
    for (size_t i = 0; i < head && i < count; i++)
        wrong += match(&events[i], shift_ns, &request->events[i], &times_ns[i]);
    /* behind a hole only the end is common, and only of answers that both saw end */
    bool ended = request->outcome == OUTCOME_OK && wire->outcome == OUTCOME_OK;
    if (head == wire->event_count || !ended)
        return wrong;
    size_t tail = known_run(events, wire->event_count, true);
    for (size_t i = 0; i < tail && i + head < count; i++)
        wrong += match(&events[wire->event_count - 1 - i], shift_ns,
                       &request->events[count - 1 - i], &times_ns[count - 1 - i]);
    return wrong;
}

void wire_scratch_release(struct wire_scratch *scratch)
{
    free(scratch->times_ns);
    *scratch = (struct wire_scratch){ 0 };
}

bool wire_join_apply(const struct wire_join *join, const struct arrivals_header *client,
                     struct arrival_request *request, struct wire_scratch *scratch)
{
    int64_t shift_ns;
    enum wire_clock_base base;
    const struct wire_request *wire =
        wire_join_find(join, client, request, &shift_ns, &base);
    if (!wire)
        return false;
    if (request->event_count > scratch->capacity) {
        scratch->capacity = request->event_count;
        scratch->times_ns = memory_resize(scratch->times_ns, scratch->capacity,
                                          sizeof *scratch->times_ns);
    }
    wire_join_times(join, wire, shift_ns, request, scratch->times_ns);
    for (size_t i = 0; i < request->event_count; i++) {
        if (scratch->times_ns[i] == TIME_NONE)
            continue;
        request->events[i].arrival_ns = scratch->times_ns[i];
        request->events[i].flags &= (uint8_t)~EVENT_FLAG_SHARED_READ;
    }
    return true;
}
