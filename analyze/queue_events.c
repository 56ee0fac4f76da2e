#include "analyze/queue_events.h"

#include "analyze/queue_sort.h"

static int64_t later_ns(int64_t left_ns, int64_t right_ns)
{
    return left_ns > right_ns ? left_ns : right_ns;
}

struct queue_service queue_serve(struct queue_event *events, size_t count)
{
    struct queue_service met = { 0 };
    int64_t before_ns = INT64_MIN;
    queue_sort_by_app(events, count);
    for (size_t i = 0; i < count; i++) {
        struct queue_event *event = &events[i];
        int64_t ready_ns = later_ns(event->arrival_ns, before_ns);
        int64_t start_ns = ready_ns;
        if (event->wake != QUEUE_AWAKE) {
            start_ns = later_ns(ready_ns, event->app_ns - (int64_t)event->wake);
            met.wakes++;
        }
        int64_t setup = (start_ns - ready_ns) / QUEUE_RESOLUTION_NS;
        event->wake = setup < UINT32_MAX ? (uint32_t)setup : UINT32_MAX;
        event->service_ns = event->app_ns - start_ns;
        before_ns = event->app_ns;
        if (event->service_ns < 0) {
            met.negative++;
            if (event->service_ns < met.least_ns)
                met.least_ns = event->service_ns;
        }
    }
    return met;
}
