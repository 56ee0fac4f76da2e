#include "analyze/lindley.h"

#include <assert.h>
#include <stdlib.h>

#include "formats/base/memory.h"

enum { BATCH = 4096 };

static int64_t service_of(const struct lindley *lindley, const struct queue_event *event)
{
    return lindley->service_ns == LINDLEY_RECORDED ? queue_service_ns(event)
                                                   : lindley->service_ns;
}

void lindley_waits(const struct lindley *lindley, const struct queue_event *events,
                   size_t count, struct histogram *waits)
{
    assert(lindley->workers >= 1 && lindley->workers <= LINDLEY_WORKERS_MAX);
    int64_t *free_at_ns = memory_new(lindley->workers, sizeof *free_at_ns);
    for (uint32_t i = 0; i < lindley->workers; i++)
        free_at_ns[i] = INT64_MIN;
    int64_t batch_ns[BATCH];
    size_t filled = 0;
    uint64_t starts = 0;
    for (size_t i = 0; i < count; i++) {
        const struct queue_event *event = &events[i];
        int64_t *free_ns = &free_at_ns[event->row % lindley->workers];
        int64_t start_ns = *free_ns;
        if (event->arrival_ns >= start_ns)
            start_ns = event->arrival_ns + setup_law_draw_ns(lindley->setup, starts++);
        *free_ns = start_ns + service_of(lindley, event);
        batch_ns[filled++] = start_ns - event->arrival_ns;
        if (filled == BATCH) {
            histogram_add(waits, batch_ns, filled);
            filled = 0;
        }
    }
    histogram_add(waits, batch_ns, filled);
    free(free_at_ns);
}
