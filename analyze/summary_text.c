#include <math.h>
#include <string.h>

#include "analyze/short_text.h"
#include "analyze/summary_output.h"
#include "analyze/text_table.h"

const char *counted_name(enum counted counted)
{
    static const char *const names[] = {
        [COUNTED_NOTHING] = "nothing",
        [COUNTED_EVENTS] = "events",
        [COUNTED_USAGE] = "usage",
        [COUNTED_MIXED] = "mixed",
    };
    return names[counted];
}

const struct run_manifest *summary_manifest(const struct load *load)
{
    return load->run_count == 1 ? &load->runs[0].manifest : NULL;
}

const char *summary_run_id(const struct load *load)
{
    const char *id = NULL;
    for (size_t i = 0; i < load->log_count; i++) {
        if (!load->logs[i].readable)
            continue;
        if (id && strcmp(id, load->logs[i].header.run_id) != 0)
            return "";
        id = load->logs[i].header.run_id;
    }
    return id ? id : "";
}

static unsigned source_of(const struct load *load)
{
    for (size_t i = 0; i < load->log_count; i++)
        if (load->logs[i].readable)
            return load->logs[i].header.source;
    return LOG_CLIENT;
}

const char *summary_arrival_name(const struct load *load)
{
    switch (source_of(load)) {
    case LOG_SERVER:
        return "server";
    case LOG_WIRE:
        return "packets";
    case LOG_IMPORTED:
        return "import";
    }
    return load_packets(load).used ? "packets" : "kernel";
}

static void show_arrival(struct sheet *sheet, const struct load *load)
{
    struct load_packets packets = load_packets(load);
    if (source_of(load) == LOG_SERVER)
        sheet_fact(sheet, "arrival", "when the server sent, by its own log");
    else if (source_of(load) == LOG_WIRE)
        sheet_fact(sheet, "arrival", "by packets");
    else if (source_of(load) == LOG_IMPORTED)
        sheet_fact(sheet, "arrival", "as another tool stamped it");
    else if (packets.missing > 0)
        sheet_fact(sheet, "arrival",
                   "by packets (wire.toklog) for %s of the %s sent, by "
                   "kernel stamps for the others",
                   count_text(packets.found).text,
                   count_text(packets.found + packets.missing).text);
    else
        sheet_fact(sheet, "arrival",
                   packets.used ? "by packets (wire.toklog)" : "by kernel stamps");
}

static void print_verdict(FILE *out, const struct verdict *verdict,
                          const struct summary_text_options *options)
{
    const char *good = options->color ? "\033[1;32m" : "";
    const char *bad = options->color ? "\033[1;31m" : "";
    const char *end = options->color ? "\033[0m" : "";
    if (verdict->valid) {
        fprintf(out, "%sThis run may be believed%s: %zu checks passed.\n", good, end,
                verdict->count);
        return;
    }
    fprintf(out, "%sThis run is not to be believed as it stands%s:\n", bad, end);
    for (size_t i = 0; i < verdict->count; i++)
        if (!verdict->checks[i].ok)
            fprintf(out, "  - %s\n", verdict->checks[i].text);
}

static void add_check_value(struct text_table *table, const char *unit, double value)
{
    if (!isfinite(value))
        text_table_add(table, "-");
    else if (strcmp(unit, "s") == 0)
        text_table_add(table, "%s", duration_text(value).text);
    else if (strcmp(unit, "share") == 0)
        text_table_add(table, "%s", percent_text(value).text);
    else
        text_table_add(table, "%.0f", value);
}

void summary_show_checks(struct sheet *sheet, const struct verdict *verdict)
{
    static const char *const heads[] = { "check", "value", "limit", "", NULL };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    for (size_t i = 0; i < verdict->count; i++) {
        const struct verdict_check *check = &verdict->checks[i];
        text_table_add(&table, "%s", check->name);
        add_check_value(&table, check->unit, check->value);
        add_check_value(&table, check->unit, check->limit);
        text_table_add(&table, "%s", check->ok ? "ok" : "FAILED");
    }
    sheet_title(sheet, "What the verdict looked at, and its limits");
    sheet_table(sheet, &table);
    text_table_release(&table);
}

