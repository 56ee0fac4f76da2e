#include "formats/event_columns.h"

#include <assert.h>
#include <stdbool.h>

#include "formats/base/bytes.h"

enum {
    STEP_SAMPLES = 9,
    /* Upper bounds per event: a run (code, length), two split values, wake, tokens,
     * choice. */
    EVENT_BYTES_MAX = (2 + 3) + 2 * (1 + 8) + 5 + 5 + 3,
};

size_t event_columns_bound(size_t count)
{
    return count * EVENT_BYTES_MAX;
}

/* A typical gap between arrivals: the median of a few. Any value is correct; a good one
 * makes the differences to it small. */
static int64_t choose_step(const struct arrival_event *events, size_t count)
{
    int64_t gaps[STEP_SAMPLES];
    size_t samples = 0;
    for (size_t i = 0; count > 1 && i < STEP_SAMPLES; i++) {
        size_t at = i * (count - 1) / STEP_SAMPLES;
        int64_t from_ns = events[at].arrival_ns;
        int64_t to_ns = events[at + 1].arrival_ns;
        if (!run_time_is_stored(from_ns) || !run_time_is_stored(to_ns))
            continue;
        int64_t gap = event_units(to_ns) - event_units(from_ns);
        size_t place = samples++;
        for (; place > 0 && gaps[place - 1] > gap; place--)
            gaps[place] = gaps[place - 1];
        gaps[place] = gap;
    }
    return samples ? gaps[samples / 2] : 0;
}

/* The low byte goes to *low, the rest as a varint to `high`; returns the position after
 * it. */
static uint8_t *split_write(uint8_t *low, uint8_t *high, uint64_t value)
{
    *low = (uint8_t)value;
    return varint_write(high, value >> 8);
}

static struct byte_span span_between(const uint8_t *from, const uint8_t *to)
{
    return (struct byte_span){ from, (size_t)(to - from) };
}

static uint8_t *arrivals_encode(struct event_columns *columns,
                                const struct arrival_event *events, int64_t base,
                                uint8_t *at)
{
    uint8_t *high = at + columns->count;
    int64_t previous = base;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t stored = 0;
        if (run_time_is_stored(events[i].arrival_ns)) {
            int64_t arrival = event_units(events[i].arrival_ns);
            stored = 1 + zigzag_encode(arrival - previous - columns->arrival_step);
            previous = arrival;
        }
        high = split_write(&at[i], high, stored);
    }
    columns->arrival = span_between(at, high);
    return high;
}

static uint8_t *apps_encode(struct event_columns *columns,
                            const struct arrival_event *events, int64_t base, uint8_t *at)
{
    uint8_t *high = at + columns->count;
    int64_t arrival = base; /* of this event, or of the last that has one */
    bool any = false;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t stored = 0;
        if (run_time_is_stored(events[i].arrival_ns))
            arrival = event_units(events[i].arrival_ns);
        if (run_time_is_stored(events[i].app_ns)) {
            stored = 1 + zigzag_encode(event_units(events[i].app_ns) - arrival);
            any = true;
        }
        high = split_write(&at[i], high, stored);
    }
    if (!any)
        return at;
    columns->app = span_between(at, high);
    return high;
}

static unsigned run_code(const struct arrival_event *event)
{
    assert(event->kind < 1 << EVENT_KIND_BITS);
    unsigned flags = event->flags & ~(unsigned)EVENT_FLAG_AFTER_WAKE;
    return event->kind | flags << EVENT_KIND_BITS;
}

static uint8_t *kinds_encode(struct event_columns *columns,
                             const struct arrival_event *events, uint8_t *at)
{
    uint8_t *next = at;
    for (size_t i = 0, run; i < columns->count; i += run) {
        unsigned code = run_code(&events[i]);
        for (run = 1; i + run < columns->count && run_code(&events[i + run]) == code;)
            run++;
        next = varint_write(varint_write(next, code), run);
    }
    columns->kinds = span_between(at, next);
    return next;
}

static uint32_t default_tokens(const struct arrival_event *event)
{
    return event_kind_is_token(event->kind);
}

static uint8_t *tokens_encode(struct event_columns *columns,
                              const struct arrival_event *events, uint8_t *at)
{
    uint8_t *next = at;
    bool any = false;
    for (size_t i = 0; i < columns->count; i++) {
        any |= events[i].tokens != default_tokens(&events[i]);
        next = varint_write(next, events[i].tokens);
    }
    if (!any)
        return at;
    columns->tokens = span_between(at, next);
    return next;
}

static uint8_t *wakes_encode(struct event_columns *columns,
                             const struct arrival_event *events, uint8_t *at)
{
    uint8_t *next = at;
    bool any = false;
    for (size_t i = 0; i < columns->count; i++) {
        bool woke = events[i].flags & EVENT_FLAG_AFTER_WAKE;
        any |= woke;
        next = varint_write(next, woke ? 1u + events[i].wake_ns / EVENT_UNIT_NS : 0);
    }
    if (!any)
        return at;
    columns->wake = span_between(at, next);
    return next;
}

static uint8_t *choices_encode(struct event_columns *columns,
                               const struct arrival_event *events, uint8_t *at)
{
    uint8_t *next = at;
    unsigned any = 0;
    for (size_t i = 0; i < columns->count; i++) {
        any |= events[i].choice;
        next = varint_write(next, events[i].choice);
    }
    if (!any)
        return at;
    columns->choice = span_between(at, next);
    return next;
}

void event_columns_encode(struct event_columns *columns,
                          const struct arrival_event *events, size_t count,
                          int64_t base_ns, uint8_t *at)
{
    assert(count <= REQUEST_EVENTS_MAX);
    *columns = (struct event_columns){
        .count = count,
        .arrival_step = choose_step(events, count),
    };
    if (count == 0)
        return;
    at = kinds_encode(columns, events, at);
    at = arrivals_encode(columns, events, event_base_units(base_ns), at);
    at = apps_encode(columns, events, event_base_units(base_ns), at);
    at = tokens_encode(columns, events, at);
    at = wakes_encode(columns, events, at);
    choices_encode(columns, events, at);
}
