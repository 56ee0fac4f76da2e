#include "analyze/summary.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

void summary_release(struct summary *summary)
{
    free(summary->workers);
    summary->workers = NULL;
}

/* The value of one request in seconds, or false where it has none. */
typedef bool value_fn(const struct request_sample *sample, const void *context,
                      double *seconds);

#define ALL_LOGS SIZE_MAX

/* The distribution of a value over the requests of one log or of all; `succeeded` only,
 * when asked. excluded counts those that have no value. */
static struct distribution distribution_over(const struct collection *collection,
                                             size_t log, bool succeeded, value_fn *value,
                                             const void *context)
{
    double *values = memory_new(collection->count, sizeof *values);
    size_t count = 0;
    uint64_t excluded = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if ((log != ALL_LOGS && sample->log != log) ||
            (succeeded && sample->outcome != OUTCOME_OK))
            continue;
        if (value(sample, context, &values[count]))
            count++;
        else
            excluded++;
    }
    struct distribution result = distribution_of_values(values, count, excluded);
    free(values);
    return result;
}

struct metric_choice {
    enum metric metric;
    enum flavour flavour;
};

static bool value_of_metric(const struct request_sample *sample, const void *context,
                            double *seconds)
{
    const struct metric_choice *choice = context;
    return metric_value(sample, choice->metric, choice->flavour, seconds);
}

static bool difference_s(int64_t from_ns, int64_t to_ns, double *seconds)
{
    if (from_ns == TIME_NONE || to_ns == TIME_NONE)
        return false;
    *seconds = (double)(to_ns - from_ns) / NS_PER_S;
    return true;
}

static bool send_lag(const struct request_sample *sample, const void *context,
                     double *seconds)
{
    (void)context;
    return difference_s(sample->due_ns, sample->sent_ns, seconds);
}

static bool receive_lag_last(const struct request_sample *sample, const void *context,
                             double *seconds)
{
    (void)context;
    return difference_s(sample->arrival.last_ns, sample->app.last_ns, seconds);
}

static bool connect_time(const struct request_sample *sample, const void *context,
                         double *seconds)
{
    (void)context;
    return difference_s(sample->connect_start_ns, sample->connect_end_ns, seconds);
}

static void count_outcomes(struct request_counts *counts,
                           const struct collection *collection)
{
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        counts->sent += sample->sent_ns != TIME_NONE;
        if (sample->outcome < OUTCOMES)
            counts->by_outcome[sample->outcome]++;
    }
    counts->succeeded = counts->by_outcome[OUTCOME_OK];
    counts->cancelled = counts->by_outcome[OUTCOME_CANCELLED];
    counts->not_sent = counts->by_outcome[OUTCOME_NOT_SENT];
    counts->failed =
        collection->count - counts->succeeded - counts->cancelled - counts->not_sent;
}

/* What the plans say, for logs of runs; what the logs' own headers say, for the
 * others. */
static uint64_t planned_requests(const struct load *load)
{
    uint64_t planned = 0;
    for (size_t i = 0; i < load->run_count; i++)
        planned += load->runs[i].manifest.plan.requests;
    for (size_t i = 0; i < load->log_count; i++)
        if (load->logs[i].run == LOAD_NO_RUN)
            planned += load->logs[i].header.planned_requests;
    return planned;
}

static struct request_counts count_requests(const struct load *load,
                                            const struct collection *collection,
                                            bool whole)
{
    struct request_counts counts = { 0 };
    count_outcomes(&counts, collection);
    counts.planned = whole ? planned_requests(load) : 0;
    if (counts.planned < collection->count)
        counts.planned = collection->count;
    counts.unrecorded = counts.planned - collection->count;
    return counts;
}

static void add_tokens(struct token_counts *counts, const struct request_sample *sample)
{
    if (sample->sent_ns != TIME_NONE && sample->input_tokens != COUNT_NONE)
        counts->input += sample->input_tokens;
    else
        counts->input_unknown += sample->sent_ns != TIME_NONE;
    counts->input_cached += sample->cached_tokens;
    counts->output += sample->output_tokens;
    counts->mismatches += sample->mismatch;
    if (sample->outcome != OUTCOME_OK) {
        counts->output_failed += sample->output_tokens;
    } else if (sample->planned_output_tokens != COUNT_NONE) {
        counts->planned_output += sample->planned_output_tokens;
        counts->differing += sample->output_tokens != sample->planned_output_tokens;
    }
}