static void show_title(struct sheet *sheet, const struct summary *summary,
                       const struct load *load)
{
    const struct run_manifest *manifest = summary_manifest(load);
    const char *id = summary_run_id(load);
    struct buffer line = BUFFER_INIT;
    buffer_printf(&line, "Run %s, %zu worker%s", *id ? id : "without an id",
                  summary->worker_count, summary->worker_count == 1 ? "" : "s");
    if (manifest && manifest->open_loop)
        buffer_append_text(&line, ", open loop");
    else if (manifest)
        buffer_printf(&line,
                      ", CLOSED LOOP: at most %s requests in flight, so a slow "
                      "server is asked less",
                      count_text(manifest->concurrency).text);
    if (manifest && manifest->emulated_client)
        buffer_printf(&line, ", EMULATED CLIENT %s", manifest->emulated_client);
    if (manifest && manifest->model)
        buffer_printf(&line, ", model %s", manifest->model);
    sheet_title(sheet, "%s", buffer_text(&line));
    buffer_release(&line);
}

/* What the runs' manifests say that a report should carry. */
static void show_notes(struct sheet *sheet, const struct load *load)
{
    for (size_t i = 0; i < load->run_count; i++) {
        const struct run_texts *notes = &load->runs[i].manifest.notes;
        for (size_t j = 0; j < notes->count; j++)
            sheet_fact(sheet, "note", "%s", notes->items[j]);
    }
}

static void show_failures(struct sheet *sheet, const struct request_counts *counts)
{
    struct buffer line = BUFFER_INIT;
    for (unsigned outcome = OUTCOME_HTTP_STATUS; outcome < OUTCOME_CANCELLED; outcome++)
        if (counts->by_outcome[outcome] > 0)
            buffer_printf(&line, "%s%s %s", line.len > 0 ? " " : "",
                          outcome_name(outcome),
                          count_text(counts->by_outcome[outcome]).text);
    sheet_fact(sheet, "failures", "%s", buffer_text(&line));
    buffer_release(&line);
}

static void show_requests(struct sheet *sheet, const struct summary *summary)
{
    const struct request_counts *counts = &summary->requests;
    struct buffer line = BUFFER_INIT;
    buffer_printf(&line, "%s planned, %s sent, %s succeeded, ",
                  count_text(counts->planned).text, count_text(counts->sent).text,
                  count_text(counts->succeeded).text);
    buffer_printf(&line, "%s failed, %s cancelled, %s not sent",
                  count_text(counts->failed).text, count_text(counts->cancelled).text,
                  count_text(counts->not_sent).text);
    if (counts->unrecorded > 0)
        buffer_printf(&line, ", %s in no log", count_text(counts->unrecorded).text);
    sheet_fact(sheet, "requests", "%s", buffer_text(&line));
    buffer_release(&line);
    if (summary->outside > 0)
        sheet_fact(sheet, "", "outside the window: %s",
                   count_text(summary->outside).text);
    if (counts->failed > 0)
        show_failures(sheet, counts);
}

static void show_load(struct sheet *sheet, const struct summary *summary)
{
    const struct timeline *timeline = &summary->timeline;
    sheet_fact(sheet, "rate", "planned %s, sent %s, completed %s, over %s",
               rate_text(timeline->planned_per_s).text,
               rate_text(timeline->sent_per_s).text,
               rate_text(timeline->completed_per_s).text,
               duration_text(timeline->duration_s).text);
    const struct short_text most = count_text(timeline->inflight.max);
    if (isfinite(timeline->inflight.mean))
        sheet_fact(sheet, "in flight", "%s at most, %.1f on average", most.text,
                   timeline->inflight.mean);
    else
        sheet_fact(sheet, "in flight", "%s at most", most.text);
}

