#include "analyze/stage_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lmbench.h"
#include "analyze/short_text.h"
#include "formats/base/memory.h"

/* Checks of a verdict that fail when the client could not do what was asked of it. One
 * stall, or stamps that are not exact, spoil latencies, but bound no throughput. */
static const char *const client_checks[] = {
    "sent_share", "send_lag_share", "receive_lag_share", "utilisation", "log_wait",
};

enum { DEAD_REQUESTS_MIN = 10 };
/* Share of the requests after the last success that must have found no server. */
#define DEAD_SHARE 0.9

void stage_row_release(struct stage_row *row)
{
    free(row->name);
    summary_release(&row->whole);
    summary_release(&row->steady);
}

const char *stage_row_use_name(const struct stage_row *row)
{
    static const char *const names[] = { "usable", "client_limited", "failing",
                                         "sparse" };
    return row->purpose == STAGE_LADDER ? "ladder" : names[row->evidence.use];
}

bool stage_row_meets(const struct stage_row *row, const struct slo *slo)
{
    for (size_t i = 0; i < slo->count; i++)
        if (!row->objectives[i].certain)
            return false;
    return row->evidence.use == STAGE_USABLE;
}

bool stage_row_misses(const struct stage_row *row, const struct slo *slo)
{
    for (size_t i = 0; i < slo->count; i++)
        if (!row->objectives[i].met)
            return true;
    return false;
}

/* ---- what the stage can be used for ---- */

static const struct verdict_check *failed_client_check(const struct summary *whole)
{
    /* what found no server was not sent, and is not the client's fault */
    const struct request_counts *requests = &whole->requests;
    bool refused = requests->by_outcome[OUTCOME_CONNECT] > 0;
    for (size_t i = 0; i < whole->verdict.count; i++) {
        const struct verdict_check *check = &whole->verdict.checks[i];
        for (size_t j = 0; j < sizeof client_checks / sizeof *client_checks; j++)
            if (!check->ok && strcmp(check->name, client_checks[j]) == 0 &&
                !(refused && strcmp(check->name, "sent_share") == 0))
                return check;
    }
    return NULL;
}

static bool judge_client(struct stage_row *row)
{
    const struct request_counts *requests = &row->whole.requests;
    const struct verdict_check *check = failed_client_check(&row->whole);
    if (check != NULL)
        snprintf(row->why, sizeof row->why, "%s", check->text);
    else if (row->finding == STAGE_CLIENT_LIMITED)
        snprintf(row->why, sizeof row->why, "a worker was busy nearly all the time");
    else if (requests->by_outcome[OUTCOME_CLIENT_RESOURCE] > 0)
        snprintf(row->why, sizeof row->why,
                 "the client ran out of descriptors or ports for %s requests",
                 count_text(requests->by_outcome[OUTCOME_CLIENT_RESOURCE]).text);
    else
        return false;
    row->evidence.use = STAGE_CLIENT;
    return true;
}

/* When the last request that succeeded was due, and whether those after it found no
 * server at all. */
static double dead_from(const struct collection *collection)
{
    int64_t last_ns = INT64_MIN;
    uint64_t after = 0;
    uint64_t gone = 0;
    for (size_t i = 0; i < collection->count; i++)
        if (collection->samples[i].outcome == OUTCOME_OK &&
            collection->samples[i].due_ns > last_ns)
            last_ns = collection->samples[i].due_ns;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns <= last_ns)
            continue;
        after++;
        gone += sample->outcome == OUTCOME_CONNECT ||
                sample->outcome == OUTCOME_TRUNCATED;
    }
    if (after < DEAD_REQUESTS_MIN || (double)gone < DEAD_SHARE * (double)after)
        return NAN;
    return last_ns < 0 ? 0 : (double)last_ns / NS_PER_S;
}

