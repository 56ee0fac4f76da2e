/* tokanalyze report: one run as one page of HTML, without scripts and without anything
 * from elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/commands.h"
#include "analyze/figure.h"
#include "analyze/plot_input.h"
#include "analyze/queue_output.h"
#include "analyze/report_chart.h"
#include "analyze/short_text.h"
#include "analyze/split.h"
#include "analyze/summary_output.h"
#include "analyze/verdict_options.h"
#include "formats/base/memory.h"
#include "formats/base/output_file.h"
#include "formats/base/version.h"

/* Characters of a text from outside. */
enum { REPORT_TEXT_MAX = 400 };

struct report_options {
    struct common_options common;
    const char *output;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "FILE",
      .group = "Output", .offset = offsetof(struct report_options, output),
      .help = "write there instead of standard output" },
    VERDICT_OPTIONS(struct report_options, limits),
    { 0 },
};

static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1a1a1a;--line:#d0d0d0;"
    "--good:#00634a;--bad:#a33c00}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e6e6;--line:#444;"
    "--good:#4fc79f;--bad:#ff9a5c}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:1rem;"
    "font:1rem/1.5 system-ui,sans-serif;background:var(--back);color:var(--text);"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
    ".verdict{font-size:1.1rem;font-weight:600;border-left:.4rem solid;"
    "padding:.4rem .8rem}.good{color:var(--good)}.bad{color:var(--bad)}\n"
    "pre{overflow-x:auto;border:1px solid var(--line);padding:.6rem;font-size:.8rem;"
    "overflow-wrap:normal}\n"
    "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;"
    "padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line)}th{min-width:6rem}\n"
    "svg{width:100%;height:auto;font-size:12px}svg text{fill:currentColor}"
    ".grid{stroke:var(--line)}.curve{fill:none;stroke-width:2}\n"
    ".c1{stroke:#0072b2}.c2{stroke:#d55e00;stroke-dasharray:8 3}"
    ".c3{stroke:#009e73;stroke-dasharray:3 3}"
    ".c4{stroke:#cc79a7;stroke-dasharray:10 3 2 3}"
    ".c5{stroke:#e69f00;stroke-dasharray:5 5}\n"
    "@media print{body{max-width:none;font-size:10pt}pre{white-space:pre-wrap}}\n";

/* Text of our own making, which may hold labels from outside. */
static void append_escaped(struct buffer *page, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
        case '<':
            buffer_append_text(page, "&lt;");
            break;
        case '>':
            buffer_append_text(page, "&gt;");
            break;
        case '&':
            buffer_append_text(page, "&amp;");
            break;
        case '"':
            buffer_append_text(page, "&quot;");
            break;
        default:
            buffer_append_byte(page, text[i]);
        }
}

/* Text from outside: shortened, nothing in it that steers. */
static void append_outside(struct buffer *page, const char *text)
{
    struct buffer label = BUFFER_INIT;
    figure_append_text(&label, text, REPORT_TEXT_MAX);
    append_escaped(page, buffer_text(&label), label.len);
    buffer_release(&label);
}

static void append_fact(struct buffer *page, const char *name, const char *value)
{
    buffer_printf(page, "<tr><th scope=\"row\">%s<td>", name);
    append_outside(page, value && value[0] != '\0' ? value : "not known");
    buffer_append_byte(page, '\n');
}

/* What a printer of text wrote, line by line, as a block. */
static void append_printed(struct buffer *page, char *text, size_t len)
{
    buffer_append_text(page, "<pre tabindex=\"0\">");
    char *rest = text;
    char *line;
    text[len] = '\0';
    while ((line = strsep(&rest, "\n"))) {
        struct buffer clean = BUFFER_INIT;
        figure_append_text(&clean, line, REPORT_TEXT_MAX);
        append_escaped(page, buffer_text(&clean), clean.len);
        buffer_append_byte(page, '\n');
        buffer_release(&clean);
    }
    buffer_append_text(page, "</pre>\n");
    free(text);
}

static void append_verdict(struct buffer *page, const struct summary *summary)
{
    const struct verdict *verdict = &summary->verdict;
    buffer_printf(page, "<p class=\"verdict %s\">%s</p>\n",
                  verdict->valid ? "good" : "bad",
                  verdict->valid ? "Valid: the client did not distort what it measured."
                                 : "Not valid: do not take these figures for the "
                                   "server's.");
    buffer_printf(page, "<p>%s of %s planned requests succeeded.</p>\n<ul>\n",
                  count_text(summary->requests.succeeded).text,
                  count_text(summary->requests.planned).text);
    for (size_t i = 0; i < verdict->count; i++)
        if (!verdict->checks[i].ok) {
            buffer_append_text(page, "<li>");
            append_outside(page, verdict->checks[i].text);
            buffer_append_byte(page, '\n');
        }
    buffer_append_text(page, "</ul>\n");
}

static void append_summary(struct buffer *page, const struct analysis *analysis)
{
    struct slo none = { 0 };
    struct summary_text_options options = { .by_worker = true };
    char *text = NULL;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);
    if (!stream)
        abort();
    summary_print(stream, &analysis->summary, &analysis->load, &none, &options);
    fclose(stream);
    append_printed(page, text, len);
}

