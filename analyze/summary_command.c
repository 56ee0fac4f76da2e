/* tokanalyze summary: what a run measured, and whether to believe it. */
#include <stdio.h>

#include "analyze/analysis.h"
#include "analyze/commands.h"
#include "analyze/summary_output.h"
#include "analyze/verdict_options.h"
#include "formats/base/json.h"
#include "formats/base/output_file.h"
#include "formats/base/terminal.h"

struct summary_options {
    struct common_options common;
    struct option_list slo;
    int64_t skip_start_ns;
    int64_t skip_end_ns;
    bool by_worker;
    const char *output;
    bool kernel_stamps;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "slo", .type = OPTION_LIST, .argument = "TERMS", .group = "What is counted",
      .offset = offsetof(struct summary_options, slo),
      .help = "objectives for each request, such as ttft<500ms,tpot<50ms: goodput is the "
              "share of the planned requests that met all; [app:|due:]METRIC<TIME with "
              "METRIC ttft, ttft_content, tpot, ntpot or e2e" },
    { .name = "skip-start", .type = OPTION_DURATION, .argument = "TIME",
      .min = 0, .max = 9e18, .default_text = "0",
      .offset = offsetof(struct summary_options, skip_start_ns),
      .help = "leave out requests due earlier than this after the first" },
    { .name = "skip-end", .type = OPTION_DURATION, .argument = "TIME",
      .min = 0, .max = 9e18, .default_text = "0",
      .offset = offsetof(struct summary_options, skip_end_ns),
      .help = "leave out requests due later than this before the last" },
    { .name = "by-worker", .type = OPTION_FLAG, .group = "Output",
      .offset = offsetof(struct summary_options, by_worker),
      .help = "a table of the workers too" },
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "FILE",
      .offset = offsetof(struct summary_options, output),
      .help = "write there instead of standard output" },
    { .name = "kernel-stamps", .type = OPTION_FLAG, .group = "Arrival",
      .offset = offsetof(struct summary_options, kernel_stamps),
      .help = "arrival by the kernel's stamps although the run has its packets "
              "(wire.toklog)" },
    VERDICT_OPTIONS(struct summary_options, limits),
    { 0 },
};

static int parse_objectives(const struct option_list *texts, struct slo *slo,
                            struct fault *fault)
{
    int status = slo_parse_list(slo, texts, fault);
    if (status < 0)
        return status;
    for (size_t i = 0; i < slo->count; i++)
        if (slo->terms[i].statistic != SLO_EACH || slo->terms[i].metric == SLO_ITL)
            return fault_set(fault, STATUS_USAGE,
                             "objective '%s' is not about single requests: see "
                             "tokanalyze check", slo->terms[i].text);
    return STATUS_OK;
}

static int find_window(const struct summary_options *options, char **operands,
                       int operand_count, struct window *window, struct fault *fault)
{
    *window = WINDOW_ALL;
    if (options->skip_start_ns == 0 && options->skip_end_ns == 0)
        return STATUS_OK;
    int status = collection_due_range(operands, operand_count, window, fault);
    if (status < 0 || window->from_ns > window->to_ns)
        return status;
    if (__builtin_add_overflow(window->from_ns, options->skip_start_ns,
                               &window->from_ns) ||
        __builtin_sub_overflow(window->to_ns, options->skip_end_ns, &window->to_ns) ||
        window->from_ns > window->to_ns)
        return fault_set(fault, STATUS_USAGE,
                         "--skip-start and --skip-end leave nothing of the run");
    return STATUS_OK;
}

static int write_summary(const struct analysis *analysis, const struct slo *slo,
                         const struct summary_options *options, struct fault *fault)
{
    struct output_file file = { 0 };
    unsigned flags = options->common.force ? OUTPUT_FORCE : 0;
    int status = output_file_open(&file, options->output, flags, fault);
    if (status < 0)
        return status;
    if (options->common.json) {
        json_t *document = summary_json(&analysis->summary, &analysis->load, slo);
        status = json_write_stream(document, file.stream, fault);
        json_decref(document);
    } else {
        enum terminal_color color = (enum terminal_color)options->common.color;
        struct summary_text_options text = {
            .color = terminal_use_color(file.stream, color),
            .by_worker = options->by_worker,
        };
        summary_print(file.stream, &analysis->summary, &analysis->load, slo, &text);
    }
    return output_file_finish(&file, status, fault);
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct summary_options *options = given;
    struct summary_request request = {
        .limits = options->limits,
        .kernel_stamps = options->kernel_stamps,
        .whole = options->skip_start_ns == 0 && options->skip_end_ns == 0,
    };
    struct analysis analysis = { 0 };
    struct window window;
    int status = parse_objectives(&options->slo, &request.slo, fault);
    if (status == STATUS_OK)
        status = find_window(options, operands, operand_count, &window, fault);
    if (status == STATUS_OK)
        status = analysis_run(&analysis, operands, operand_count, &request, window,
                              &options->common, fault);
    if (status == STATUS_OK)
        status = write_summary(&analysis, &request.slo, options, fault);
    analysis_release(&analysis);
    return status;
}

const struct command summary_command = {
    .name = "summary",
    .summary = "what a run measured, and whether to believe it",
    .usage = "[OPTION]... RUNDIR|LOG...",
    .details =
        "Reads run directories and arrival logs (- for standard input) and reports them "
        "as one. Percentiles of requests are exact, interpolated as numpy does, with "
        "exact binomial intervals; those of gaps between tokens and of receive lags come "
        "from a histogram, within 0.4 %, with bootstrap intervals over requests.",
    .options = specs,
    .options_size = sizeof(struct summary_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
