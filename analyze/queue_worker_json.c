#include <math.h>

#include "analyze/json_values.h"
#include "analyze/lindley.h"
#include "analyze/queue_output.h"
#include "formats/base/clock.h"

static void set_estimate(json_t *object, const char *key, const struct estimate *estimate)
{
    json_object_set_new(object, key, estimate_json(estimate->value, &estimate->interval));
}

static json_t *estimates_json(const struct queue_worker *worker)
{
    const struct queue_estimates *estimates = &worker->estimates;
    const struct queue_batches *batches = &estimates->batches;
    json_t *object = json_object();
    json_set_number(object, "span_s", estimates->span_s);
    set_estimate(object, "rate_per_s", &estimates->rate_per_s);
    set_estimate(object, "service_s", &estimates->service[0]);
    set_estimate(object, "service_2_s2", &estimates->service[1]);
    set_estimate(object, "service_3_s3", &estimates->service[2]);
    set_estimate(object, "service_squared_cv", &estimates->service_squared_cv);
    set_estimate(object, "setup_s", &estimates->setup);
    set_estimate(object, "setup_2_s2", &estimates->setup_2);
    json_set_number(object, "idle_share", estimates->idle_share);
    set_estimate(object, "rho", &estimates->rho);
    json_set_number(object, "busy_share", worker->busy_share);
    json_set_number(object, "batch_gap_s", (double)batches->gap_ns / NS_PER_S);
    json_set_count(object, "batches", batches->count);
    json_set_number(object, "batch_start_squared_cv", batches->start_squared_cv);
    set_estimate(object, "batch_size", &batches->size);
    set_estimate(object, "batch_size_2", &batches->size_2);
    return object;
}

static json_t *bracket_json(const struct bracket *bracket)
{
    json_t *pair = json_array();
    json_array_append_new(pair, isfinite(bracket->low) ? json_real(bracket->low)
                                                       : json_null());
    json_array_append_new(pair, isfinite(bracket->high) ? json_real(bracket->high)
                                                        : json_null());
    return pair;
}

/* Why a model gives no mean; NULL: it does. */
static const char *reason_of(const struct queue_model_set *set, double mean_s)
{
    if (isfinite(mean_s))
        return NULL;
    if (!(set->predictions.rho < 1))
        return "rho >= 1: no steady state";
    if (!(set->predictions.rho > 0))
        return "no service takes any time";
    if (set->inputs.rate_per_s * set->inputs.events.busy_s >= 1)
        return "events that wait are served too slowly: no steady state";
    return isfinite(set->inputs.setup_s) ? "an input is unknown"
                                         : "the log has no wake-ups: set-up unknown";
}

static json_t *model_json(const struct queue_model_set *set, double mean_s, double seen_s)
{
    json_t *object = json_object();
    json_set_number(object, "mean", mean_s);
    json_set_number(object, "ratio", mean_s / seen_s);
    json_set_text(object, "reason", reason_of(set, mean_s));
    return object;
}

static json_t *lindley_json(const struct queue_model_set *set,
                            const struct wait_figures *figures, double seen_s)
{
    json_t *object = model_json(set, figures->mean.value, seen_s);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        json_set_number(object, wait_percentile_names[i], figures->percentiles[i].value);
    return object;
}

/* seen_s is what the ratios divide by. */
static json_t *model_set_json(const struct queue_model_set *set, double seen_s)
{
    const struct queue_predictions *predictions = &set->predictions;
    json_t *object = json_object();
    json_set_number(object, "rho", predictions->rho);
    for (unsigned model = 0; model < QUEUE_MODELS; model++) {
        json_t *item = model_json(set, predictions->mean_s[model], seen_s);
        if (model == MODEL_MG1) {
            json_set_number(item, "second_moment_s2", predictions->mg1_2);
            for (size_t i = 0; i < WAIT_PERCENTILES; i++)
                json_object_set_new(item, wait_percentile_names[i],
                                    bracket_json(&set->mg1[i]));
        }
        json_object_set_new(object, queue_model_keys[model], item);
    }
    json_object_set_new(object, "lindley", lindley_json(set, &set->lindley, seen_s));
    json_object_set_new(object, "lindley_setup",
                        lindley_json(set, &set->lindley_setup, seen_s));
    return object;
}

