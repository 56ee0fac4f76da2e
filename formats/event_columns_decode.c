#include "formats/event_columns.h"

#include <stdbool.h>

#include "formats/base/bytes.h"

/* Event times in units lie within +-TIME_UNITS_MAX, so no sum below overflows. */
static const int64_t TIME_UNITS_MAX = RUN_TIME_MAX_NS / EVENT_UNIT_NS;

static int broken(const char *column, struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT, "the %s column of the events is malformed",
                     column);
}

/* Most values take one byte. */
static inline const uint8_t *short_varint_read(const uint8_t *at, const uint8_t *end,
                                               uint64_t *value)
{
    if (at < end && *at < 0x80) {
        *value = *at;
        return at + 1;
    }
    return varint_read(at, end, value);
}

/* The rest above the low byte, less than SPLIT_HIGH_LIMIT; NULL when malformed. */
static inline const uint8_t *split_high_read(const uint8_t *at, const uint8_t *end,
                                             uint64_t *value)
{
    static const uint64_t SPLIT_HIGH_LIMIT = UINT64_C(1) << 52;
    at = short_varint_read(at, end, value);
    return at && *value < SPLIT_HIGH_LIMIT ? at : NULL;
}

static bool units_in_range(int64_t units)
{
    return units >= -TIME_UNITS_MAX && units <= TIME_UNITS_MAX;
}

static int arrivals_decode(const struct event_columns *columns, int64_t base,
                           struct arrival_event *events, struct fault *fault)
{
    const uint8_t *low = columns->arrival.at;
    const uint8_t *high = low + columns->count;
    const uint8_t *end = low + columns->arrival.len;
    int64_t previous = base;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t stored;
        high = split_high_read(high, end, &stored);
        if (!high)
            return broken("arrival", fault);
        stored = stored << 8 | low[i];
        if (stored == 0) {
            events[i].arrival_ns = TIME_NONE;
            continue;
        }
        previous += columns->arrival_step + zigzag_decode(stored - 1);
        if (!units_in_range(previous))
            return broken("arrival", fault);
        events[i].arrival_ns = previous * EVENT_UNIT_NS;
    }
    return high == end ? STATUS_OK : broken("arrival", fault);
}

static void apps_set_none(struct arrival_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        events[i].app_ns = TIME_NONE;
}

static int apps_decode(const struct event_columns *columns, int64_t base,
                       struct arrival_event *events, struct fault *fault)
{
    const uint8_t *low = columns->app.at;
    const uint8_t *high = low + columns->count;
    const uint8_t *end = low + columns->app.len;
    int64_t arrival_ns = base * EVENT_UNIT_NS;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t stored;
        high = split_high_read(high, end, &stored);
        if (!high)
            return broken("app", fault);
        stored = stored << 8 | low[i];
        if (events[i].arrival_ns != TIME_NONE)
            arrival_ns = events[i].arrival_ns;
        events[i].app_ns = TIME_NONE;
        if (stored == 0)
            continue;
        int64_t lag = zigzag_decode(stored - 1);
        if (lag < -2 * TIME_UNITS_MAX || lag > 2 * TIME_UNITS_MAX
            || !run_time_is_stored(arrival_ns + lag * EVENT_UNIT_NS))
            return broken("app", fault);
        events[i].app_ns = arrival_ns + lag * EVENT_UNIT_NS;
    }
    return high == end ? STATUS_OK : broken("app", fault);
}

/* Sets what has defaults too. */
static int kinds_decode(const struct event_columns *columns, struct arrival_event *events,
                        struct fault *fault)
{
    static const uint64_t CODE_LIMIT = 1 << (EVENT_KIND_BITS + 8);
    static const uint64_t CODE_AFTER_WAKE = EVENT_FLAG_AFTER_WAKE << EVENT_KIND_BITS;
    const uint8_t *at = columns->kinds.at;
    const uint8_t *end = at + columns->kinds.len;
    size_t done = 0;
    while (done < columns->count) {
        uint64_t code, run;
        at = short_varint_read(at, end, &code);
        if (at)
            at = short_varint_read(at, end, &run);
        if (!at || code >= CODE_LIMIT || (code & CODE_AFTER_WAKE) != 0 || run == 0
            || run > columns->count - done)
            return broken("kinds", fault);
        uint8_t kind = code & ((1 << EVENT_KIND_BITS) - 1);
        uint8_t flags = (uint8_t)(code >> EVENT_KIND_BITS);
        uint32_t tokens = event_kind_is_token(kind);
        for (size_t stop = done + run; done < stop; done++) {
            events[done].wake_ns = 0;
            events[done].tokens = tokens;
            events[done].choice = 0;
            events[done].kind = kind;
            events[done].flags = flags;
        }
    }
    return at == end ? STATUS_OK : broken("kinds", fault);
}