static struct token_counts count_tokens(const struct collection *collection)
{
    struct token_counts counts = { 0 };
    uint64_t by_usage = 0;
    uint64_t by_events = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        add_tokens(&counts, sample);
        if (sample->outcome != OUTCOME_OK)
            continue;
        by_usage += sample->counted_by_usage;
        by_events += !sample->counted_by_usage && sample->output_events > 0;
    }
    if (by_usage > 0)
        counts.counted_by = by_events > 0 ? COUNTED_MIXED : COUNTED_USAGE;
    else
        counts.counted_by = by_events > 0 ? COUNTED_EVENTS : COUNTED_NOTHING;
    return counts;
}

static void set_aggregate(struct latencies *latencies,
                          const struct collection *collection, enum flavour flavour)
{
    struct ratio_sums *sums = memory_new(1, sizeof *sums);
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        double e2e_s;
        if (sample->outcome == OUTCOME_OK && sample->output_tokens > 0 &&
            metric_choices_e2e(sample, flavour, &e2e_s))
            ratio_add(sums, e2e_s, sample->output_tokens);
    }
    latencies->ntpot_aggregate_s = ratio_value(sums);
    latencies->ntpot_aggregate_interval = ratio_interval(sums);
    free(sums);
}

static void set_latencies(struct summary *summary, const struct collection *collection,
                          enum flavour flavour)
{
    struct latencies *latencies = &summary->latency[flavour];
    for (int metric = 0; metric < REQUEST_METRICS; metric++) {
        struct metric_choice choice = { (enum metric)metric, flavour };
        latencies->metrics[metric] =
            distribution_over(collection, ALL_LOGS, true, value_of_metric, &choice);
    }
    set_aggregate(latencies, collection, flavour);
    if (flavour == FROM_DUE) { /* gaps have no origin: by arrival they are the same */
        latencies->itl = summary->latency[BY_ARRIVAL].itl;
        latencies->itl_token = summary->latency[BY_ARRIVAL].itl_token;
        return;
    }
    const struct itl *itl =
        flavour == BY_APP ? &collection->app_itl : &collection->arrival_itl;
    latencies->itl = itl_distribution(itl, false);
    latencies->itl_token = itl_distribution(itl, true);
}

static void check_identity(struct client_times *client,
                           const struct request_sample *sample)
{
    int64_t due_ns = sample->due_ns;
    int64_t sent_ns = sample->sent_ns;
    int64_t arrival_ns = sample->arrival.last_ns;
    int64_t app_ns = sample->app.last_ns;
    if (due_ns == TIME_NONE || sent_ns == TIME_NONE || arrival_ns == TIME_NONE ||
        app_ns == TIME_NONE)
        return;
    int64_t parts_ns =
        (sent_ns - due_ns) + (arrival_ns - sent_ns) + (app_ns - arrival_ns);
    client->identity_checked++;
    client->identity_violations += parts_ns != app_ns - due_ns;
}

static struct client_times client_times_of(const struct collection *collection)
{
    struct client_times client = {
        .send_lag = distribution_over(collection, ALL_LOGS, false, send_lag, NULL),
        .receive_lag_last = distribution_over(collection, ALL_LOGS, false,
                                              receive_lag_last, NULL),
        .connect = distribution_over(collection, ALL_LOGS, false, connect_time, NULL),
    };
    struct histogram lag = { 0 };
    for (size_t i = 0; i < collection->log_count; i++)
        histogram_merge(&lag, &collection->logs[i].lag);
    client.receive_lag = distribution_of_histogram(&lag, 0);
    histogram_release(&lag);
    for (size_t i = 0; i < collection->count; i++)
        check_identity(&client, &collection->samples[i]);
    return client;
}

static void set_goodput(struct summary *summary, const struct slo *slo,
                        const struct collection *collection)
{
    struct goodput *goodput = &summary->goodput;
    summary->has_goodput = slo->count > 0;
    if (!summary->has_goodput)
        return;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        goodput->met += sample->outcome == OUTCOME_OK && slo_met_by(slo, sample);
    }
    uint64_t planned = summary->requests.planned;
    goodput->share = planned > 0 ? (double)goodput->met / (double)planned : NAN;
    goodput->share_interval = interval_of_share(goodput->met, planned);
    goodput->per_s = summary->timeline.good_per_s;
}

