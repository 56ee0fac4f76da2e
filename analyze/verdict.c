#include "analyze/verdict.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/summary.h"
#include "formats/base/clock.h"
#include "formats/base/units.h"

/* Adds a check and returns it; `ok` decides, value and limit are for the reader. */
static struct verdict_check *add_check(struct verdict *verdict, const char *name, const char *unit,
                                       double value, double limit, bool ok)
{
    assert(verdict->count < VERDICT_CHECKS_MAX);
    struct verdict_check *check = &verdict->checks[verdict->count++];
    *check = (struct verdict_check){
        .name = name, .unit = unit, .value = value, .limit = limit, .ok = ok,
    };
    if (!ok)
        verdict->valid = false;
    return check;
}

static void explain(struct verdict_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the text of a check that failed; does nothing for one that did not. */
static void explain(struct verdict_check *check, const char *format, ...)
{
    if (check->ok)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
}

/* What could not be told (NaN) fails nothing. */
static bool within(double value, double limit)
{
    return isnan(value) || value <= limit;
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void judge_requests(struct verdict *verdict, const struct summary *summary,
                           const struct verdict_limits *limits)
{
    const struct request_counts *requests = &summary->requests;
    char sent[UNITS_TEXT_MAX];
    char planned[UNITS_TEXT_MAX];
    units_format_count(sent, (int64_t)requests->sent);
    units_format_count(planned, (int64_t)requests->planned);

    double share = share_of(requests->sent, requests->planned);
    bool enough = isnan(share) || share >= limits->min_sent_share;
    explain(add_check(verdict, "sent_share", "share", share, limits->min_sent_share, enough),
            "only %s of %s planned requests were sent: the load was not the planned one", sent,
            planned);

    explain(add_check(verdict, "succeeded", "count", (double)requests->succeeded, 1,
                      requests->succeeded >= 1),
            "no request succeeded: there is nothing to measure");

    double failed = share_of(requests->failed, requests->planned);
    explain(add_check(verdict, "failed_share", "share", failed, limits->max_failed_share,
                      within(failed, limits->max_failed_share)),
            "%.1f %% of the requests failed: the latencies are those of the survivors",
            failed * 100);

    uint64_t resource = requests->by_outcome[OUTCOME_CLIENT_RESOURCE];
    explain(add_check(verdict, "client_resource", "count", (double)resource, 0, resource == 0),
            "%" PRIu64 " requests failed because the client ran out of descriptors or ports",
            resource);

    explain(add_check(verdict, "interrupted", "count", summary->interrupted, 0,
                      !summary->interrupted),
            "the run was interrupted: %" PRIu64 " requests in flight were cut off, as a rule the "
            "slowest, and are in no latency", requests->cancelled);
}

static void judge_lags(struct verdict *verdict, const struct summary *summary,
                       const struct verdict_limits *limits)
{
    const struct latencies *latency = &summary->latency[BY_ARRIVAL];
    double ttft_s = distribution_headline(&latency->metrics[METRIC_TTFT], HEADLINE_P50);
    double tpot_s = distribution_headline(&latency->metrics[METRIC_TPOT], HEADLINE_P50);
    double send_s = distribution_headline(&summary->client.send_lag, HEADLINE_P99);
    double receive_s = distribution_headline(&summary->client.receive_lag, HEADLINE_P99);
    char lag[UNITS_TEXT_MAX];
    char base[UNITS_TEXT_MAX];

    double share = ttft_s > 0 ? send_s / ttft_s : NAN;
    units_format_duration(lag, send_s);
    units_format_duration(base, ttft_s);
    explain(add_check(verdict, "send_lag_share", "share", share, limits->max_send_lag_share,
                      within(share, limits->max_send_lag_share)),
            "requests left late: p99 of the send lag is %s, %.0f %% of the median TTFT of %s", lag,
            share * 100, base);

    share = tpot_s > 0 ? receive_s / tpot_s : NAN;
    units_format_duration(lag, receive_s);
    units_format_duration(base, tpot_s);
    explain(add_check(verdict, "receive_lag_share", "share", share,
                      limits->max_receive_lag_share,
                      within(share, limits->max_receive_lag_share)),
            "the client read late: p99 of the receive lag is %s, %.0f %% of the median TPOT of %s",
            lag, share * 100, base);
}

/* The worst worker in one respect. */
struct worst {
    double value; /* NaN until one has a value */
    uint32_t worker;
};

static void worst_add(struct worst *worst, double value, uint32_t worker)
{
    if (!isnan(value) && !(value <= worst->value))
        *worst = (struct worst){ value, worker };
}

static void judge_loops(struct verdict *verdict, const struct summary *summary,
                        const struct verdict_limits *limits, const struct load *load,
                        const struct collection *collection)
{
    struct worst busy = { NAN, 0 };
    struct worst stall = { NAN, 0 };
    struct worst wait = { NAN, 0 };
    for (size_t i = 0; i < load->log_count; i++) {
        const struct log_facts *facts = &collection->logs[i];
        uint32_t worker = load->logs[i].header.worker;
        if (facts->loop_ns == 0)
            continue;
        worst_add(&busy, summary->workers[i].utilisation, worker);
        worst_add(&stall, (double)facts->stall_ns / NS_PER_S, worker);
        worst_add(&wait, (double)facts->log_wait_ns / NS_PER_S, worker);
    }
    char text[UNITS_TEXT_MAX];
    explain(add_check(verdict, "utilisation", "share", busy.value, limits->max_utilisation,
                      within(busy.value, limits->max_utilisation)),
            "worker %" PRIu32 " was busy %.0f %% of the time: it queues tokens itself; use more "
            "workers", busy.worker, busy.value * 100);

    double limit_s = (double)limits->max_stall_ns / NS_PER_S;
    units_format_duration(text, stall.value);
    explain(add_check(verdict, "stall", "s", stall.value, limit_s, within(stall.value, limit_s)),
            "worker %" PRIu32 " stood still for %s", stall.worker, text);

    limit_s = (double)limits->max_log_wait_ns / NS_PER_S;
    units_format_duration(text, wait.value);
    explain(add_check(verdict, "log_wait", "s", wait.value, limit_s, within(wait.value, limit_s)),
            "worker %" PRIu32 " waited %s for the disk of its log", wait.worker, text);
}

static void judge_stamps(struct verdict *verdict, const struct verdict_limits *limits,
                         const struct collection *collection)
{
    uint64_t tokens = 0;
    uint64_t shared = 0;
    uint64_t unknown = 0;
    uint64_t negative = collection->arrival_itl.negative;
    double step_s = 0;
    for (size_t i = 0; i < collection->log_count; i++) {
        const struct log_facts *facts = &collection->logs[i];
        tokens += facts->token_events;
        shared += facts->shared_reads;
        unknown += facts->unknown_times;
        negative += facts->negative_lags;
        step_s = fmax(step_s, fabs((double)facts->largest_step_ns) / NS_PER_S);
    }
    double share = share_of(shared, tokens);
    explain(add_check(verdict, "shared_read_share", "share", share,
                      limits->max_shared_read_share,
                      within(share, limits->max_shared_read_share)),
            "%.0f %% of the tokens shared a read with others: their arrival stamps are not exact",
            share * 100);
    explain(add_check(verdict, "unknown_arrivals", "count", (double)unknown, 0, unknown == 0),
            "%" PRIu64 " tokens have no arrival time: the capture lost their packets", unknown);
    explain(add_check(verdict, "clock_faults", "count", (double)negative, 0, negative == 0),
            "%" PRIu64 " tokens have stamps that cannot be: before the token ahead of them, or "
            "after the client had them", negative);

    char text[UNITS_TEXT_MAX];
    double limit_s = (double)limits->max_clock_step_ns / NS_PER_S;
    units_format_duration(text, step_s);
    explain(add_check(verdict, "clock_step", "s", step_s, limit_s, step_s <= limit_s),
            "the wall clock stepped by %s: arrival stamps near the step are off", text);
}

/* Workers that the manifests or the headers promise, but that left no log. */
static uint64_t missing_workers(const struct load *load)
{
    uint64_t missing = 0;
    for (size_t run = 0; run < load->run_count; run++) {
        uint64_t found = 0;
        for (size_t i = 0; i < load->log_count; i++)
            found += load->logs[i].run == run && load->logs[i].readable;
        uint64_t promised = load->runs[run].manifest.worker_count;
        missing += promised > found ? promised - found : 0;
    }
    return missing;
}

static void judge_logs(struct verdict *verdict, const struct summary *summary,
                       const struct load *load)
{
    uint64_t unfinished = 0;
    uint64_t lost_bytes = 0;
    for (size_t i = 0; i < load->log_count; i++) {
        unfinished += load->logs[i].readable && !load->logs[i].end_seen;
        lost_bytes += load->logs[i].loss.lost_bytes;
    }
    uint64_t missing = missing_workers(load);
    explain(add_check(verdict, "missing_logs", "count", (double)missing, 0, missing == 0),
            "%" PRIu64 " workers left no log that can be read", missing);
    explain(add_check(verdict, "unfinished_logs", "count", (double)unfinished, 0, unfinished == 0),
            "%" PRIu64 " logs have no end: their workers died", unfinished);
    explain(add_check(verdict, "lost_frames", "count", (double)summary->lost_frames, 0,
                      summary->lost_frames == 0),
            "%" PRIu64 " frames are cut off at the end of logs; %" PRIu64 " bytes are lost",
            summary->lost_frames, lost_bytes);
    uint64_t unrecorded = summary->requests.unrecorded;
    explain(add_check(verdict, "unrecorded", "count", (double)unrecorded, 0, unrecorded == 0),
            "%" PRIu64 " planned requests are in no log", unrecorded);
}

void verdict_judge(struct summary *summary, const struct verdict_limits *limits,
                   const struct load *load, const struct collection *collection)
{
    struct verdict *verdict = &summary->verdict;
    *verdict = (struct verdict){ .valid = true };
    judge_requests(verdict, summary, limits);
    judge_lags(verdict, summary, limits);
    judge_loops(verdict, summary, limits, load, collection);
    judge_stamps(verdict, limits, collection);
    judge_logs(verdict, summary, load);
}
