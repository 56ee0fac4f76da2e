#include "analyze/queue.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/lindley.h"
#include "analyze/queue_sort.h"
#include "analyze/queue_what_if.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

/* A loop that is busy more of its time than this cannot keep up. */
#define SATURATED_SHARE 0.95

const double queue_capacity_rhos[QUEUE_CAPACITIES] = { 0.5, 0.8, 1 };

void queue_release(struct queue *queue)
{
    free(queue->workers);
    *queue = (struct queue){ 0 };
}

bool queue_worker_is_saturated(const struct queue_worker *worker)
{
    return worker->estimates.rho.value >= 1 || worker->busy_share >= SATURATED_SHARE;
}

/* Arrivals that count, both ends included. */
struct window_ns {
    int64_t from;
    int64_t to;
};

static int64_t bound_ns(const struct queue_bound *bound, struct window_ns span,
                        int64_t otherwise)
{
    int64_t at;
    if (!bound->given)
        return otherwise;
    if (bound->is_share)
        return span.from + llround(bound->share * (double)(span.to - span.from));
    return __builtin_add_overflow(span.from, bound->offset_ns, &at) ? INT64_MAX : at;
}

/* First to last arrival; from above to when there is none. */
static struct window_ns arrivals_span(const struct queue_event *events, size_t count)
{
    struct window_ns span = { INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < count; i++) {
        int64_t arrival_ns = events[i].arrival_ns;
        span.from = arrival_ns < span.from ? arrival_ns : span.from;
        span.to = arrival_ns > span.to ? arrival_ns : span.to;
    }
    return span;
}

/* Moves the events inside the window together, in the order they have. */
static void keep_window(struct queue_data *data, struct window_ns window)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->log_count; i++) {
        struct queue_log *log = &data->logs[i];
        size_t first = kept;
        for (size_t at = log->first; at < log->first + log->count; at++) {
            const struct queue_event *event = &data->events[at];
            if (event->arrival_ns >= window.from && event->arrival_ns <= window.to)
                data->events[kept++] = *event;
        }
        log->first = first;
        log->count = kept - first;
    }
    data->count = kept;
}

static const char *problem_of_arrivals(const struct queue_event *events, size_t count)
{
    struct window_ns span = arrivals_span(events, count);
    if (count == 0)
        return "no events: the worker was idle";
    if (count == 1)
        return "one event: no gaps to learn from";
    if (span.from == span.to)
        return "all events arrived at one time: no rate can be told";
    if (count == 2)
        return "two events: one gap, from which no law can be learnt";
    return NULL;
}

static const char *problem_of_services(const struct queue_event *events, size_t count)
{
    size_t none = 0;
    size_t negative = 0;
    for (size_t i = 0; i < count; i++) {
        none += events[i].service_ns == 0;
        negative += events[i].service_ns < 0;
    }
    if (none + negative < count)
        return NULL;
    return none == count ? "no event took any time: nothing ever waited"
                         : "no service is above 0: the clocks disagree";
}

static const char *problem_of(const struct queue *queue, const struct queue_event *events,
                              size_t count)
{
    const char *problem = problem_of_arrivals(events, count);
    if (problem == NULL && queue->served && !queue->supposed)
        problem = problem_of_services(events, count);
    return problem;
}

static void find_capacity(struct queue_worker *worker)
{
    double rate = worker->estimates.rate_per_s.value;
    for (size_t i = 0; i < QUEUE_CAPACITIES; i++) {
        double rho = queue_capacity_rhos[i];
        double service_s = worker->estimates.service[0].value;
        worker->capacity_per_s[i] = service_s > 0 ? rho / service_s : NAN;
        worker->busy_capacity_per_s[i] =
            worker->busy_share > 0 ? rho * rate / worker->busy_share : NAN;
    }
}

/* What the order of service tells. */
static void analyse_services(struct queue_worker *worker,
                             const struct queue_event *events, struct histogram *waits,
                             struct setup_law *setups)
{
    struct queue_estimates *estimates = &worker->estimates;
    queue_estimate_services(estimates, events, worker->events, worker->service.wakes > 0);
    service_fit_run(&worker->services, events, worker->events);
    worker->observed = wait_figures_observed(events, worker->events, waits);
    worker->without_setup_s = wait_mean_without_setup(events, worker->events);
    if (worker->service.wakes > 0)
        setup_law_learn(setups, events, worker->events);
    queue_model_set_replay(&worker->recorded, LINDLEY_RECORDED, setups, events,
                           worker->events);
}

static void find_busy_share(struct queue_worker *worker, const struct queue_log *log,
                            struct window_ns span)
{
    double covered_s;
    double busy_s;
    queue_busy_time(log, span.from, span.to, &covered_s, &busy_s);
    worker->busy_share = busy_s / covered_s;
}

/* What the order of arrival tells. */
static void analyse_arrivals(struct queue_worker *worker, const struct queue *queue,
                             const struct queue_event *events,
                             const struct setup_law *setups,
                             const struct queue_settings *settings)
{
    struct queue_estimates *estimates = &worker->estimates;
    size_t count = worker->events;
    arrival_tests_run(&worker->arrivals, events, count);
    queue_estimate_arrivals(estimates, events, count, settings->batch_gap_ns);
    double gap_cv2 = worker->arrivals.squared_cv;
    if (queue->served) {
        queue_batches_serve(&estimates->batches, events, count);
        queue_model_set_predict(&worker->recorded, estimates, gap_cv2, events, count);
    }
    if (queue->supposed) {
        queue_model_set_replay(&worker->supposed, settings->service_ns, setups, events,
                               count);
        queue_model_set_predict(&worker->supposed, estimates, gap_cv2, events, count);
    }
    find_capacity(worker);
}

