#include "analyze/queue_batches.h"

#include <math.h>

#include "analyze/occupancy.h"
#include "formats/base/clock.h"

static const int64_t gaps_ns[] = {
    0,         100,       300,       1000,       3000,        10 * NS_PER_US,
    30 * NS_PER_US, 100 * NS_PER_US, 300 * NS_PER_US, NS_PER_MS, 3 * NS_PER_MS,
    10 * NS_PER_MS,
};

/* Squared coefficient of variation of the times between starts, and their number. */
static double start_scatter(const struct queue_event *events, size_t count,
                            int64_t gap_ns, size_t *times)
{
    double squares = 0;
    int64_t start_ns = events[0].arrival_ns;
    *times = 0;
    for (size_t i = 1; i < count; i++) {
        if (events[i].arrival_ns - events[i - 1].arrival_ns <= gap_ns)
            continue;
        double time = (double)(events[i].arrival_ns - start_ns);
        squares += time * time;
        start_ns = events[i].arrival_ns;
        ++*times;
    }
    double n = (double)*times;
    double mean = (double)(start_ns - events[0].arrival_ns) / n;
    return *times < 2 ? NAN : squares / n / (mean * mean) - 1;
}

int64_t queue_batch_gap(const struct queue_event *events, size_t count)
{
    int64_t best_ns = 0;
    double least = INFINITY;
    for (size_t i = 0; i < sizeof gaps_ns / sizeof *gaps_ns; i++) {
        size_t times;
        double scatter = start_scatter(events, count, gaps_ns[i], &times);
        /* The statistic's standard error for exponential times is about 2 / sqrt(n). */
        if (scatter <= 1.1 + 6 / sqrt((double)times))
            return gaps_ns[i];
        if (scatter < least) {
            least = scatter;
            best_ns = gaps_ns[i];
        }
    }
    return best_ns;
}

static void add_batch(struct block_sums *size, struct block_sums *size_2, unsigned block,
                      size_t events)
{
    block_add(size, block, (double)events);
    block_add(size_2, block, (double)events * (double)events);
}

void queue_batches_split(struct queue_batches *batches, const struct queue_event *events,
                         size_t count, int64_t gap_ns)
{
    struct block_sums size = { 0 };
    struct block_sums size_2 = { 0 };
    size_t first = 0;
    size_t times;
    if (gap_ns == BATCH_GAP_AUTO)
        gap_ns = queue_batch_gap(events, count);
    *batches = (struct queue_batches){ .gap_ns = gap_ns };
    for (size_t i = 1; i <= count; i++) {
        if (i < count && events[i].arrival_ns - events[i - 1].arrival_ns <= gap_ns)
            continue;
        add_batch(&size, &size_2, block_of(first, count), i - first);
        batches->count++;
        first = i;
    }
    batches->start_squared_cv = start_scatter(events, count, gap_ns, &times);
    batches->size = block_ratio(&size);
    batches->size_2 = block_ratio(&size_2);
}

/* What one batch asks of the server. */
struct batch {
    double service_s;
    double setup_s;
    double inner_s; /* sum over its events of the services before each */
    bool found_idle;
};

static void batch_add(struct batch *batch, const struct queue_event *event)
{
    batch->inner_s += batch->service_s;
    batch->service_s += (double)queue_service_ns(event) / NS_PER_S;
    batch->setup_s += (double)queue_setup_ns(event) / NS_PER_S;
    batch->found_idle = batch->found_idle || queue_found_idle(event);
}

void queue_batches_serve(struct queue_batches *batches, const struct queue_event *events,
                         size_t count)
{
    struct occupancy_sums sums = { 0 };
    double inner_s = 0;
    double service_2 = 0;
    for (size_t i = 0; i < count;) {
        struct batch batch = { 0 };
        do
            batch_add(&batch, &events[i++]);
        while (i < count && events[i].arrival_ns - events[i - 1].arrival_ns <=
                                batches->gap_ns);
        inner_s += batch.inner_s;
        service_2 += batch.service_s * batch.service_s;
        occupancy_add(&sums, batch.found_idle, batch.setup_s, batch.service_s);
    }
    batches->inner_s = inner_s / (double)count;
    batches->service_2 = service_2 / (double)batches->count;
    batches->occupancy = occupancy_of(&sums);
}
