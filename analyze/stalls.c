#include "analyze/stalls.h"

#include "analyze/load.h"

struct stalls {
    struct stall_bin *bins;
    size_t count;
    int64_t from_ns;
    int64_t to_ns;
};

/* Moments outside count to the bin at that end. */
static size_t bin_of(const struct stalls *stalls, int64_t at_ns)
{
    double place = (double)(at_ns - stalls->from_ns) /
                   ((double)(stalls->to_ns - stalls->from_ns) + 1);
    return place <= 0   ? 0
           : place >= 1 ? stalls->count - 1
                        : (size_t)(place * (double)stalls->count);
}

static void add_silence(struct stalls *stalls, int64_t from_ns, int64_t to_ns)
{
    struct stall_bin *bin = &stalls->bins[bin_of(stalls, to_ns)];
    if (to_ns - from_ns <= bin->silence_ns)
        return;
    bin->silence_from_ns = from_ns;
    bin->silence_ns = to_ns - from_ns;
}

static void add_answer(struct stalls *stalls, const struct arrival_request *request)
{
    int64_t last_ns = TIME_NONE;
    for (size_t i = 0; i < request->event_count; i++) {
        const struct arrival_event *event = &request->events[i];
        if (!event_kind_is_token(event->kind) || event->arrival_ns == TIME_NONE)
            continue;
        if (last_ns != TIME_NONE)
            add_silence(stalls, last_ns, event->arrival_ns);
        last_ns = event->arrival_ns;
    }
    if (request->outcome != OUTCOME_OK && last_ns != TIME_NONE &&
        request->end_ns != TIME_NONE)
        add_silence(stalls, last_ns, request->end_ns);
}

static void add_loop(struct stalls *stalls, const struct loop_record *loop)
{
    int64_t stall_ns = (int64_t)loop->stall_ns;
    if (!loop_record_has_span(loop) || loop->to_ns < stalls->from_ns ||
        loop->from_ns > stalls->to_ns)
        return;
    size_t last = bin_of(stalls, loop->to_ns);
    for (size_t i = bin_of(stalls, loop->from_ns); i <= last; i++)
        if (stall_ns > stalls->bins[i].iteration_ns)
            stalls->bins[i].iteration_ns = stall_ns;
}

int stalls_read(struct stall_bin *bins, size_t count, int64_t from_ns, int64_t to_ns,
                const char *path, struct fault *fault)
{
    struct stalls stalls = { bins, count, from_ns, to_ns };
    struct load load = { 0 };
    struct arrivals_record record;
    char *operand = (char *)path;
    size_t log;
    for (size_t i = 0; i < count; i++)
        bins[i] = (struct stall_bin){ 0 };
    int got = load_open(&load, &operand, 1, fault);
    if (got == 0)
        got = load_use_wire(&load, fault);
    if (got < 0)
        goto done;
    while ((got = load_next(&load, &record, &log, fault)) > 0)
        if (record.type == RECORD_REQUEST)
            add_answer(&stalls, &record.request);
        else if (record.type == RECORD_LOOP)
            add_loop(&stalls, &record.loop);
done:
    load_release(&load);
    return got;
}