/* "http_status 12, timeout 3". */
static void list_failures(char *text, size_t size, const struct request_counts *requests)
{
    size_t len = 0;
    text[0] = '\0';
    for (unsigned outcome = OUTCOME_HTTP_STATUS; outcome < OUTCOME_CANCELLED; outcome++) {
        if (requests->by_outcome[outcome] == 0 || len >= size)
            continue;
        int added = snprintf(text + len, size - len, "%s%s %s", len > 0 ? ", " : "",
                             outcome_name(outcome),
                             count_text(requests->by_outcome[outcome]).text);
        len += added > 0 ? (size_t)added : 0;
    }
}

static void judge_failures(struct stage_row *row, const struct verdict_limits *limits)
{
    const struct request_counts *requests = &row->whole.requests;
    double share = (double)requests->failed / (double)requests->planned;
    char failures[STAGE_WHY_MAX / 2];
    if (requests->planned == 0 || !(share > limits->max_failed_share))
        return;
    row->evidence.use = STAGE_FAILING;
    list_failures(failures, sizeof failures, requests);
    int len = snprintf(row->why, sizeof row->why, "%s of the planned requests failed: %s",
                       percent_text(share).text, failures);
    if (!isnan(row->dead_from_s) && len > 0 && (size_t)len < sizeof row->why)
        snprintf(row->why + len, sizeof row->why - (size_t)len,
                 "; from %s on nothing answered", duration_text(row->dead_from_s).text);
}

/* ---- figures ---- */

static struct stage_visit *visits_of(const struct collection *collection)
{
    struct stage_visit *visits = memory_new(collection->count, sizeof *visits);
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        visits[i] = (struct stage_visit){
            .due_ns = sample->due_ns,
            .sent_ns = sample->sent_ns,
            .end_ns = sample->end_ns,
            .ok = sample->outcome == OUTCOME_OK,
        };
    }
    return visits;
}

static void fill_evidence(struct stage_row *row, const struct collection *collection,
                          int64_t end_ns)
{
    struct stage_visit *visits = visits_of(collection);
    stage_evidence_fill(&row->evidence, visits, collection->count, 0, end_ns);
    free(visits);
    if (row->evidence.use == STAGE_SPARSE)
        snprintf(row->why, sizeof row->why,
                 "fewer than %d requests or answers in its steady part",
                 EVIDENCE_REQUESTS_MIN);
}

static double client_share_of(const struct summary *summary)
{
    const struct client_times *client = &summary->client;
    double client_s = client->send_lag.mean + client->receive_lag_last.mean;
    double all_s = summary->latency[FROM_DUE].metrics[METRIC_E2E].mean +
                   client->receive_lag_last.mean;
    return all_s > 0 ? client_s / all_s : NAN;
}

static void judge_objectives(struct stage_row *row, const struct analysis *steady,
                             const struct stage_row_request *request)
{
    for (size_t i = 0; i < request->slo->count; i++)
        row->objectives[i] = load_objective_judge(&request->slo->terms[i], steady,
                                                  request->each_share);
}

/* Takes the summary out of the analysis. */
static void keep_summary(struct summary *summary, struct analysis *analysis)
{
    *summary = analysis->summary;
    analysis->summary = (struct summary){ 0 };
}

/* Goodput counts the requests within the limits of the terms that are about requests. */
static struct summary_request summary_request_of(const struct stage_row_request *request,
                                                 bool whole)
{
    struct summary_request result = { .limits = request->limits, .whole = whole };
    for (size_t i = 0; i < request->slo->count; i++) {
        struct slo_term term = request->slo->terms[i];
        bool each = term.statistic == SLO_EACH || term.statistic == SLO_QUANTILE;
        if (!each || term.metric == SLO_ITL)
            continue;
        term.statistic = SLO_EACH;
        result.slo.terms[result.slo.count++] = term;
    }
    return result;
}

/* ---- stages of our own ---- */

static int read_whole_stage(struct stage_row *row, char *path, int64_t duration_ns,
                            const struct stage_row_request *request, struct fault *fault)
{
    struct summary_request whole = summary_request_of(request, true);
    struct analysis analysis = { 0 };
    int status = analysis_run(&analysis, &path, 1, &whole, WINDOW_ALL, request->common,
                              fault);
    if (status == STATUS_OK) {
        keep_summary(&row->whole, &analysis);
        row->dead_from_s = dead_from(&analysis.collection);
        row->client_share = client_share_of(&row->whole);
        if (row->purpose != STAGE_LADDER) {
            if (!judge_client(row))
                judge_failures(row, &request->limits);
            fill_evidence(row, &analysis.collection, duration_ns);
        }
    }
    analysis_release(&analysis);
    return status;
}

