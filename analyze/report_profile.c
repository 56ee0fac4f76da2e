#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyze/html_text.h"
#include "analyze/latency_profile_output.h"
#include "analyze/report_page.h"
#include "analyze/svg_chart.h"
#include "formats/run_directory.h"

enum { WORDS_MAX = 400 };

#define PER_MS 1e3

static const struct distribution *metric_of(const struct latency_profile *profile,
                                            size_t row, enum metric metric)
{
    return &profile->rows[row].steady.latency[BY_ARRIVAL].metrics[metric];
}

static bool is_evidence(const struct latency_profile *profile, size_t row)
{
    return profile->rows[row].evidence.use == STAGE_USABLE;
}

/* Over the stages that say something of the server; line and band break at others. */
static void add_headline(struct chart *chart, const struct latency_profile *profile,
                         enum metric metric, size_t headline, const char *name,
                         unsigned color)
{
    chart_band(chart, color);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct distribution *values = metric_of(profile, i, metric);
        const struct interval *interval = &values->headline[headline];
        bool known = is_evidence(profile, i) && interval->known;
        chart_add_span(chart, profile->rows[i].planned_per_s,
                       known ? interval->low * PER_MS : NAN,
                       known ? interval->high * PER_MS : NAN);
    }
    chart_curve(chart, name, color);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        double value_s = distribution_headline(metric_of(profile, i, metric), headline);
        chart_add(chart, profile->rows[i].planned_per_s,
                  is_evidence(profile, i) ? value_s * PER_MS : NAN);
    }
}

/* Medians of the stages that say nothing of the server. */
static void add_no_evidence(struct chart *chart, const struct latency_profile *profile,
                            enum metric metric)
{
    bool any = false;
    for (size_t i = profile->ladder; i < profile->count; i++)
        any |= !is_evidence(profile, i);
    if (!any)
        return;
    chart_dots(chart, "p50, no evidence", 6);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        double value_s =
            distribution_headline(metric_of(profile, i, metric), HEADLINE_P50);
        if (!is_evidence(profile, i))
            chart_add(chart, profile->rows[i].planned_per_s, value_s * PER_MS);
    }
}

static void mark_knee(struct chart *chart, const struct latency_profile *profile)
{
    const struct knee_finding *knee = &profile->knee.together;
    const struct interval *interval = &knee->interval;
    const struct chart_mark mark = {
        .name = "knee",
        .x = knee->knee_per_s,
        .low = interval->known ? interval->low : NAN,
        .high = interval->known ? interval->high : NAN,
    };
    if (knee->state == KNEE_FOUND)
        chart_mark(chart, &mark);
}

static void chart_load_latency(struct buffer *page, const struct latency_profile *profile,
                               enum metric metric, const char *title,
                               const char *description)
{
    struct chart chart = {
        .title = title,
        .description = description,
        .x_label = "planned requests/s",
        .y_label = "ms",
        .log_y = true,
    };
    add_headline(&chart, profile, metric, HEADLINE_P50, "p50", 1);
    add_headline(&chart, profile, metric, HEADLINE_P90, "p90", 2);
    add_headline(&chart, profile, metric, HEADLINE_P99, "p99", 3);
    add_no_evidence(&chart, profile, metric);
    mark_knee(&chart, profile);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void chart_completed(struct buffer *page, const struct latency_profile *profile)
{
    struct chart chart = {
        .title = "Completed against planned",
        .description = "Rate of requests that completed, with its interval at 95 %, "
                       "against the planned rate; the line of equal rates beside it.",
        .x_label = "planned requests/s",
        .y_label = "completed/s",
    };
    chart_band(&chart, 1);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_evidence *evidence = &profile->rows[i].evidence;
        struct stage_estimate rate = stage_rate(evidence, evidence->completed);
        if (rate.interval.known)
            chart_add_span(&chart, profile->rows[i].planned_per_s, rate.interval.low,
                           rate.interval.high);
    }
    chart_curve(&chart, "completed", 1);
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_evidence *evidence = &profile->rows[i].evidence;
        chart_add(&chart, profile->rows[i].planned_per_s,
                  stage_rate(evidence, evidence->completed).value);
    }
    chart_curve(&chart, "planned", 6);
    for (size_t i = profile->ladder; i < profile->count; i++)
        chart_add(&chart, profile->rows[i].planned_per_s, profile->rows[i].planned_per_s);
    mark_knee(&chart, profile);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void chart_tokens(struct buffer *page, const struct latency_profile *profile)
{
    struct chart chart = {
        .title = "Tokens per second",
        .description = "Output tokens per second against the planned rate of requests.",
        .x_label = "planned requests/s",
        .y_label = "tokens/s",
    };
    chart_curve(&chart, NULL, 1);
    for (size_t i = profile->ladder; i < profile->count; i++)
        chart_add(&chart, profile->rows[i].planned_per_s,
                  profile->rows[i].steady.timeline.output_per_s);
    mark_knee(&chart, profile);
    chart_write(&chart, page);
    chart_release(&chart);
}

