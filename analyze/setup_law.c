#include "analyze/setup_law.h"

#include <stdlib.h>

#include "formats/base/draw.h"
#include "formats/base/memory.h"

enum { SEED = 1 };

static size_t count_starts(const struct queue_event *events, size_t count)
{
    size_t starts = 0;
    for (size_t i = 0; i < count; i++)
        starts += queue_found_idle(&events[i]);
    return starts;
}

void setup_law_learn(struct setup_law *law, const struct queue_event *events,
                     size_t count)
{
    size_t starts = count_starts(events, count);
    size_t kept = starts < SETUP_LAW_MAX ? starts : SETUP_LAW_MAX;
    size_t start = 0;
    law->count = 0;
    law->setups = memory_new(kept, sizeof *law->setups);
    for (size_t i = 0; i < count && law->count < kept; i++) {
        if (!queue_found_idle(&events[i]))
            continue;
        if (start++ * kept / starts == law->count)
            law->setups[law->count++] = events[i].wake;
    }
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
    double place = draw_uniform(draw_at(SEED, 0, index).words[0]) * (double)law->count;
    return (int64_t)law->setups[(size_t)place] * QUEUE_RESOLUTION_NS;
}
