#include "analyze/queue_what_if.h"

#include <math.h>

#include "analyze/lindley.h"
#include "formats/base/clock.h"

/* Of the median TPOT: a hundredth of what is measured. */
#define BUDGET_SHARE 0.01

/* Set-up over all workers, each by its events; NaN when none knows. */
static double mean_setup_s(const struct queue *queue)
{
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < queue->worker_count; i++) {
        const struct queue_worker *worker = &queue->workers[i];
        if (worker->problem || !isfinite(worker->estimates.setup.value))
            continue;
        double starts = worker->estimates.idle_share * (double)worker->events;
        sum += worker->estimates.setup.value * starts;
        weight += starts;
    }
    return sum / weight;
}

static double mean_service_s(const struct queue *queue)
{
    if (queue->what_if_service_ns != LINDLEY_RECORDED)
        return (double)queue->what_if_service_ns / NS_PER_S;
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < queue->worker_count; i++) {
        const struct queue_worker *worker = &queue->workers[i];
        if (worker->problem)
            continue;
        sum += worker->estimates.service[0].value * (double)worker->events;
        weight += (double)worker->events;
    }
    return sum / weight;
}

/* What is tried with other workers. */
struct trial {
    const struct queue *queue;
    const struct queue_event *events;
    size_t count;
    struct setup_law setups; /* of all workers */
};

static struct queue_what_if try_workers(const struct trial *trial, uint32_t workers)
{
    const struct queue *queue = trial->queue;
    struct lindley lindley = {
        .service_ns = queue->what_if_service_ns,
        .setup = &trial->setups,
        .workers = workers,
    };
    struct histogram waits = { 0 };
    lindley_waits(&lindley, trial->events, trial->count, &waits);
    struct queue_what_if what_if = {
        .workers = workers,
        .rho = queue->whole.rate_per_s.value * mean_service_s(queue) / workers,
        .waits = wait_figures_of(&waits),
    };
    histogram_release(&waits);
    return what_if;
}

static bool is_enough(const struct trial *trial, uint32_t workers)
{
    struct queue_what_if what_if = try_workers(trial, workers);
    return what_if.waits.percentiles[WAIT_P99].value <= trial->queue->budget_s;
}

/* Doubles until it is enough, then halves the rest: waits fall with the workers. */
static uint32_t find_enough(const struct trial *trial)
{
    uint32_t enough = 1;
    uint32_t too_few = 0;
    while (!is_enough(trial, enough)) {
        too_few = enough;
        enough *= 2;
        if (enough > QUEUE_ENOUGH_MAX)
            return 0;
    }
    while (enough - too_few > 1) {
        uint32_t middle = too_few + (enough - too_few) / 2;
        if (is_enough(trial, middle))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}

void queue_what_if_run(struct queue *queue, const struct queue_event *events,
                       size_t count, const struct queue_settings *settings)
{
    queue->what_if_service_ns = settings->service_ns;
    queue->what_if_setup_s = mean_setup_s(queue);
    queue->budget_s = settings->budget_ns >= 0
                          ? (double)settings->budget_ns / NS_PER_S
                      : queue->tpot_s > 0 ? queue->tpot_s * BUDGET_SHARE
                                          : NAN;
    if (!isfinite(queue->whole.rho))
        return;
    struct trial trial = { .queue = queue, .events = events, .count = count };
    if (isfinite(queue->what_if_setup_s))
        setup_law_learn(&trial.setups, events, count);
    for (size_t i = 0; i < settings->workers_count; i++)
        queue->what_ifs[queue->what_if_count++] =
            try_workers(&trial, settings->workers[i]);
    if (isfinite(queue->budget_s))
        queue->enough_workers = find_enough(&trial);
    setup_law_release(&trial.setups);
}