static void append_queue(struct buffer *page, struct plot_run *run)
{
    struct figure problem = { 0 };
    const struct queue *queue = plot_run_queue(run, &problem);
    buffer_append_text(page, "<h2>The client as a queue</h2>\n");
    if (!queue) {
        buffer_append_text(page, "<p>Not told: ");
        append_outside(page, problem.problem);
        buffer_append_text(page, "</p>\n");
        return;
    }
    for (size_t i = 0; i < queue->worker_count; i++) {
        struct buffer sentence = BUFFER_INIT;
        if (queue->workers[i].problem)
            continue;
        queue_sentence(&sentence, queue, &queue->workers[i]);
        buffer_printf(page, "<p>Worker %u: ", queue->workers[i].worker);
        append_escaped(page, buffer_text(&sentence), sentence.len);
        buffer_append_text(page, "</p>\n");
        buffer_release(&sentence);
    }
}

/* The split by packets, where the run has them. */
static int append_split(struct buffer *page, char *path, struct fault *fault)
{
    struct load load = { 0 };
    struct wire_join join = { 0 };
    struct split split = { 0 };
    struct split_settings settings = { .epsilon_ns = 5000 };
    char *text = NULL;
    size_t len = 0;
    int status = load_open(&load, &path, 1, fault);
    if (status < 0 || load.run_count != 1 || !load.runs[0].wire_path)
        goto done;
    status = wire_join_read(&join, load.runs[0].wire_path, fault);
    if (status < 0)
        goto done;
    wire_join_ready(&join);
    status = split_compute(&split, &load, &join, &settings, fault);
    if (status < 0)
        goto done;
    FILE *stream = open_memstream(&text, &len);
    if (!stream)
        abort();
    split_print(stream, &split);
    fclose(stream);
    buffer_append_text(page, "<h2>Client and server, by packets</h2>\n");
    append_printed(page, text, len);
done:
    split_release(&split);
    wire_join_release(&join);
    load_release(&load);
    return status;
}

static void append_manifest(struct buffer *page, const struct run_manifest *manifest)
{
    struct buffer command = BUFFER_INIT;
    char version[VERSION_TEXT_MAX];
    buffer_append_text(page, "<h2>How to reproduce</h2>\n<table>\n");
    if (manifest) {
        for (size_t i = 0; i < manifest->command.count; i++)
            buffer_printf(&command, "%s%s", i > 0 ? " " : "", manifest->command.items[i]);
        append_fact(page, "Command", buffer_text(&command));
        append_fact(page, "Plan hash", manifest->plan.hash);
        append_fact(page, "Run", manifest->id);
        append_fact(page, "URL", manifest->url);
        append_fact(page, "API", manifest->api);
        append_fact(page, "Model", manifest->model);
        append_fact(page, "Load", manifest->open_loop ? "open loop" : "closed loop");
        for (size_t i = 0; i < manifest->producers.count; i++)
            append_fact(page, "Recorded by", manifest->producers.items[i]);
        for (size_t i = 0; i < manifest->notes.count; i++)
            append_fact(page, "Note", manifest->notes.items[i]);
    }
    append_fact(page, "Analysed by", version_format(version, ""));
    buffer_append_text(page, "</table>\n");
    buffer_release(&command);
}

static int make_page(struct buffer *page, struct plot_run *run, struct fault *fault)
{
    const struct analysis *analysis = &run->analysis;
    buffer_printf(page, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                        "<meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width, "
                  "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\"><title>Run ");
    append_escaped(page, buffer_text(&run->label), run->label.len);
    buffer_printf(page, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>Run ",
                  style);
    append_escaped(page, buffer_text(&run->label), run->label.len);
    buffer_append_text(page, "</h1>\n");
    append_verdict(page, &analysis->summary);
    buffer_append_text(page, "<h2>Latencies</h2>\n<p>Share of requests (of gaps for ITL) "
                       "with at most a latency, by arrival.</p>\n");
    report_chart_cdf(page, &analysis->collection);
    buffer_append_text(page, "<h2>Figures and intervals</h2>\n");
    append_summary(page, analysis);
    append_queue(page, run);
    int status = append_split(page, run->path, fault);
    append_manifest(page, summary_manifest(&analysis->load));
    buffer_append_text(page, "</main></body></html>\n");
    return status;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct report_options *options = given;
    struct plot_input input = { .request = { .limits = options->limits, .whole = true } };
    struct buffer page = BUFFER_INIT;
    struct output_file file = { 0 };
    int status = plot_input_read(&input, operands, operand_count, &options->common,
                                 fault);
    if (status == STATUS_OK && input.run_count == 0)
        status = fault_set(fault, STATUS_USAGE, "a report is of a run, not of a profile");
    if (status == STATUS_OK)
        status = make_page(&page, &input.runs[0], fault);
    if (status == STATUS_OK)
        status = output_file_open(&file, options->output,
                                  options->common.force ? OUTPUT_FORCE : 0, fault);
    if (status == STATUS_OK) {
        fwrite(page.data, 1, page.len, file.stream);
        status = output_file_commit(&file, fault);
    }
    buffer_release(&page);
    plot_input_release(&input);
    return status;
}

const struct command report_command = {
    .name = "report",
    .summary = "a run as one page of HTML",
    .usage = "[OPTION]... RUNDIR -o FILE",
    .details = "The verdict in words, latencies, tables with intervals, the client as a "
               "queue, client and server by packets where the run has them, and how to "
               "reproduce the run. The page needs no scripts and no network.",
    .options = specs,
    .options_size = sizeof(struct report_options),
    .run = run,
    .operands_min = 1,
    .operands_max = 1,
};
