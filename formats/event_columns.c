#include "formats/event_columns.h"

#include <assert.h>
#include <stdbool.h>

#include "formats/base/bytes.h"

enum {
    KIND_BITS = 4, /* of a run's code; the flags are above */
    STEP_SAMPLES = 9,
    /* Upper bounds per event: a run (code, length), two split values, wake, tokens,
     * choice. */
    EVENT_BYTES_MAX = (2 + 3) + 2 * (1 + 8) + 5 + 5 + 3,
};

/* Event times in units lie within +-TIME_UNITS_MAX, so no sum below overflows. */
static const int64_t TIME_UNITS_MAX = RUN_TIME_MAX_NS / EVENT_UNIT_NS;

size_t event_columns_bound(size_t count)
{
    return count * EVENT_BYTES_MAX;
}

/* Rounds towards minus infinity, so that the unit's start is never after the time. */
static int64_t to_units(int64_t time_ns)
{
    return time_ns / EVENT_UNIT_NS - (time_ns % EVENT_UNIT_NS < 0);
}

static int64_t base_units(int64_t base_ns)
{
    return run_time_is_stored(base_ns) ? to_units(base_ns) : 0;
}

/* ---- writing ---- */

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
        int64_t gap = to_units(to_ns) - to_units(from_ns);
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
            int64_t arrival = to_units(events[i].arrival_ns);
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
            arrival = to_units(events[i].arrival_ns);
        if (run_time_is_stored(events[i].app_ns)) {
            stored = 1 + zigzag_encode(to_units(events[i].app_ns) - arrival);
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
    assert(event->kind < 1 << KIND_BITS);
    return event->kind | (event->flags & ~(unsigned)EVENT_FLAG_AFTER_WAKE) << KIND_BITS;
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
    at = arrivals_encode(columns, events, base_units(base_ns), at);
    at = apps_encode(columns, events, base_units(base_ns), at);
    at = tokens_encode(columns, events, at);
    at = wakes_encode(columns, events, at);
    choices_encode(columns, events, at);
}

/* ---- reading ---- */

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
    static const uint64_t CODE_LIMIT = 1 << (KIND_BITS + 8);
    static const uint64_t CODE_AFTER_WAKE = EVENT_FLAG_AFTER_WAKE << KIND_BITS;
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
        uint8_t kind = code & ((1 << KIND_BITS) - 1);
        uint8_t flags = (uint8_t)(code >> KIND_BITS);
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
    int64_t base = base_units(base_ns);
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
