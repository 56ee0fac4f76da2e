#include "record/wire_clock.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

void wire_clock_release(struct wire_clock *clock)
{
    free(clock->pairs);
    *clock = (struct wire_clock){ 0 };
}

void wire_clock_add(struct wire_clock *clock, struct clock_pair pair)
{
    if (clock->count == clock->capacity)
        clock->pairs = memory_grow(clock->pairs, clock->count, &clock->capacity,
                                   sizeof(*clock->pairs));
    clock->pairs[clock->count++] = pair;
}

bool wire_clock_tick(struct wire_clock *clock, int64_t now_monotonic_ns)
{
    if (clock->count &&
        now_monotonic_ns - clock->pairs[clock->count - 1].monotonic_ns < NS_PER_S)
        return false;
    wire_clock_add(clock, clock_pair_read());
    return true;
}

void wire_clock_forget(struct wire_clock *clock)
{
    enum { KEPT = 16 };
    if (clock->at < KEPT)
        return;
    clock->count -= clock->at;
    memmove(clock->pairs, clock->pairs + clock->at, clock->count * sizeof(*clock->pairs));
    clock->at = 0;
}

int64_t wire_clock_step(const struct wire_clock *clock, size_t index)
{
    if (index == 0 || index >= clock->count)
        return 0;
    const struct clock_pair *before = &clock->pairs[index - 1];
    const struct clock_pair *after = &clock->pairs[index];
    int64_t step = (after->realtime_ns - before->realtime_ns) -
                   (after->monotonic_ns - before->monotonic_ns);
    return step > WIRE_CLOCK_STEP_NS || step < -WIRE_CLOCK_STEP_NS ? step : 0;
}

/* True when a packet of that stamp was captured after the pair behind `at`. Where the
 * clock was set back in between, a stamp that is nearer to that pair shows it. */
static bool is_past_next(const struct wire_clock *clock, int64_t realtime_ns)
{
    if (clock->at + 1 >= clock->count)
        return false;
    int64_t here = clock->pairs[clock->at].realtime_ns;
    int64_t next = clock->pairs[clock->at + 1].realtime_ns;
    if (wire_clock_step(clock, clock->at + 1) < 0)
        return realtime_ns < here && realtime_ns >= next;
    return realtime_ns >= next;
}

int64_t wire_clock_monotonic(struct wire_clock *clock, int64_t realtime_ns)
{
    while (is_past_next(clock, realtime_ns))
        clock->at++;
    const struct clock_pair *from = &clock->pairs[clock->at];
    int64_t since = realtime_ns - from->realtime_ns;
    if (since < 0 || clock->at + 1 == clock->count)
        return from->monotonic_ns + since;
    const struct clock_pair *to = from + 1;
    int64_t monotonic_span = to->monotonic_ns - from->monotonic_ns;
    int64_t realtime_span = to->realtime_ns - from->realtime_ns;
    if (!wire_clock_step(clock, clock->at + 1))
        return from->monotonic_ns + (int64_t)((double)since * ((double)monotonic_span /
                                                               (double)realtime_span));
    if (since <= monotonic_span) /* as if the step came as late as possible */
        return from->monotonic_ns + since;
    return to->monotonic_ns + (realtime_ns - to->realtime_ns);
}