static int read_steady_part(struct stage_row *row, char *path,
                            const struct stage_row_request *request, struct fault *fault)
{
    struct summary_request steady = summary_request_of(request, false);
    struct window window = WINDOW_ALL;
    struct analysis analysis = { 0 };
    if (row->purpose != STAGE_LADDER) {
        window.from_ns = (int64_t)(row->evidence.from_s * NS_PER_S);
        window.to_ns = (int64_t)(row->evidence.to_s * NS_PER_S);
    }
    int status = analysis_run(&analysis, &path, 1, &steady, window, request->common,
                              fault);
    if (status == STATUS_OK) {
        judge_objectives(row, &analysis, request);
        keep_summary(&row->steady, &analysis);
    }
    analysis_release(&analysis);
    return status;
}

int stage_row_read(struct stage_row *row, const char *path,
                   const struct profile_stage *stage, int64_t duration_ns,
                   const struct stage_row_request *request, struct fault *fault)
{
    char *operand = memory_copy_text(path, strlen(path));
    row->name = memory_copy_text(stage->directory, strlen(stage->directory));
    row->purpose = stage->purpose;
    row->finding = stage->finding;
    row->planned_per_s = stage->rate_per_s;
    row->concurrency = stage->concurrency;
    row->repetition = stage->repetition;
    row->evidence.planned_per_s = stage->rate_per_s;
    int status = read_whole_stage(row, operand, duration_ns, request, fault);
    if (status == STATUS_OK)
        status = read_steady_part(row, operand, request, fault);
    free(operand);
    return status;
}

/* ---- stages of other tools ---- */

/* Leaves the requests sent in the steady part. */
static void cut_to_steady(struct collection *collection,
                          const struct stage_evidence *evidence)
{
    size_t kept = 0;
    for (size_t i = 0; i < collection->count; i++) {
        double sent_s = (double)collection->samples[i].sent_ns / NS_PER_S;
        if (sent_s >= evidence->from_s && sent_s <= evidence->to_s)
            collection->samples[kept++] = collection->samples[i];
    }
    collection->outside = collection->count - kept;
    collection->count = kept;
}

static int64_t last_sent_ns(const struct collection *collection)
{
    int64_t last_ns = 0;
    for (size_t i = 0; i < collection->count; i++)
        if (collection->samples[i].sent_ns > last_ns)
            last_ns = collection->samples[i].sent_ns;
    return last_ns;
}

/* Its generator measures in one place: no send or receive lag, no verdict on loops. */
int stage_row_import(struct stage_row *row, const char *path,
                     const struct stage_row_request *request, struct fault *fault)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    struct summary_request summary = summary_request_of(request, false);
    struct analysis analysis = { 0 };
    struct collection *collection = &analysis.collection;
    row->name = memory_copy_text(name, strlen(name));
    row->purpose = STAGE_SWEEP;
    row->dead_from_s = NAN;
    row->client_share = NAN;
    row->evidence.closed = true;
    collection->logs = memory_new(1, sizeof *collection->logs);
    collection->log_count = 1;
    collection->epoch_count = 1;
    int status = lmbench_rate(path, &row->planned_per_s, fault);
    if (status == STATUS_OK)
        status = lmbench_read(collection, path, fault);
    if (status == STATUS_OK) {
        row->evidence.planned_per_s = row->planned_per_s;
        summary_compute(&row->whole, &summary, &analysis.load, collection);
        fill_evidence(row, collection, last_sent_ns(collection) + 1);
        cut_to_steady(collection, &row->evidence);
        summary_compute(&analysis.summary, &summary, &analysis.load, collection);
        judge_objectives(row, &analysis, request);
        keep_summary(&row->steady, &analysis);
    }
    analysis_release(&analysis);
    return status;
}
