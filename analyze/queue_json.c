#include <math.h>

#include "analyze/json_values.h"
#include "analyze/lindley.h"
#include "analyze/queue_output.h"
#include "formats/base/clock.h"

json_t *wait_figures_json(const struct wait_figures *figures)
{
    json_t *object = json_object();
    json_object_set_new(object, "mean",
                        estimate_json(figures->mean.value, &figures->mean.interval));
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        json_object_set_new(object, wait_percentile_names[i],
                            estimate_json(figures->percentiles[i].value,
                                          &figures->percentiles[i].interval));
    return object;
}

/* Why the whole lacks what it lacks. */
static const char *reason_of(const struct queue *queue)
{
    if (!queue->served && !queue->supposed)
        return "the logs know no services (--what-if-service)";
    if (!isfinite(queue->whole.rho))
        return "no worker has events to learn from";
    return "a mean is null where the model gives none for one of the workers";
}

static json_t *whole_json(const struct queue *queue)
{
    const struct queue_whole *whole = &queue->whole;
    json_t *object = json_object();
    json_set_count(object, "events", whole->events);
    json_set_number(object, "span_s", whole->span_s);
    json_object_set_new(object, "rate_per_s",
                        estimate_json(whole->rate_per_s.value,
                                      &whole->rate_per_s.interval));
    json_set_number(object, "rho_mean", whole->rho);
    json_set_number(object, "rho_max", whole->rho_max);
    json_object_set_new(object, "observed_wait_s", wait_figures_json(&whole->observed));
    json_set_number(object, "observed_mean_without_setup_s", whole->without_setup_s);
    json_t *means = json_object();
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        json_set_number(means, queue_model_keys[model], whole->mean_s[model]);
    json_set_number(means, "lindley", whole->lindley_s);
    json_set_number(means, "lindley_setup", whole->lindley_setup_s);
    json_object_set_new(object, "mean_wait_s", means);
    bool complete = true;
    for (unsigned model = 0; model < QUEUE_MODELS; model++)
        complete = complete && isfinite(whole->mean_s[model]);
    json_set_text(object, "reason", complete ? NULL : reason_of(queue));
    return object;
}

static json_t *what_if_json(const struct queue *queue)
{
    json_t *object = json_object();
    json_t *list = json_array();
    bool supposed = queue->what_if_service_ns != LINDLEY_RECORDED;
    json_set_number(object, "service_s",
                    supposed ? (double)queue->what_if_service_ns / NS_PER_S : NAN);
    json_set_number(object, "setup_s", queue->what_if_setup_s);
    for (size_t i = 0; i < queue->what_if_count; i++) {
        const struct queue_what_if *what_if = &queue->what_ifs[i];
        json_t *item = json_object();
        json_set_count(item, "workers", what_if->workers);
        json_set_number(item, "rho", what_if->rho);
        json_object_set_new(item, "wait_s", wait_figures_json(&what_if->waits));
        json_array_append_new(list, item);
    }
    json_object_set_new(object, "workers", list);
    json_set_number(object, "median_tpot_s", queue->tpot_s);
    json_set_number(object, "budget_p99_wait_s", queue->budget_s);
    if (queue->enough_workers > 0)
        json_set_count(object, "enough_workers", queue->enough_workers);
    else
        json_object_set_new(object, "enough_workers", json_null());
    json_set_text(object, "enough_workers_reason",
                  queue->enough_workers > 0    ? NULL
                  : !isfinite(queue->budget_s) ? "no budget: no median TPOT"
                  : !isfinite(queue->whole.rho) ? "no worker can be analysed"
                                               : "no number up to the limit is enough");
    return object;
}

static json_t *log_json(const struct queue_log *log)
{
    json_t *object = json_object();
    json_set_count(object, "events", log->events);
    json_set_count(object, "without_arrival", log->no_arrival);
    json_set_count(object, "without_app_time", log->no_app);
    json_set_count(object, "shared_reads", log->shared_reads);
    return object;
}

json_t *queue_json(const struct queue *queue)
{
    const struct queue_data *data = queue->data;
    json_t *document = json_object();
    json_t *workers = json_array();
    json_object_set_new(document, "schema", json_string("tokanalyze.queue/1"));
    json_set_text(document, "arrivals_by", data->packets.used ? "packets" : "log");
    json_object_set_new(document, "services_known", json_boolean(queue->served));
    json_set_count(document, "requests", data->requests);
    if (data->packets.used) {
        json_set_count(document, "requests_in_capture", data->packets.found);
        json_set_count(document, "requests_not_in_capture", data->packets.missing);
        json_set_count(document, "packets_dropped", data->packets.dropped);
    }
    json_set_count(document, "client_resource_failures", data->client_resource);
    json_set_count(document, "events_outside_window", queue->outside);
    json_object_set_new(document, "whole", whole_json(queue));
    json_object_set_new(document, "what_if", what_if_json(queue));
    for (size_t i = 0; i < queue->worker_count; i++) {
        json_t *worker = queue_worker_json(queue, &queue->workers[i]);
        json_object_set_new(worker, "log", log_json(&data->logs[i]));
        json_array_append_new(workers, worker);
    }
    json_object_set_new(document, "workers", workers);
    return document;
}
