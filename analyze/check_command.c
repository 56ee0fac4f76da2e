/* tokanalyze check: a gate. Exit 1 when an objective is missed, or with --strict when the
 * run is not to be believed. */
#include <stdio.h>

#include "analyze/analysis.h"
#include "analyze/check_output.h"
#include "analyze/commands.h"
#include "analyze/verdict_options.h"
#include "formats/base/json.h"
#include "formats/base/output_file.h"

struct check_options {
    struct common_options common;
    struct option_list slo;
    double min_goodput;
    bool strict;
    const char *junit;
    bool kernel_stamps;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "slo", .type = OPTION_LIST, .argument = "TERMS", .group = "Objectives",
      .offset = offsetof(struct check_options, slo),
      .help = "such as ttft_p99<500ms,itl_p95<50ms,due:e2e_mean<2s: "
              "[app:|due:]METRIC_STATISTIC<TIME with METRIC ttft, ttft_content, tpot, "
              "ntpot, e2e or itl and STATISTIC mean, max, p50, p99, p99_9...; without a "
              "statistic the term is for each request" },
    { .name = "min-goodput", .type = OPTION_FLOAT, .argument = "SHARE",
      .min_exclusive = true, .max = 1,
      .offset = offsetof(struct check_options, min_goodput),
      .help = "least share of the planned requests that must succeed and meet the terms "
              "for each request; all when not given" },
    { .name = "strict", .type = OPTION_FLAG,
     .offset = offsetof(struct check_options, strict),
      .help = "fail too when the run is not to be believed" },
    { .name = "junit", .type = OPTION_PATH, .argument = "FILE", .group = "Output",
      .offset = offsetof(struct check_options, junit),
      .help = "write the result there as JUnit XML too" },
    { .name = "kernel-stamps", .type = OPTION_FLAG, .group = "Arrival",
      .offset = offsetof(struct check_options, kernel_stamps),
      .help = "arrival by the kernel's stamps although the run has its packets "
              "(wire.toklog)" },
    VERDICT_OPTIONS(struct check_options, limits),
    { 0 },
};

/* Terms with a statistic to `wholes`, those for each request to `each`. */
static int parse_objectives(const struct option_list *texts, struct slo *wholes,
                            struct slo *each, struct fault *fault)
{
    struct slo all = { 0 };
    int status = slo_parse_list(&all, texts, fault);
    if (status < 0)
        return status;
    for (size_t i = 0; i < all.count; i++) {
        const struct slo_term *term = &all.terms[i];
        struct slo *to = term->statistic == SLO_EACH ? each : wholes;
        if (term->statistic == SLO_EACH && term->metric == SLO_ITL)
            return fault_set(fault, STATUS_USAGE,
                             "objective '%s': a request has many gaps; name a statistic",
                             term->text);
        to->terms[to->count++] = *term;
    }
    return STATUS_OK;
}

static void judge(struct check_result *result, const struct slo *wholes,
                  const struct analysis *analysis)
{
    result->summary = &analysis->summary;
    result->passed = !result->strict || result->summary->verdict.valid;
    for (size_t i = 0; i < wholes->count; i++) {
        struct objective objective = objective_judge(&wholes->terms[i], analysis);
        result->objectives[result->count++] = objective;
        result->passed &= objective.met;
    }
    result->has_goodput = result->summary->has_goodput;
    result->goodput_met = result->summary->goodput.share >= result->min_goodput;
    if (result->has_goodput)
        result->passed &= result->goodput_met;
}

static int write_junit(const struct check_result *result, const char *path, bool force,
                       struct fault *fault)
{
    struct output_file file = { 0 };
    int status = output_file_open(&file, path, force ? OUTPUT_FORCE : 0, fault);
    if (status < 0)
        return status;
    check_print_junit(file.stream, result);
    return output_file_commit(&file, fault);
}

static int write_result(const struct check_result *result,
                        const struct check_options *options, struct fault *fault)
{
    if (options->junit) {
        int status = write_junit(result, options->junit, options->common.force, fault);
        if (status < 0)
            return status;
    }
    if (!options->common.json) {
        check_print(stdout, result);
        return STATUS_OK;
    }
    json_t *document = check_json(result);
    int status = json_write_stream(document, stdout, fault);
    json_decref(document);
    return status;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct check_options *options = given;
    struct summary_request request = {
        .limits = options->limits,
        .whole = true,
        .kernel_stamps = options->kernel_stamps,
    };
    struct check_result result = {
        .strict = options->strict,
        .min_goodput = options->min_goodput > 0 ? options->min_goodput : 1,
    };
    struct analysis analysis = { 0 };
    struct slo wholes = { 0 };
    int status = parse_objectives(&options->slo, &wholes, &request.slo, fault);
    if (status == STATUS_OK && options->slo.count == 0 && !options->strict)
        status = fault_set(fault, STATUS_USAGE,
                           "nothing to check: give --slo or --strict");
    if (status == STATUS_OK && options->min_goodput > 0 && request.slo.count == 0)
        status = fault_set(fault, STATUS_USAGE,
                           "--min-goodput: expected --slo with a term for each request, "
                           "such as ttft<500ms");
    if (status == STATUS_OK)
        status = analysis_run(&analysis, operands, operand_count, &request, WINDOW_ALL,
                              &options->common, fault);
    if (status == STATUS_OK) {
        judge(&result, &wholes, &analysis);
        status = write_result(&result, options, fault);
    }
    analysis_release(&analysis);
    return status < 0 ? status : result.passed ? 0 : 1;
}

const struct command check_command = {
    .name = "check",
    .summary = "a gate: exit 1 when objectives are missed",
    .usage = "[OPTION]... RUNDIR|LOG...",
    .details =
        "An objective that no request can answer is missed. Intervals are at 95 %: where "
        "the limit lies inside one, the result says that it is not for certain, and goes "
        "by the measured value.",
    .options = specs,
    .options_size = sizeof(struct check_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
