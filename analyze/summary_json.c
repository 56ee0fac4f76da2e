#include "analyze/json_values.h"
#include "analyze/summary_output.h"

static json_t *notes_json(const struct load *load)
{
    json_t *array = json_array();
    for (size_t i = 0; i < load->run_count; i++) {
        const struct run_texts *notes = &load->runs[i].manifest.notes;
        for (size_t j = 0; j < notes->count; j++)
            json_array_append_new(array, json_text(notes->items[j]));
    }
    return array;
}

static json_t *run_json(const struct summary *summary, const struct load *load)
{
    const struct run_manifest *manifest = summary_manifest(load);
    json_t *run = json_object();
    json_set_text(run, "id", summary_run_id(load));
    json_set_count(run, "workers", summary->worker_count);
    json_set_text(run, "plan_hash", manifest ? manifest->plan.hash : NULL);
    json_object_set_new(run, "interrupted", json_boolean(summary->interrupted));
    json_set_count(run, "lost_frames", summary->lost_frames);
    json_set_count(run, "runs", load->run_count);
    json_set_text(run, "arrival_by", summary_arrival_name(load));
    json_set_count(run, "arrivals_by_packets", load_packets(load).found);
    json_object_set_new(run, "notes", notes_json(load));
    if (!manifest)
        return run;
    json_set_text(run, "url", manifest->url);
    json_set_text(run, "api", manifest->api);
    json_set_text(run, "model", manifest->model);
    json_object_set_new(run, "open_loop", json_boolean(manifest->open_loop));
    json_set_count(run, "concurrency", manifest->concurrency);
    json_set_text(run, "emulated_client", manifest->emulated_client);
    return run;
}

static json_t *requests_json(const struct summary *summary)
{
    const struct request_counts *counts = &summary->requests;
    json_t *requests = json_object();
    json_t *failures = json_object();
    json_set_count(requests, "planned", counts->planned);
    json_set_count(requests, "sent", counts->sent);
    json_set_count(requests, "succeeded", counts->succeeded);
    json_set_count(requests, "failed", counts->failed);
    json_set_count(requests, "cancelled", counts->cancelled);
    json_set_count(requests, "not_sent", counts->not_sent);
    json_set_count(requests, "unrecorded", counts->unrecorded);
    json_set_count(requests, "outside_window", summary->outside);
    for (unsigned outcome = OUTCOME_HTTP_STATUS; outcome < OUTCOME_CANCELLED; outcome++)
        json_set_count(failures, outcome_name(outcome), counts->by_outcome[outcome]);
    json_object_set_new(requests, "failures", failures);
    return requests;
}

static json_t *rates_json(const struct summary *summary)
{
    json_t *rates = json_object();
    json_set_number(rates, "planned", summary->timeline.planned_per_s);
    json_set_number(rates, "sent", summary->timeline.sent_per_s);
    json_set_number(rates, "completed", summary->timeline.completed_per_s);
    return rates;
}

static json_t *tokens_json(const struct summary *summary)
{
    const struct token_counts *counts = &summary->tokens;
    json_t *tokens = json_object();
    if (counts->input == 0 && counts->input_unknown > 0)
        json_object_set_new(tokens, "input", json_null());
    else
        json_set_count(tokens, "input", counts->input);
    json_set_count(tokens, "input_unknown_requests", counts->input_unknown);
    json_set_count(tokens, "input_cached", counts->input_cached);
    json_set_count(tokens, "output", counts->output);
    json_set_number(tokens, "output_per_s", summary->timeline.output_per_s);
    json_set_text(tokens, "counted_by", counted_name(counts->counted_by));
    json_set_count(tokens, "mismatches", counts->mismatches);
    json_set_count(tokens, "output_failed", counts->output_failed);
    json_set_count(tokens, "planned_output", counts->planned_output);
    json_set_count(tokens, "differing_from_plan", counts->differing);
    return tokens;
}

static json_t *latencies_json(const struct latencies *latencies)
{
    json_t *object = json_object();
    for (int metric = 0; metric < REQUEST_METRICS; metric++)
        json_set_distribution(object, metric_names[metric], &latencies->metrics[metric]);
    json_set_distribution(object, "itl", &latencies->itl);
    json_set_distribution(object, "itl_token", &latencies->itl_token);
    json_object_set_new(object, "ntpot_aggregate",
                        estimate_json(latencies->ntpot_aggregate_s,
                                      &latencies->ntpot_aggregate_interval));
    return object;
}

static json_t *client_json(const struct client_times *client)
{
    json_t *object = json_object();
    json_t *identity = json_object();
    json_set_distribution(object, "send_lag", &client->send_lag);
    json_set_distribution(object, "receive_lag", &client->receive_lag);
    json_set_distribution(object, "receive_lag_last", &client->receive_lag_last);
    json_set_distribution(object, "connect", &client->connect);
    json_set_count(identity, "checked", client->identity_checked);
    json_set_count(identity, "violations", client->identity_violations);
    json_object_set_new(object, "identity", identity);
    return object;
}

static json_t *parts_json(const struct ntpot_parts *parts)
{
    json_t *object = json_object();
    json_set_distribution(object, "queue", &parts->queue);
    json_t *prefill = estimate_json(parts->prefill.slope, &parts->prefill.slope_interval);
    json_set_number(prefill, "intercept", parts->prefill.intercept);
    json_set_text(prefill, "reason", parts->prefill.reason);
    json_object_set_new(object, "prefill_per_token", prefill);
    json_object_set_new(object, "decode_per_token",
                        estimate_json(parts->decode_s, &parts->decode_interval));
    json_set_distribution(object, "queue_and_prefill", &parts->queue_and_prefill);

    json_t *aggregate = json_object();
    json_set_number(aggregate, "ntpot", parts->ntpot_s);
    json_set_number(aggregate, "queue", parts->queue_per_output_s);
    json_set_number(aggregate, "prefill", parts->prefill_per_output_s);
    json_set_number(aggregate, "decode", parts->decode_per_output_s);
    json_object_set_new(object, "aggregate", aggregate);
    return object;
}

