#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/plot_input.h"
#include "analyze/queue_output.h"
#include "analyze/report_charts.h"
#include "analyze/report_page.h"
#include "analyze/short_text.h"
#include "analyze/split.h"
#include "analyze/summary_output.h"

static void append_verdict(struct buffer *page, const struct verdict *verdict)
{
    report_page_verdict(page, verdict->valid ? "good" : "bad",
                        verdict->valid
                            ? "This run may be believed: the client did not distort "
                              "what it measured."
                            : "This run is not to be believed as it stands: do not take "
                              "these figures for the server's.");
    if (verdict->valid)
        return;
    buffer_append_text(page, "<ul>\n");
    for (size_t i = 0; i < verdict->count; i++)
        if (!verdict->checks[i].ok)
            report_page_item(page, verdict->checks[i].text);
    buffer_append_text(page, "</ul>\n");
}

/* The logs that are not whole, one line each. */
static void append_losses(struct buffer *page, const struct load *load)
{
    char *text = NULL;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);
    if (!stream)
        abort();
    load_print_losses(load, stream);
    fclose(stream);
    char *rest = text;
    char *line;
    if (len > 0)
        buffer_append_text(page, "<ul>\n");
    while (len > 0 && (line = strsep(&rest, "\n")))
        if (line[0] != '\0')
            report_page_item(page, line);
    if (len > 0)
        buffer_append_text(page, "</ul>\n");
    free(text);
}

static void append_percentiles(struct buffer *page, const char *what,
                               const struct distribution *values)
{
    const struct interval *interval = &values->headline[HEADLINE_P50];
    if (values->count == 0)
        return;
    buffer_printf(page, " %s: median %s", what,
                  duration_text(distribution_headline(values, HEADLINE_P50)).text);
    if (interval->known)
        buffer_printf(page, " (95 %%: %s to %s)", duration_text(interval->low).text,
                      duration_text(interval->high).text);
    buffer_printf(page, ", 99th percentile %s.",
                  duration_text(distribution_headline(values, HEADLINE_P99)).text);
}

/* The run in a few sentences. */
static void append_gist(struct buffer *page, const struct summary *summary)
{
    const struct distribution *metrics = summary->latency[BY_ARRIVAL].metrics;
    const struct client_times *client = &summary->client;
    buffer_printf(page, "<p>%s of %s planned requests succeeded.",
                  count_text(summary->requests.succeeded).text,
                  count_text(summary->requests.planned).text);
    if (summary->requests.succeeded == 0)
        buffer_append_text(page, " So there are no latencies to report.");
    append_percentiles(page, "Time to first token", &metrics[METRIC_TTFT]);
    append_percentiles(page, "Time per output token after it", &metrics[METRIC_TPOT]);
    if (client->send_lag.count > 0)
        buffer_printf(
            page,
            " The client sent 99 %% of the requests within %s of their "
            "due time",
            duration_text(distribution_headline(&client->send_lag, HEADLINE_P99)).text);
    if (client->send_lag.count > 0 && client->receive_lag.count > 0)
        buffer_printf(
            page,
            ", and had 99 %% of the tokens in hand within %s of their "
            "arrival",
            duration_text(distribution_headline(&client->receive_lag, HEADLINE_P99))
                .text);
    buffer_append_text(page, client->send_lag.count > 0 ? ".</p>\n" : "</p>\n");
}

static void append_summary(struct buffer *page, const struct analysis *analysis)
{
    const struct summary *summary = &analysis->summary;
    struct slo none = { 0 };
    struct sheet sheet = { .page = page };
    report_page_heading(page, "Figures with intervals");
    summary_show_run(&sheet, summary, &analysis->load, &none);
    summary_show_latencies(&sheet, summary);
    summary_show_parts(&sheet, &summary->parts);
    summary_show_workers(&sheet, summary);
    summary_show_checks(&sheet, &summary->verdict);
    sheet_release(&sheet);
}

static void append_queue(struct buffer *page, struct plot_run *run)
{
    struct figure problem = { 0 };
    struct sheet sheet = { .page = page };
    const struct queue *queue = plot_run_queue(run, &problem);
    report_page_heading(page, "The client as a queue");
    if (queue)
        queue_show(&sheet, queue, &(struct queue_text_options){ 0 });
    else
        sheet_sentence(&sheet, "Not told: %s.", problem.problem);
    sheet_release(&sheet);
}

static int compute_split(struct split *split, const char *wire_path, struct load *load,
                         struct fault *fault)
{
    const struct split_settings settings = { .epsilon_ns = 5000 };
    struct wire_join join = { 0 };
    int status = wire_join_read(&join, wire_path, fault);
    wire_join_ready(&join);
    if (status == STATUS_OK)
        status = split_compute(split, load, &join, &settings, fault);
    wire_join_release(&join);
    return status;
}

/* By packets, where the run has them. */
static int append_split(struct buffer *page, char *path, struct fault *fault)
{
    struct load load = { 0 };
    struct split split = { 0 };
    struct sheet sheet = { .page = page };
    report_page_heading(page, "Client and server, by packets");
    int status = load_open(&load, &path, 1, fault);
    bool packets = status == STATUS_OK && load.run_count == 1 && load.runs[0].wire_path;
    if (packets)
        status = compute_split(&split, load.runs[0].wire_path, &load, fault);
    if (packets && status == STATUS_OK)
        split_show(&sheet, &split);
    else if (status == STATUS_OK)
        sheet_sentence(&sheet,
                       "No packets were captured with this run. What the client "
                       "added is known from the kernel's stamps: see the client's share, "
                       "above.");
    sheet_release(&sheet);
    split_release(&split);
    load_release(&load);
    return status;
}

static int append_run(struct buffer *page, struct plot_run *run, struct fault *fault)
{
    const struct analysis *analysis = &run->analysis;
    report_page_begin(page, "Run", run->path);
    append_verdict(page, &analysis->summary.verdict);
    append_losses(page, &analysis->load);
    append_gist(page, &analysis->summary);
    report_page_heading(page, "Charts");
    report_charts_run(page, &analysis->collection);
    append_summary(page, analysis);
    append_queue(page, run);
    int status = append_split(page, run->path, fault);
    report_page_origin(page, summary_manifest(&analysis->load));
    report_page_end(page);
    return status;
}

int report_run(struct buffer *page, char *path, const struct verdict_limits *limits,
               const struct common_options *common, struct fault *fault)
{
    struct plot_input input = { .request = { .limits = *limits, .whole = true } };
    int status = plot_input_read(&input, &path, 1, common, fault);
    if (status == STATUS_OK)
        status = append_run(page, &input.runs[0], fault);
    plot_input_release(&input);
    return status;
}