static json_t *arrivals_json(const struct arrival_tests *tests)
{
    json_t *object = json_object();
    json_t *windows = json_array();
    json_set_count(object, "gaps", tests->gaps);
    json_set_number(object, "mean_gap_s", tests->mean_gap_s);
    json_set_number(object, "squared_cv", tests->squared_cv);
    json_set_number(object, "zero_share", tests->zero_share);
    json_set_number(object, "lag1_correlation", tests->lag1);
    json_set_number(object, "lag1_p_value", tests->lag1_p_value);
    json_set_count(object, "tested_gaps", tests->tested);
    json_set_number(object, "anderson_darling", tests->anderson_darling);
    json_set_number(object, "anderson_darling_p_value", tests->anderson_p_value);
    json_set_number(object, "exponential_distance", tests->distance);
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++) {
        const struct dispersion *dispersion = &tests->dispersion[i];
        json_t *item = json_object();
        json_set_number(item, "window_s", (double)dispersion->window_ns / NS_PER_S);
        json_set_count(item, "windows", dispersion->windows);
        json_set_number(item, "index", dispersion->index);
        json_set_number(item, "p_value", dispersion->p_value);
        json_array_append_new(windows, item);
    }
    json_object_set_new(object, "dispersion", windows);
    return object;
}

static json_t *law_json(const struct service_fit *fit, enum service_law_kind kind)
{
    json_t *object = json_object();
    json_set_text(object, "law", service_law_names[kind]);
    json_set_number(object, "aic", fit->aic[kind]);
    for (unsigned i = 0; service_law_parameter_name(kind, i); i++)
        json_set_number(object, service_law_parameter_name(kind, i),
                        fit->laws[kind].parameters[i]);
    return object;
}

static json_t *services_json(const struct service_fit *fit)
{
    json_t *object = json_object();
    json_t *laws = json_array();
    json_set_count(object, "services", fit->services);
    json_set_number(object, "zero_share", fit->zero_share);
    json_set_number(object, "lag1_correlation", fit->lag1);
    json_set_number(object, "backlog_correlation", fit->backlog_correlation);
    json_set_number(object, "mean_after_idle_s", fit->idle_mean_s);
    json_set_number(object, "mean_after_wait_s", fit->waited_mean_s);
    json_set_number(object, "tail_index", fit->tail_index);
    json_set_number(object, "tail_index_standard_error", fit->tail_index_error);
    json_set_count(object, "fitted", fit->fitted);
    json_set_text(object, "best_law",
                  fit->fitted > 0 ? service_law_names[fit->best] : NULL);
    json_set_text(object, "best_law_reason",
                  fit->fitted > 0 ? NULL : "too few services above 0");
    json_set_number(object, "best_law_distance", fit->distance);
    json_set_number(object, "best_law_p_value", fit->gof_p_value);
    for (unsigned kind = 0; kind < SERVICE_LAWS && fit->fitted > 0; kind++)
        json_array_append_new(laws, law_json(fit, kind));
    json_object_set_new(object, "laws", laws);
    return object;
}

static json_t *capacity_json(const struct queue_worker *worker)
{
    json_t *list = json_array();
    for (size_t i = 0; i < QUEUE_CAPACITIES; i++) {
        json_t *item = json_object();
        json_set_number(item, "rho", queue_capacity_rhos[i]);
        json_set_number(item, "events_per_s", worker->capacity_per_s[i]);
        json_set_number(item, "events_per_s_by_busy_share",
                        worker->busy_capacity_per_s[i]);
        json_array_append_new(list, item);
    }
    return list;
}

static void set_served(json_t *object, const struct queue_worker *worker)
{
    json_object_set_new(object, "services", services_json(&worker->services));
    json_object_set_new(object, "observed_wait_s", wait_figures_json(&worker->observed));
    json_set_number(object, "observed_mean_without_setup_s", worker->without_setup_s);
    json_object_set_new(object, "models_s",
                        model_set_json(&worker->recorded, worker->observed.mean.value));
    json_object_set_new(object, "capacity", capacity_json(worker));
}

json_t *queue_worker_json(const struct queue *queue, const struct queue_worker *worker)
{
    struct buffer text = BUFFER_INIT;
    json_t *object = json_object();
    queue_sentence(&text, queue, worker);
    json_set_count(object, "worker", worker->worker);
    json_set_text(object, "verdict", buffer_text(&text));
    json_set_count(object, "events", worker->events);
    json_set_text(object, "problem", worker->problem);
    json_set_count(object, "negative_services", worker->service.negative);
    json_set_number(object, "least_service_s",
                    (double)worker->service.least_ns / NS_PER_S);
    buffer_release(&text);
    if (worker->problem)
        return object;
    json_object_set_new(object, "saturated",
                        json_boolean(queue_worker_is_saturated(worker)));
    json_object_set_new(object, "estimates", estimates_json(worker));
    json_object_set_new(object, "arrivals", arrivals_json(&worker->arrivals));
    if (queue->served)
        set_served(object, worker);
    if (queue->supposed)
        json_object_set_new(object, "what_if_models_s",
                            model_set_json(&worker->supposed,
                                           worker->supposed.lindley.mean.value));
    return object;
}