static json_t *goodput_json(const struct summary *summary, const struct slo *slo)
{
    if (!summary->has_goodput)
        return json_null();
    json_t *goodput = json_object();
    json_t *terms = json_array();
    for (size_t i = 0; i < slo->count; i++)
        json_array_append_new(terms, json_string(slo->terms[i].text));
    json_object_set_new(goodput, "objectives", terms);
    json_set_count(goodput, "met", summary->goodput.met);
    json_set_number(goodput, "share", summary->goodput.share);
    json_object_set_new(goodput, "share_interval95",
                        interval_json(&summary->goodput.share_interval));
    json_set_number(goodput, "per_s", summary->goodput.per_s);
    return goodput;
}

static json_t *worker_json(const struct worker_summary *worker,
                           const struct load_log *log)
{
    json_t *object = json_object();
    json_set_count(object, "worker", worker->worker);
    json_set_text(object, "log", log->path);
    json_object_set_new(object, "readable", json_boolean(log->readable));
    json_object_set_new(object, "finished", json_boolean(log->end_seen));
    json_object_set_new(object, "truncated", json_boolean(log->loss.truncated));
    json_set_count(object, "lost_bytes", log->loss.lost_bytes);
    json_set_count(object, "planned", worker->planned);
    json_set_count(object, "sent", worker->sent);
    json_set_count(object, "succeeded", worker->succeeded);
    json_set_number(object, "utilisation", worker->utilisation);
    json_set_number(object, "utilisation_peak", worker->utilisation_peak);
    json_set_distribution(object, "ttft_s", &worker->ttft);
    json_set_distribution(object, "tpot_s", &worker->tpot);
    json_set_distribution(object, "send_lag_s", &worker->send_lag);
    json_set_distribution(object, "receive_lag_s", &worker->receive_lag);
    return object;
}

json_t *verdict_json(const struct verdict *verdict)
{
    json_t *object = json_object();
    json_t *reasons = json_array();
    json_t *checks = json_array();
    for (size_t i = 0; i < verdict->count; i++) {
        const struct verdict_check *check = &verdict->checks[i];
        json_t *item = json_object();
        json_set_text(item, "check", check->name);
        json_set_number(item, "value", check->value);
        json_set_number(item, "limit", check->limit);
        json_set_text(item, "unit", check->unit);
        json_object_set_new(item, "ok", json_boolean(check->ok));
        json_array_append_new(checks, item);
        if (!check->ok)
            json_array_append_new(reasons, json_string(check->text));
    }
    json_object_set_new(object, "valid", json_boolean(verdict->valid));
    json_object_set_new(object, "reasons", reasons);
    json_object_set_new(object, "checks", checks);
    return object;
}

static json_t *inflight_json(const struct inflight *inflight)
{
    json_t *object = json_object();
    json_set_count(object, "max", inflight->max);
    json_set_number(object, "mean", inflight->mean);
    return object;
}

static json_t *warm_up_json(const struct warm_up *warm_up)
{
    json_t *object = json_object();
    json_object_set_new(object, "settled",
                        warm_up->state.known ? json_boolean(warm_up->state.settled)
                                             : json_null());
    if (warm_up->state.settled)
        json_set_count(object, "requests", warm_up->state.warm_up);
    else
        json_object_set_new(object, "requests", json_null());
    json_set_number(object, "seconds", warm_up->seconds);
    json_set_number(object, "last_to_first_quarter", warm_up->rise);
    return object;
}

json_t *summary_json(const struct summary *summary, const struct load *load,
                     const struct slo *slo)
{
    json_t *document = json_object();
    json_t *workers = json_array();
    for (size_t i = 0; i < summary->worker_count; i++)
        json_array_append_new(workers, worker_json(&summary->workers[i], &load->logs[i]));
    json_object_set_new(document, "schema", json_string("tokanalyze.summary/1"));
    json_object_set_new(document, "verdict", verdict_json(&summary->verdict));
    json_object_set_new(document, "run", run_json(summary, load));
    json_object_set_new(document, "requests", requests_json(summary));
    json_object_set_new(document, "rate_per_s", rates_json(summary));
    json_set_number(document, "duration_s", summary->timeline.duration_s);
    json_object_set_new(document, "tokens", tokens_json(summary));
    json_object_set_new(document, "latency_s",
                        latencies_json(&summary->latency[BY_ARRIVAL]));
    json_object_set_new(document, "latency_app_s",
                        latencies_json(&summary->latency[BY_APP]));
    json_object_set_new(document, "latency_from_due_s",
                        latencies_json(&summary->latency[FROM_DUE]));
    json_object_set_new(document, "client_s", client_json(&summary->client));
    json_object_set_new(document, "ntpot_parts_s", parts_json(&summary->parts));
    json_object_set_new(document, "inflight", inflight_json(&summary->timeline.inflight));
    json_object_set_new(document, "warm_up", warm_up_json(&summary->warm_up));
    json_object_set_new(document, "goodput", goodput_json(summary, slo));
    json_object_set_new(document, "workers", workers);
    return document;
}
