#include "analyze/report_charts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/ordered.h"
#include "analyze/svg_chart.h"
#include "analyze/time_bins.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

/* Points of a distribution; the last share that its tail shows. */
enum { QUANTILES = 160 };
#define TAIL_LEAST 1e-4

/* Rates are over so many requests or more, so that they do not scatter too much. */
enum { REQUESTS_PER_STEP = 25, STEPS_LEAST = 8 };

#define PER_MS 1e3

static void add_shares(struct chart *chart, const char *name, unsigned color,
                       const struct ordered *values)
{
    chart_curve(chart, name, color);
    for (int i = 0; i <= QUANTILES && values->count > 0; i++) {
        double p = (double)i / QUANTILES;
        chart_add(chart, ordered_quantile(values, p) * PER_MS, p);
    }
}

static void add_metric(struct chart *chart, const char *name, unsigned color,
                       const struct collection *collection, int metric,
                       enum flavour flavour)
{
    struct ordered values = ordered_of(collection, metric, flavour);
    add_shares(chart, name, color, &values);
    ordered_release(&values);
}

static void chart_latency(struct buffer *page, const struct collection *collection)
{
    struct chart chart = {
        .title = "Latency, by arrival",
        .description = "Share of requests, of gaps for ITL, with at most a latency: "
                       "TTFT, TPOT, ITL, NTPOT and E2E by arrival.",
        .x_label = "at most (ms)",
        .y_label = "share",
        .log_x = true,
        .share_y = true,
    };
    add_metric(&chart, "TTFT", 1, collection, METRIC_TTFT, BY_ARRIVAL);
    add_metric(&chart, "TPOT", 2, collection, METRIC_TPOT, BY_ARRIVAL);
    add_metric(&chart, "ITL", 3, collection, SLO_ITL, BY_ARRIVAL);
    add_metric(&chart, "NTPOT", 4, collection, METRIC_NTPOT, BY_ARRIVAL);
    add_metric(&chart, "E2E", 5, collection, METRIC_E2E, BY_ARRIVAL);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void chart_views(struct buffer *page, const struct collection *collection)
{
    struct chart chart = {
        .title = "The client's share: by arrival, and as the client saw it",
        .description = "Share of requests with at most a latency: TTFT and TPOT by "
                       "arrival at the host, beside the same as the client saw them.",
        .x_label = "at most (ms)",
        .y_label = "share",
        .log_x = true,
        .share_y = true,
    };
    add_metric(&chart, "TTFT, arrival", 1, collection, METRIC_TTFT, BY_ARRIVAL);
    add_metric(&chart, "TTFT, client", 2, collection, METRIC_TTFT, BY_APP);
    add_metric(&chart, "TPOT, arrival", 3, collection, METRIC_TPOT, BY_ARRIVAL);
    add_metric(&chart, "TPOT, client", 4, collection, METRIC_TPOT, BY_APP);
    chart_write(&chart, page);
    chart_release(&chart);
}

/* The share above a value, down to TAIL_LEAST or to what one value is. */
static void add_tail(struct chart *chart, const char *name, unsigned color,
                     const struct ordered *values)
{
    double least = fmax(TAIL_LEAST, 1 / fmax((double)values->count, 1));
    chart_curve(chart, name, color);
    for (int i = 0; i <= QUANTILES && values->count > 0; i++) {
        double above = pow(least, (double)i / QUANTILES);
        chart_add(chart, ordered_quantile(values, 1 - above) * PER_MS, above);
    }
}

static struct ordered send_lags(const struct collection *collection)
{
    struct ordered lags = {
        .values = memory_new(collection->count, sizeof *lags.values),
    };
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns != TIME_NONE && sample->sent_ns != TIME_NONE)
            lags.values[lags.count++] =
                (double)(sample->sent_ns - sample->due_ns) / NS_PER_S;
    }
    quantile_sort(lags.values, lags.count);
    return lags;
}

static struct ordered receive_lags(const struct collection *collection)
{
    struct ordered lags = { 0 };
    for (size_t i = 0; i < collection->log_count; i++)
        histogram_merge(&lags.histogram, &collection->logs[i].lag);
    lags.count = lags.histogram.moments.count;
    return lags;
}

static void chart_lags(struct buffer *page, const struct collection *collection)
{
    struct chart chart = {
        .title = "What the client added",
        .description = "Share of requests with more than a send lag, and of tokens with "
                       "more than a receive lag.",
        .x_label = "more than (ms)",
        .y_label = "share",
        .log_x = true,
        .log_y = true,
        .share_y = true,
    };
    struct ordered sent = send_lags(collection);
    struct ordered received = receive_lags(collection);
    add_tail(&chart, "send lag", 1, &sent);
    add_tail(&chart, "receive lag", 2, &received);
    chart_write(&chart, page);
    chart_release(&chart);
    ordered_release(&sent);
    ordered_release(&received);
}

static void chart_rates(struct buffer *page, const struct time_bins *bins)
{
    struct chart chart = {
        .title = "Requests per second",
        .description = "Rates over the time of the run: planned, sent, and completed "
                       "with success.",
        .x_label = "time (s)",
        .y_label = "requests/s",
    };
    chart_curve(&chart, "planned", 6);
    for (size_t i = 0; i < bins->count; i++)
        chart_add(&chart, time_bins_middle_s(bins, i), bins->bins[i].planned_per_s);
    chart_curve(&chart, "sent", 2);
    for (size_t i = 0; i < bins->count; i++)
        chart_add(&chart, time_bins_middle_s(bins, i), bins->bins[i].sent_per_s);
    chart_curve(&chart, "completed", 1);
    for (size_t i = 0; i < bins->count; i++)
        chart_add(&chart, time_bins_middle_s(bins, i), bins->bins[i].completed_per_s);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void chart_in_flight(struct buffer *page, const struct time_bins *bins)
{
    struct chart chart = {
        .title = "Requests in flight",
        .description = "Requests that were sent and not yet over, over the time of the "
                       "run.",
        .x_label = "time (s)",
        .y_label = "in flight",
    };
    chart_curve(&chart, NULL, 1);
    for (size_t i = 0; i < bins->count; i++)
        chart_add(&chart, time_bins_middle_s(bins, i), bins->bins[i].in_flight);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void chart_tokens(struct buffer *page, const struct time_bins *bins)
{
    struct chart chart = {
        .title = "Output tokens per second",
        .description = "Tokens that arrived per second over the time of the run, each "
                       "answer's spread evenly from its first to its last.",
        .x_label = "time (s)",
        .y_label = "tokens/s",
    };
    chart_curve(&chart, NULL, 1);
    for (size_t i = 0; i < bins->count; i++)
        chart_add(&chart, time_bins_middle_s(bins, i), bins->bins[i].tokens_per_s);
    chart_write(&chart, page);
    chart_release(&chart);
}

void report_charts_run(struct buffer *page, const struct collection *collection)
{
    struct time_bins bins;
    size_t steps = collection->count / REQUESTS_PER_STEP;
    steps = steps < STEPS_LEAST ? STEPS_LEAST : steps;
    buffer_append_text(page, "<div class=\"charts\">\n");
    chart_latency(page, collection);
    chart_views(page, collection);
    chart_lags(page, collection);
    if (time_bins_of(&bins, collection, TIME_BINS_MAX))
        chart_in_flight(page, &bins);
    if (time_bins_of(&bins, collection, steps < TIME_BINS_MAX ? steps : TIME_BINS_MAX)) {
        chart_rates(page, &bins);
        chart_tokens(page, &bins);
    }
    buffer_append_text(page, "</div>\n");
}