/* Leaves the events in order of arrival. */
static void analyse_worker(struct queue_worker *worker, const struct queue *queue,
                           const struct queue_log *log, struct queue_event *events,
                           struct histogram *waits, const struct queue_settings *settings)
{
    worker->events = log->count;
    worker->worker = log->worker;
    worker->problem = problem_of(queue, events, log->count);
    worker->estimates = queue_estimates_unknown;
    worker->observed = wait_figures_unknown;
    worker->without_setup_s = NAN;
    worker->busy_share = NAN;
    if (worker->problem)
        return;
    struct setup_law setups = { 0 };
    if (queue->served)
        analyse_services(worker, events, waits, &setups);
    queue_sort_by_arrival(events, log->count);
    find_busy_share(worker, log, (struct window_ns){ events[0].arrival_ns,
                                                     events[log->count - 1].arrival_ns });
    analyse_arrivals(worker, queue, events, &setups, settings);
    setup_law_release(&setups);
}

/* The mean over events of what the workers' models say. */
static void sum_up(struct queue *queue, const struct histogram *waits)
{
    struct queue_whole *whole = &queue->whole;
    double weight = 0;
    double rho_sum = 0;
    double active = 0;
    for (size_t i = 0; i < queue->worker_count; i++) {
        const struct queue_worker *worker = &queue->workers[i];
        if (worker->problem || !(queue->served || queue->supposed))
            continue;
        const struct queue_model_set *set = queue->supposed ? &worker->supposed
                                                            : &worker->recorded;
        double events = (double)worker->events;
        for (unsigned model = 0; model < QUEUE_MODELS; model++)
            whole->mean_s[model] += events * set->predictions.mean_s[model];
        whole->lindley_s += events * set->lindley.mean.value;
        whole->lindley_setup_s += events * set->lindley_setup.mean.value;
        whole->without_setup_s += events * worker->without_setup_s;
        rho_sum += set->predictions.rho;
        whole->rho_max = fmax(whole->rho_max, set->predictions.rho);
        weight += events;
        active += 1;
    }
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        whole->mean_s[model] /= weight;
    whole->lindley_s /= weight;
    whole->lindley_setup_s /= weight;
    whole->without_setup_s = queue->served ? whole->without_setup_s / weight : NAN;
    whole->rho = rho_sum / active;
    if (active == 0)
        whole->rho_max = NAN;
    whole->observed = wait_figures_of(waits);
    if (queue->worker_count == 1 && active > 0 && queue->served)
        whole->observed = queue->workers[0].observed;
}

static double median_of(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    quantile_sort(values, count);
    return quantile_of_sorted(values, count, 0.5);
}

static int choose_window(struct queue *queue, struct queue_data *data,
                         const struct queue_settings *settings, struct fault *fault)
{
    struct window_ns span = arrivals_span(data->events, data->count);
    size_t before = data->count;
    if (before == 0)
        return STATUS_OK;
    struct window_ns window = {
        .from = bound_ns(&settings->from, span, span.from),
        .to = bound_ns(&settings->to, span, span.to),
    };
    if (window.from > window.to)
        return fault_set(fault, STATUS_USAGE, "--from is not before --to");
    keep_window(data, window);
    queue->outside = before - data->count;
    return STATUS_OK;
}

/* Leaves the events of all workers in order of arrival. */
static void analyse_whole(struct queue *queue, struct queue_data *data,
                          const struct histogram *waits)
{
    struct queue_whole *whole = &queue->whole;
    queue_sort_by_arrival(data->events, data->count);
    whole->events = data->count;
    whole->rate_per_s = estimate_unknown;
    if (data->count > 0)
        whole->span_s = (double)(data->events[data->count - 1].arrival_ns -
                                 data->events[0].arrival_ns) / NS_PER_S;
    if (whole->span_s > 0)
        whole->rate_per_s = queue_rate(data->count - 1, whole->span_s);
    sum_up(queue, waits);
}

int queue_compute(struct queue *queue, struct queue_data *data,
                  const struct queue_settings *settings, struct fault *fault)
{
    struct histogram waits = { 0 };
    queue->data = data;
    queue->served = data->served;
    queue->supposed = settings->service_ns != LINDLEY_RECORDED;
    queue->worker_count = data->log_count;
    queue->workers = memory_new(data->log_count, sizeof *queue->workers);
    queue->tpot_s = median_of(data->tpot_s, data->tpot_count);
    for (size_t i = 0; i < data->log_count && data->served; i++)
        queue->workers[i].service = queue_serve(data->events + data->logs[i].first,
                                                data->logs[i].count);
    int status = choose_window(queue, data, settings, fault);
    if (status < 0)
        return status;
    for (size_t i = 0; i < data->log_count; i++)
        analyse_worker(&queue->workers[i], queue, &data->logs[i],
                       data->events + data->logs[i].first, &waits, settings);
    analyse_whole(queue, data, &waits);
    histogram_release(&waits);
    queue_what_if_run(queue, data->events, data->count, settings);
    return STATUS_OK;
}