static void show_tokens(struct sheet *sheet, const struct token_counts *tokens,
                        double output_per_s)
{
    bool input_known = tokens->input > 0 || tokens->input_unknown == 0;
    sheet_fact(sheet, "tokens", "%s in, %s out (counted by %s), %s",
               input_known ? count_text(tokens->input).text : "unknown",
               count_text(tokens->output).text, counted_name(tokens->counted_by),
               rate_text(output_per_s).text);
    if (tokens->input_unknown > 0 && input_known)
        sheet_fact(sheet, "", "input tokens unknown in requests: %s",
                   count_text(tokens->input_unknown).text);
    if (tokens->input_cached > 0)
        sheet_fact(sheet, "", "input tokens from the server's prefix cache: %s",
                   count_text(tokens->input_cached).text);
    if (tokens->output_failed > 0)
        sheet_fact(sheet, "", "of these in answers that did not succeed: %s",
                   count_text(tokens->output_failed).text);
    if (tokens->mismatches > 0)
        sheet_fact(sheet, "", "requests where the server's count and the events differ: "
                   "%s", count_text(tokens->mismatches).text);
    if (tokens->differing > 0)
        sheet_fact(sheet, "", "answers of another length than planned: %s",
                   count_text(tokens->differing).text);
}

/* Only what a reader should act on: a warm-up of more than a twentieth of the requests,
 * or a TTFT that is half as high again in the last quarter. */
static void show_warm_up(struct sheet *sheet, const struct summary *summary)
{
    const struct warm_up *warm_up = &summary->warm_up;
    if (warm_up->rise > 1.5 && !warm_up->state.settled)
        sheet_fact(sheet, "warm-up",
                   "TTFT does not settle: its median is %.1f times as "
                   "high in the last quarter of the requests as in the first",
                   warm_up->rise);
    else if (warm_up->state.warm_up > summary->requests.succeeded / 20)
        sheet_fact(sheet, "warm-up",
                   "TTFT settles after %s requests, %s (MSER-5; see "
                   "--skip-start)",
                   count_text(warm_up->state.warm_up).text,
                   duration_text(warm_up->seconds).text);
}

static void show_goodput(struct sheet *sheet, const struct summary *summary,
                         const struct slo *slo)
{
    const struct goodput *goodput = &summary->goodput;
    struct buffer terms = BUFFER_INIT;
    for (size_t i = 0; i < slo->count; i++)
        buffer_printf(&terms, "%s%s", i > 0 ? ", " : "", slo->terms[i].text);
    sheet_fact(sheet, "goodput",
               "%s of the planned requests (95 %%: %s to %s), %s, "
               "within %s",
               percent_text(goodput->share).text,
               percent_text(goodput->share_interval.low).text,
               percent_text(goodput->share_interval.high).text,
               rate_text(goodput->per_s).text, buffer_text(&terms));
    buffer_release(&terms);
}

void summary_show_run(struct sheet *sheet, const struct summary *summary,
                      const struct load *load, const struct slo *slo)
{
    show_title(sheet, summary, load);
    show_notes(sheet, load);
    show_arrival(sheet, load);
    show_requests(sheet, summary);
    show_load(sheet, summary);
    show_tokens(sheet, &summary->tokens, summary->timeline.output_per_s);
    show_warm_up(sheet, summary);
    if (summary->has_goodput)
        show_goodput(sheet, summary, slo);
}

void summary_print(FILE *out, const struct summary *summary, const struct load *load,
                   const struct slo *slo, const struct summary_text_options *options)
{
    struct sheet sheet = { .out = out };
    print_verdict(out, &summary->verdict, options);
    summary_show_run(&sheet, summary, load, slo);
    summary_show_latencies(&sheet, summary);
    summary_show_parts(&sheet, &summary->parts);
    if (options->by_worker)
        summary_show_workers(&sheet, summary);
    summary_show_checks(&sheet, &summary->verdict);
    sheet_release(&sheet);
}
