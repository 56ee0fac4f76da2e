#include "analyze/setup_law.h"

#include <stdlib.h>

#include "formats/base/memory.h"

static size_t count_starts(const struct queue_event *events, size_t count)
{
    size_t starts = 0;
    for (size_t i = 0; i < count; i++)
        starts += queue_found_idle(&events[i]);
    return starts;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void setup_law_learn(struct setup_law *law, const struct queue_event *events,
                     size_t count)
{
    size_t starts = count_starts(events, count);
    law->count = 0;
    law->setups = memory_new(starts, sizeof *law->setups);
    for (size_t i = 0; i < count; i++)
        if (queue_found_idle(&events[i]))
            law->setups[law->count++] = events[i].wake;
    /* Only with no divisor in common is each met once. */
    law->step = (size_t)((double)starts * 0.618) + 1;
    while (common_divisor(law->step, starts) > 1)
        law->step++;
}

void setup_law_release(struct setup_law *law)
{
    free(law->setups);
    *law = (struct setup_law){ 0 };
}

int64_t setup_law_draw_ns(const struct setup_law *law, uint64_t index)
{
    if (law == NULL || law->count == 0)
        return 0;
    size_t place = index % law->count * law->step % law->count;
    return (int64_t)law->setups[place] * QUEUE_RESOLUTION_NS;
}