static void set_worker(struct worker_summary *worker, const struct load_log *log,
                       const struct collection *collection, size_t index)
{
    const struct log_facts *facts = &collection->logs[index];
    struct metric_choice ttft = { METRIC_TTFT, BY_ARRIVAL };
    struct metric_choice tpot = { METRIC_TPOT, BY_ARRIVAL };
    *worker = (struct worker_summary){
        .worker = log->header.worker,
        .planned = log->header.planned_requests,
        .ttft = distribution_over(collection, index, true, value_of_metric, &ttft),
        .tpot = distribution_over(collection, index, true, value_of_metric, &tpot),
        .send_lag = distribution_over(collection, index, false, send_lag, NULL),
        .receive_lag = distribution_of_histogram(&facts->lag, 0),
        .utilisation =
            facts->loop_ns > 0 ? (double)facts->busy_ns / (double)facts->loop_ns : NAN,
        .utilisation_peak = facts->loop_ns > 0 ? facts->busy_peak : NAN,
    };
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        worker->sent += sample->log == index && sample->sent_ns != TIME_NONE;
        worker->succeeded += sample->log == index && sample->outcome == OUTCOME_OK;
    }
}

static void set_workers(struct summary *summary, const struct load *load,
                        const struct collection *collection)
{
    summary->worker_count = load->log_count;
    summary->workers = memory_new(load->log_count, sizeof *summary->workers);
    for (size_t i = 0; i < load->log_count; i++)
        set_worker(&summary->workers[i], &load->logs[i], collection, i);
}

static void set_losses(struct summary *summary, const struct load *load)
{
    for (size_t i = 0; i < load->log_count; i++) {
        summary->lost_frames += load->logs[i].loss.truncated;
        summary->interrupted |= load->logs[i].end_seen && load->logs[i].end.interrupted;
    }
    for (size_t i = 0; i < load->run_count; i++)
        summary->interrupted |= load->runs[i].manifest.interrupted;
}

/* Whether answers said when requests were due: in a closed loop, and for turns of
 * sessions, which the plan puts no later than their session's start. */
static bool due_by_answers(const struct run_manifest *manifest,
                           const struct collection *collection)
{
    for (size_t i = 0; i < collection->count; i++)
        if (collection->samples[i].due_ns > manifest->plan.last_due_ns)
            return true;
    return !manifest->open_loop;
}

/* The manifest knows the whole plan, also what no log has a record of. */
static void use_planned_rate(struct timeline *timeline, const struct load *load,
                             const struct collection *collection)
{
    bool one_run = load->run_count == 1;
    for (size_t i = 0; i < load->log_count; i++)
        one_run = one_run && load->logs[i].run == 0;
    if (!one_run || due_by_answers(&load->runs[0].manifest, collection))
        return;
    const struct run_plan_facts *plan = &load->runs[0].manifest.plan;
    if (plan->requests < 2 || plan->first_due_ns == TIME_NONE ||
        plan->last_due_ns <= plan->first_due_ns)
        return;
    double seconds = (double)(plan->last_due_ns - plan->first_due_ns) / NS_PER_S;
    timeline->planned_per_s = (double)(plan->requests - 1) / seconds;
}

void summary_compute(struct summary *summary, const struct summary_request *request,
                     const struct load *load, const struct collection *collection)
{
    *summary = (struct summary){ .outside = collection->outside };
    summary->requests = count_requests(load, collection, request->whole);
    summary->tokens = count_tokens(collection);
    summary->timeline = timeline_of(collection, &request->slo);
    if (request->whole)
        use_planned_rate(&summary->timeline, load, collection);
    for (int flavour = 0; flavour < FLAVOURS; flavour++)
        set_latencies(summary, collection, (enum flavour)flavour);
    summary->client = client_times_of(collection);
    summary->parts = ntpot_parts_of(collection->samples, collection->count);
    summary->warm_up = warm_up_of(collection);
    set_goodput(summary, &request->slo, collection);
    set_workers(summary, load, collection);
    set_losses(summary, load);
    verdict_judge(summary, &request->limits, load, collection);
}
