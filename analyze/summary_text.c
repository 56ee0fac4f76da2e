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

static void print_arrival(FILE *out, const struct load *load)
{
    struct load_packets packets = load_packets(load);
    fprintf(out, "  arrival   ");
    if (source_of(load) == LOG_SERVER)
        fprintf(out, "when the server sent, by its own log\n");
    else if (source_of(load) == LOG_WIRE)
        fprintf(out, "by packets\n");
    else if (source_of(load) == LOG_IMPORTED)
        fprintf(out, "as another tool stamped it\n");
    else if (packets.missing > 0)
        fprintf(out, "by packets (wire.toklog) for %s of the %s sent, by kernel stamps "
                     "for the others\n", count_text(packets.found).text,
                count_text(packets.found + packets.missing).text);
    else
        fprintf(out, packets.used ? "by packets (wire.toklog)\n" : "by kernel stamps\n");
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

static void print_checks(FILE *out, const struct verdict *verdict)
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
    fprintf(out, "\nWhat the verdict looked at, and its limits\n");
    text_table_print(&table, out);
    text_table_release(&table);
}

static void print_run(FILE *out, const struct summary *summary, const struct load *load)
{
    const struct run_manifest *manifest = summary_manifest(load);
    const char *id = summary_run_id(load);
    fprintf(out, "\nRun ");
    print_outside_text(out, *id ? id : "without an id");
    fprintf(out, summary->worker_count == 1 ? ", %zu worker" : ", %zu workers",
            summary->worker_count);
    if (manifest) {
        if (manifest->open_loop)
            fprintf(out, ", open loop");
        else
            fprintf(out, ", CLOSED LOOP: at most %s requests in flight, so a slow server "
                         "is asked less", count_text(manifest->concurrency).text);
        if (manifest->emulated_client) {
            fprintf(out, ", EMULATED CLIENT ");
            print_outside_text(out, manifest->emulated_client);
        }
        if (manifest->model) {
            fprintf(out, ", model ");
            print_outside_text(out, manifest->model);
        }
    }
    fputc('\n', out);
}

/* What the runs' manifests say that a report should carry. */
static void print_notes(FILE *out, const struct load *load)
{
    for (size_t i = 0; i < load->run_count; i++) {
        const struct run_texts *notes = &load->runs[i].manifest.notes;
        for (size_t j = 0; j < notes->count; j++) {
            fprintf(out, "  note      ");
            print_outside_text(out, notes->items[j]);
            fputc('\n', out);
        }
    }
}

static void print_requests(FILE *out, const struct summary *summary)
{
    const struct request_counts *counts = &summary->requests;
    fprintf(out, "  requests  %s planned, %s sent, %s succeeded, ",
            count_text(counts->planned).text, count_text(counts->sent).text,
            count_text(counts->succeeded).text);
    fprintf(out, "%s failed, %s cancelled, %s not sent", count_text(counts->failed).text,
            count_text(counts->cancelled).text, count_text(counts->not_sent).text);
    if (counts->unrecorded > 0)
        fprintf(out, ", %s in no log", count_text(counts->unrecorded).text);
    fputc('\n', out);
    if (summary->outside > 0)
        fprintf(out, "            outside the window: %s\n",
                count_text(summary->outside).text);
    if (counts->failed == 0)
        return;
    fprintf(out, "  failures ");
    for (unsigned outcome = OUTCOME_HTTP_STATUS; outcome < OUTCOME_CANCELLED; outcome++)
        if (counts->by_outcome[outcome] > 0)
            fprintf(out, " %s %s", outcome_name(outcome),
                    count_text(counts->by_outcome[outcome]).text);
    fputc('\n', out);
}

static void print_load(FILE *out, const struct summary *summary)
{
    const struct timeline *timeline = &summary->timeline;
    fprintf(out, "  rate      planned %s, sent %s, completed %s, over %s\n",
            rate_text(timeline->planned_per_s).text, rate_text(timeline->sent_per_s).text,
            rate_text(timeline->completed_per_s).text,
            duration_text(timeline->duration_s).text);
    fprintf(out, "  in flight %s at most", count_text(timeline->inflight.max).text);
    if (isfinite(timeline->inflight.mean))
        fprintf(out, ", %.1f on average", timeline->inflight.mean);
    fputc('\n', out);
}

static void print_tokens(FILE *out, const struct token_counts *tokens,
                         double output_per_s)
{
    bool input_known = tokens->input > 0 || tokens->input_unknown == 0;
    fprintf(out, "  tokens    %s in, %s out (counted by %s), %s\n",
            input_known ? count_text(tokens->input).text : "unknown",
            count_text(tokens->output).text, counted_name(tokens->counted_by),
            rate_text(output_per_s).text);
    if (tokens->input_unknown > 0 && input_known)
        fprintf(out, "            input tokens unknown in requests: %s\n",
                count_text(tokens->input_unknown).text);
    if (tokens->input_cached > 0)
        fprintf(out, "            input tokens from the server's prefix cache: %s\n",
                count_text(tokens->input_cached).text);
    if (tokens->output_failed > 0)
        fprintf(out, "            of these in answers that did not succeed: %s\n",
                count_text(tokens->output_failed).text);
    if (tokens->mismatches > 0)
        fprintf(out, "            requests where the server's count and the events "
                     "differ: %s\n", count_text(tokens->mismatches).text);
    if (tokens->differing > 0)
        fprintf(out, "            answers of another length than planned: %s\n",
                count_text(tokens->differing).text);
}

/* Only what a reader should act on: a warm-up of more than a twentieth of the requests,
 * or a TTFT that is half as high again in the last quarter. */
static void print_warm_up(FILE *out, const struct summary *summary)
{
    const struct warm_up *warm_up = &summary->warm_up;
    if (warm_up->rise > 1.5 && !warm_up->state.settled)
        fprintf(out, "  warm-up   TTFT does not settle: its median is %.1f times as high "
                     "in the last\n            quarter of the requests as in the first\n",
                warm_up->rise);
    else if (warm_up->state.warm_up > summary->requests.succeeded / 20)
        fprintf(out, "  warm-up   TTFT settles after %s requests, %s (MSER-5; see "
                     "--skip-start)\n", count_text(warm_up->state.warm_up).text,
                duration_text(warm_up->seconds).text);
}

static void print_goodput(FILE *out, const struct summary *summary, const struct slo *slo)
{
    const struct goodput *goodput = &summary->goodput;
    if (!summary->has_goodput)
        return;
    fprintf(out, "  goodput   %s of the planned requests (95 %%: %s to %s), %s, within",
            percent_text(goodput->share).text,
            percent_text(goodput->share_interval.low).text,
            percent_text(goodput->share_interval.high).text,
            rate_text(goodput->per_s).text);
    for (size_t i = 0; i < slo->count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", slo->terms[i].text);
    fputc('\n', out);
}

void summary_print(FILE *out, const struct summary *summary, const struct load *load,
                   const struct slo *slo, const struct summary_text_options *options)
{
    print_verdict(out, &summary->verdict, options);
    print_run(out, summary, load);
    print_notes(out, load);
    print_arrival(out, load);
    print_requests(out, summary);
    print_load(out, summary);
    print_tokens(out, &summary->tokens, summary->timeline.output_per_s);
    print_warm_up(out, summary);
    print_goodput(out, summary, slo);
    summary_print_latencies(out, summary);
    summary_print_parts(out, &summary->parts);
    if (options->by_worker)
        summary_print_workers(out, summary);
    print_checks(out, &summary->verdict);
}