static void append_charts(struct buffer *page, const struct latency_profile *profile)
{
    buffer_append_text(page, "<div class=\"charts\">\n");
    chart_load_latency(
        page, profile, METRIC_TTFT, "TTFT against load",
        "Median, 90th and 99th percentile of TTFT by arrival, with "
        "intervals at 95 %, against the planned rate; the knee marked, and stages "
        "that say nothing of the server as dots.");
    chart_load_latency(
        page, profile, METRIC_TPOT, "TPOT against load",
        "Median, 90th and 99th percentile of TPOT by arrival, with "
        "intervals at 95 %, against the planned rate; the knee marked, and stages "
        "that say nothing of the server as dots.");
    chart_completed(page, profile);
    chart_tokens(page, profile);
    buffer_append_text(page, "</div>\n");
}

static void append_words(struct buffer *page, const struct latency_profile *profile)
{
    struct run_texts lines = { 0 };
    struct buffer first = BUFFER_INIT;
    latency_profile_words(profile, &lines);
    html_append_text(&first, lines.items[0], WORDS_MAX);
    report_page_verdict(page, profile->knee.together.state == KNEE_UNKNOWN ? "bad" : "",
                        buffer_text(&first));
    buffer_append_text(page, "<ul>\n");
    for (size_t i = 1; i < lines.count; i++)
        report_page_item(page, lines.items[i]);
    buffer_append_text(page, "</ul>\n");
    buffer_release(&first);
    run_texts_release(&lines);
}

static int append_profile(struct buffer *page, const char *path,
                          const struct latency_profile *profile, struct fault *fault)
{
    struct sheet sheet = { .page = page };
    struct run_manifest manifest;
    char *stage = run_directory_file(path, profile->rows[0].name);
    run_manifest_init(&manifest);
    int status = run_manifest_read(&manifest, stage, fault);
    report_page_begin(page, "Latency profile", path);
    append_words(page, profile);
    report_page_heading(page, "Charts");
    append_charts(page, profile);
    report_page_heading(page, "Figures with intervals");
    latency_profile_show(&sheet, profile);
    sheet_release(&sheet);
    report_page_origin(page, &manifest);
    report_page_end(page);
    run_manifest_release(&manifest);
    free(stage);
    return status;
}

int report_profile(struct buffer *page, char *path, const struct verdict_limits *limits,
                   const struct common_options *common, struct fault *fault)
{
    const struct latency_profile_request request = {
        .knee = KNEE_LIMITS_INIT,
        .stage = { .each_share = 0.99, .limits = *limits, .common = common },
    };
    struct latency_profile profile = { 0 };
    int status = latency_profile_read(&profile, &path, 1, &request, fault);
    if (status == STATUS_OK && profile.count == 0)
        status = fault_set(fault, STATUS_BAD_INPUT, "%s: no stage is finished", path);
    if (status == STATUS_OK)
        status = append_profile(page, path, &profile, fault);
    latency_profile_release(&profile);
    return status;
}
