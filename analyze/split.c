#include "analyze/split.h"

#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

const char *const split_value_keys[SPLIT_VALUES] = {
    [SPLIT_SEND_LAG] = "send_lag",
    [SPLIT_SERVER_NETWORK] = "server_network",
    [SPLIT_NETWORK] = "network",
    [SPLIT_RECEIVE_LAG] = "receive_lag",
    [SPLIT_WIRE_SEND] = "wire_send",
    [SPLIT_TTFT_WIRE] = "ttft_wire",
    [SPLIT_TTFT_KERNEL] = "ttft_kernel",
    [SPLIT_TTFT_APP] = "ttft_app",
};

/* Values of one kind, one for each joined request that has it. */
struct value_list {
    double *items;
    size_t count;
    size_t capacity;
    uint64_t excluded;
};

struct joining {
    struct split *split;
    struct wire_join *join;
    struct value_list lists[SPLIT_VALUES];
    int64_t *times_ns; /* by packets, of the events of the request at hand */
    size_t times_capacity;
};

static void add_value(struct joining *joining, enum split_value which, double seconds)
{
    struct value_list *list = &joining->lists[which];
    list->items = memory_grow(list->items, list->count, &list->capacity,
                              sizeof *list->items);
    list->items[list->count++] = seconds;
}

static void add_difference(struct joining *joining, enum split_value which,
                           int64_t from_ns, int64_t to_ns)
{
    if (from_ns == TIME_NONE || to_ns == TIME_NONE)
        joining->lists[which].excluded++;
    else
        add_value(joining, which, (double)(to_ns - from_ns) / NS_PER_S);
}

static void add_network(struct joining *joining, const struct arrival_request *request,
                        const struct wire_request *wire)
{
    uint32_t rtt_us = request->min_rtt_us != COUNT_NONE ? request->min_rtt_us
                                                        : wire->min_rtt_us;
    if (rtt_us == COUNT_NONE)
        joining->lists[SPLIT_NETWORK].excluded++;
    else
        add_value(joining, SPLIT_NETWORK, rtt_us / 1e6);
}

static void take_token(struct split *split, const struct arrival_event *event,
                       int64_t wire_ns)
{
    split->tokens++;
    if (wire_ns == TIME_NONE) {
        split->unknown++;
        return;
    }
    split->matched++;
    if (event->app_ns != TIME_NONE) {
        int64_t lag_ns = event->app_ns - wire_ns;
        histogram_add(&split->receive_lag, &lag_ns, 1);
        split->clock_faults += lag_ns < -split->epsilon_ns;
    }
    if (event->arrival_ns == TIME_NONE)
        return;
    int64_t late_ns = event->arrival_ns - wire_ns;
    histogram_add(&split->kernel_late, &late_ns, 1);
    bool shared = event->flags & EVENT_FLAG_SHARED_READ;
    split->alone += !shared;
    histogram_add(shared ? &split->kernel_shared : &split->kernel_alone, &late_ns, 1);
}

/* The first and last token events of a request; false without any. */
static bool find_tokens(const struct arrival_request *request, size_t *first,
                        size_t *last)
{
    bool found = false;
    for (size_t i = 0; i < request->event_count; i++) {
        if (!event_kind_is_token(request->events[i].kind))
            continue;
        if (!found)
            *first = i;
        *last = i;
        found = true;
    }
    return found;
}

static void take_tokens(struct joining *joining, const struct arrival_request *request)
{
    size_t first = 0, last = 0;
    if (!find_tokens(request, &first, &last)) {
        for (int which = 0; which < SPLIT_VALUES; which++)
            if (which != SPLIT_SEND_LAG && which != SPLIT_NETWORK &&
                which != SPLIT_WIRE_SEND)
                joining->lists[which].excluded++;
        return;
    }
    for (size_t i = first; i <= last; i++)
        if (event_kind_is_token(request->events[i].kind))
            take_token(joining->split, &request->events[i], joining->times_ns[i]);
    int64_t sent_ns = request->sent_ns;
    int64_t wire_last_ns = joining->times_ns[last];
    int64_t app_last_ns = request->events[last].app_ns;
    add_difference(joining, SPLIT_SERVER_NETWORK, sent_ns, wire_last_ns);
    add_difference(joining, SPLIT_RECEIVE_LAG, wire_last_ns, app_last_ns);
    add_difference(joining, SPLIT_TTFT_WIRE, sent_ns, joining->times_ns[first]);
    add_difference(joining, SPLIT_TTFT_KERNEL, sent_ns,
                   request->events[first].arrival_ns);
    add_difference(joining, SPLIT_TTFT_APP, sent_ns, request->events[first].app_ns);
    if (wire_last_ns == TIME_NONE || app_last_ns == TIME_NONE ||
        request->due_ns == TIME_NONE)
        return;
    int64_t parts_ns = (sent_ns - request->due_ns) + (wire_last_ns - sent_ns) +
                       (app_last_ns - wire_last_ns);
    joining->split->identity_checked++;
    joining->split->identity_broken += parts_ns != app_last_ns - request->due_ns;
}

static void take_request(struct joining *joining, const struct arrivals_header *client,
                         const struct arrival_request *request)
{
    struct split *split = joining->split;
    int64_t shift_ns = 0;
    split->requests++;
    split->sent += request->sent_ns != TIME_NONE;
    enum wire_clock_base base;
    struct wire_request *wire =
        wire_join_find(joining->join, client, request, &shift_ns, &base);
    if (!wire)
        return;
    wire->joined = true;
    split->joined++;
    if (base > split->base)
        split->base = base;
    split->holes += (wire->flags & (REQUEST_WIRE_HOLE | REQUEST_WIRE_SNAPLEN)) != 0;
    if (request->event_count > joining->times_capacity) {
        joining->times_capacity = request->event_count;
        joining->times_ns = memory_resize(joining->times_ns, joining->times_capacity,
                                          sizeof *joining->times_ns);
    }
    split->disagree += wire_join_times(joining->join, wire, shift_ns, request,
                                       joining->times_ns);
    add_difference(joining, SPLIT_SEND_LAG, request->due_ns, request->sent_ns);
    add_difference(joining, SPLIT_WIRE_SEND, request->sent_ns, wire->sent_ns + shift_ns);
    add_network(joining, request, wire);
    take_tokens(joining, request);
}

static void finish(struct joining *joining)
{
    struct split *split = joining->split;
    for (int which = 0; which < SPLIT_VALUES; which++) {
        struct value_list *list = &joining->lists[which];
        split->values[which] = distribution_of_values(list->items, list->count,
                                                      list->excluded);
    }
    split->wire_requests = joining->join->count;
    split->wire_not_joined = split->wire_requests - split->joined;
}

int split_compute(struct split *split, struct load *load, struct wire_join *join,
                  const struct split_settings *settings, struct fault *fault)
{
    *split = (struct split){ .epsilon_ns = settings->epsilon_ns };
    struct joining joining = { .split = split, .join = join };
    struct arrivals_record record;
    size_t log;
    int got;
    while ((got = load_next(load, &record, &log, fault)) == 1)
        if (record.type == RECORD_REQUEST)
            take_request(&joining, &load->logs[log].header, &record.request);
    if (got == STATUS_OK)
        finish(&joining);
    for (int which = 0; which < SPLIT_VALUES; which++)
        free(joining.lists[which].items);
    free(joining.times_ns);
    return got;
}

void split_release(struct split *split)
{
    histogram_release(&split->receive_lag);
    histogram_release(&split->kernel_late);
    histogram_release(&split->kernel_alone);
    histogram_release(&split->kernel_shared);
}