static int tokens_decode(const struct byte_span *column, struct arrival_event *events,
                         size_t count, struct fault *fault)
{
    const uint8_t *at = column->at;
    const uint8_t *end = at + column->len;
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        at = short_varint_read(at, end, &value);
        if (!at || value > UINT32_MAX)
            return broken("tokens", fault);
        events[i].tokens = (uint32_t)value;
    }
    return at == end ? STATUS_OK : broken("tokens", fault);
}

static int wakes_decode(const struct byte_span *column, struct arrival_event *events,
                        size_t count, struct fault *fault)
{
    const uint8_t *at = column->at;
    const uint8_t *end = at + column->len;
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        at = short_varint_read(at, end, &value);
        if (!at || value > 1 + UINT32_MAX / EVENT_UNIT_NS)
            return broken("wake", fault);
        /* No branch: which events follow a wake-up cannot be predicted. */
        bool woke = value > 0;
        events[i].wake_ns = (uint32_t)(value - woke) * EVENT_UNIT_NS;
        events[i].flags |= (uint8_t)(woke * EVENT_FLAG_AFTER_WAKE);
    }
    return at == end ? STATUS_OK : broken("wake", fault);
}

static int choices_decode(const struct byte_span *column, struct arrival_event *events,
                          size_t count, struct fault *fault)
{
    const uint8_t *at = column->at;
    const uint8_t *end = at + column->len;
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        at = short_varint_read(at, end, &value);
        if (!at || value > UINT16_MAX)
            return broken("choice", fault);
        events[i].choice = (uint16_t)value;
    }
    return at == end ? STATUS_OK : broken("choice", fault);
}

int event_columns_check(const struct event_columns *columns, struct fault *fault)
{
    if (columns->count > REQUEST_EVENTS_MAX)
        return fault_set(fault, STATUS_LIMIT,
                         "a request of %llu events, at most %d are allowed",
                         (unsigned long long)columns->count, REQUEST_EVENTS_MAX);
    if (columns->arrival_step < -2 * TIME_UNITS_MAX
        || columns->arrival_step > 2 * TIME_UNITS_MAX)
        return fault_set(fault, STATUS_BAD_INPUT, "the arrival step is beyond 145 years");
    if (columns->count > 0 && columns->kinds.len == 0)
        return broken("kinds", fault);
    /* A split column has two bytes per event or more. */
    if (columns->arrival.len / 2 < columns->count)
        return broken("arrival", fault);
    if (columns->app.len && columns->app.len / 2 < columns->count)
        return broken("app", fault);
    return STATUS_OK;
}

int event_columns_decode(const struct event_columns *columns, int64_t base_ns,
                         struct arrival_event *events, struct fault *fault)
{
    size_t count = columns->count;
    int64_t base = event_base_units(base_ns);
    int status = event_columns_check(columns, fault);
    if (status || count == 0)
        return status;
    status = kinds_decode(columns, events, fault);
    if (!status)
        status = arrivals_decode(columns, base, events, fault);
    if (!status && columns->app.len)
        status = apps_decode(columns, base, events, fault);
    else
        apps_set_none(events, count);
    if (!status && columns->tokens.len)
        status = tokens_decode(&columns->tokens, events, count, fault);
    if (!status && columns->wake.len)
        status = wakes_decode(&columns->wake, events, count, fault);
    if (!status && columns->choice.len)
        status = choices_decode(&columns->choice, events, count, fault);
    return status;
}
