#include "analyze/verdict.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "analyze/short_text.h"
#include "analyze/summary.h"
#include "formats/base/clock.h"

static struct verdict_check *add_check(struct verdict *verdict, const char *name,
                                       const char *unit, double value, double limit)
{
    assert(verdict->count < VERDICT_CHECKS_MAX);
    struct verdict_check *check = &verdict->checks[verdict->count++];
    *check = (struct verdict_check){
        .name = name, .unit = unit, .value = value, .limit = limit, .ok = true,
    };
    return check;
}

static void fail(struct verdict *verdict, struct verdict_check *check,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says in words what is wrong. */
static void fail(struct verdict *verdict, struct verdict_check *check,
                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
    check->ok = false;
    verdict->valid = false;
}

/* What could not be told (NaN) fails nothing. */
static bool exceeds(const struct verdict_check *check)
{
    return check->value > check->limit;
}

/* Something that must not have happened at all; the count follows the text. */
static void check_none(struct verdict *verdict, const char *name, uint64_t count,
                       const char *text)
{
    struct verdict_check *check = add_check(verdict, name, "count", (double)count, 0);
    if (count > 0)
        fail(verdict, check, "%s: %s", text, count_text(count).text);
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void judge_requests(struct verdict *verdict, const struct summary *summary,
                           const struct verdict_limits *limits)
{
    const struct request_counts *requests = &summary->requests;
    struct verdict_check *check =
        add_check(verdict, "sent_share", "share",
                  share_of(requests->sent, requests->planned), limits->min_sent_share);
    if (check->value < check->limit)
        fail(verdict, check, "only %s of %s planned requests were sent: the load was not "
             "the planned one", count_text(requests->sent).text,
             count_text(requests->planned).text);

    check = add_check(verdict, "succeeded", "count", (double)requests->succeeded, 1);
    if (requests->succeeded == 0)
        fail(verdict, check, "no request succeeded: there is nothing to measure");

    check = add_check(verdict, "failed_share", "share",
                      share_of(requests->failed, requests->planned),
                      limits->max_failed_share);
    if (exceeds(check))
        fail(verdict, check, "%s of the requests failed: the latencies are those of the "
             "survivors", percent_text(check->value).text);

    check_none(verdict, "client_resource", requests->by_outcome[OUTCOME_CLIENT_RESOURCE],
               "requests that failed because the client ran out of descriptors or ports");

    check = add_check(verdict, "interrupted", "count", summary->interrupted, 0);
    if (summary->interrupted)
        fail(verdict, check, "the run was interrupted: requests in flight, as a rule "
             "the slowest, were cut off and are in no latency: %s",
             count_text(requests->cancelled).text);
}

static void judge_lags(struct verdict *verdict, const struct summary *summary,
                       const struct verdict_limits *limits)
{
    const struct distribution *metrics = summary->latency[BY_ARRIVAL].metrics;
    double ttft_s = distribution_headline(&metrics[METRIC_TTFT], HEADLINE_P50);
    double tpot_s = distribution_headline(&metrics[METRIC_TPOT], HEADLINE_P50);
    double send_s = distribution_headline(&summary->client.send_lag, HEADLINE_P99);
    double receive_s = distribution_headline(&summary->client.receive_lag, HEADLINE_P99);

    struct verdict_check *check =
        add_check(verdict, "send_lag_share", "share", ttft_s > 0 ? send_s / ttft_s : NAN,
                  limits->max_send_lag_share);
    if (exceeds(check))
        fail(verdict, check, "requests left late: p99 of the send lag is %s, %s of the "
             "median TTFT of %s", duration_text(send_s).text,
             percent_text(check->value).text, duration_text(ttft_s).text);

    check = add_check(verdict, "receive_lag_share", "share",
                      tpot_s > 0 ? receive_s / tpot_s : NAN,
                      limits->max_receive_lag_share);
    if (exceeds(check))
        fail(verdict, check, "the client read late: p99 of the receive lag is %s, %s of "
             "the median TPOT of %s", duration_text(receive_s).text,
             percent_text(check->value).text, duration_text(tpot_s).text);
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
    struct verdict_check *check =
        add_check(verdict, "utilisation", "share", busy.value, limits->max_utilisation);
    if (exceeds(check))
        fail(verdict, check, "worker %" PRIu32 " was busy %s of the time and queues "
             "tokens itself: use more workers", busy.worker,
             percent_text(busy.value).text);

    check = add_check(verdict, "stall", "s", stall.value,
                      (double)limits->max_stall_ns / NS_PER_S);
    if (exceeds(check))
        fail(verdict, check, "worker %" PRIu32 " stood still for %s", stall.worker,
             duration_text(stall.value).text);

    check = add_check(verdict, "log_wait", "s", wait.value,
                      (double)limits->max_log_wait_ns / NS_PER_S);
    if (exceeds(check))
        fail(verdict, check, "worker %" PRIu32 " waited %s for the disk of its log",
             wait.worker, duration_text(wait.value).text);
}

static void judge_stamps(struct verdict *verdict, const struct verdict_limits *limits,
                         const struct collection *collection)
{
    uint64_t tokens = 0;
    uint64_t shared = 0;
    uint64_t unknown = 0;
    uint64_t impossible = collection->arrival_itl.negative;
    double step_s = 0;
    for (size_t i = 0; i < collection->log_count; i++) {
        const struct log_facts *facts = &collection->logs[i];
        tokens += facts->token_events;
        shared += facts->shared_reads;
        unknown += facts->unknown_times;
        impossible += facts->negative_lags;
        step_s = fmax(step_s, fabs((double)facts->largest_step_ns) / NS_PER_S);
    }
    struct verdict_check *check =
        add_check(verdict, "shared_read_share", "share", share_of(shared, tokens),
                  limits->max_shared_read_share);
    if (exceeds(check))
        fail(verdict, check, "%s of the tokens shared a read with others: their arrival "
             "stamps are not exact", percent_text(check->value).text);

    check_none(verdict, "unknown_arrivals", unknown,
               "tokens without an arrival time, since the capture lost their packets");
    check_none(verdict, "clock_faults", impossible,
               "tokens with stamps that cannot be, earlier than the token before or "
               "later than the client had them");

    check = add_check(verdict, "clock_step", "s", step_s,
                      (double)limits->max_clock_step_ns / NS_PER_S);
    if (exceeds(check))
        fail(verdict, check, "the wall clock stepped by %s: arrival stamps near the step "
             "are off", duration_text(step_s).text);
}

/* Only of runs whose packets were taken. */
static void judge_packets(struct verdict *verdict, const struct verdict_limits *limits,
                          const struct load *load)
{
    struct load_packets packets = load_packets(load);
    if (!packets.used)
        return;
    check_none(verdict, "dropped_packets", packets.dropped,
               "packets that the capture dropped");
    struct verdict_check *check =
        add_check(verdict, "unjoined_share", "share",
                  share_of(packets.missing, packets.found + packets.missing),
                  limits->max_unjoined_share);
    if (exceeds(check))
        fail(verdict, check, "%s of the requests are not among the packets: their "
             "arrival is by kernel stamps", percent_text(check->value).text);
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
    check_none(verdict, "missing_logs", missing_workers(load),
               "workers that left no log that can be read");
    check_none(verdict, "unfinished_logs", unfinished,
               "logs without an end, since their workers died");
    check_none(verdict, "unrecorded", summary->requests.unrecorded,
               "planned requests that are in no log");

    struct verdict_check *check =
        add_check(verdict, "lost_frames", "count", (double)summary->lost_frames, 0);
    if (exceeds(check))
        fail(verdict, check, "frames cut off at the end of logs: %s, with %s bytes",
             count_text(summary->lost_frames).text, count_text(lost_bytes).text);
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
    judge_packets(verdict, limits, load);
    judge_logs(verdict, summary, load);
}
