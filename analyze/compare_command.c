/* tokanalyze compare: is B better than A? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/commands.h"
#include "analyze/compare.h"
#include "analyze/compare_output.h"
#include "analyze/verdict_options.h"
#include "formats/base/json.h"
#include "formats/base/memory.h"

struct compare_options {
    struct common_options common;
    int flavour;
    double margin;
    bool across_plans;
    bool ignore_verdicts;
    bool fail_on_worse;
    bool kernel_stamps;
    struct verdict_limits limits;
};

static const char *const flavour_names[] = { "arrival", "app", "due", NULL };

static const struct option_spec specs[] = {
    { .name = "by", .type = OPTION_CHOICE, .argument = "FLAVOUR",
     .choices = flavour_names,
      .offset = offsetof(struct compare_options, flavour), .default_text = "arrival",
      .group = "How to compare",
      .help = "tokens by arrival, as the client saw them, or by arrival since due" },
    { .name = "margin", .type = OPTION_FLOAT, .argument = "SHARE", .max = 1e6,
      .offset = offsetof(struct compare_options, margin), .default_text = "0",
      .help = "differences up to this share count as none, e.g. 0.02" },
    { .name = "across-plans", .type = OPTION_FLAG,
      .offset = offsetof(struct compare_options, across_plans),
      .help = "compare although the plans differ: unpaired, and only as fair as you know "
              "the loads to be alike" },
    { .name = "ignore-verdicts", .type = OPTION_FLAG,
      .offset = offsetof(struct compare_options, ignore_verdicts),
      .help = "compare although a run is not to be believed" },
    { .name = "fail-on-worse", .type = OPTION_FLAG,
      .offset = offsetof(struct compare_options, fail_on_worse),
      .help = "exit 1 when B is worse than A in anything, or cannot be compared" },
    { .name = "kernel-stamps", .type = OPTION_FLAG, .group = "Arrival",
      .offset = offsetof(struct compare_options, kernel_stamps),
      .help = "arrival by the kernel's stamps although the run has its packets "
              "(wire.toklog)" },
    VERDICT_OPTIONS(struct compare_options, limits),
    { 0 },
};

/* The runs of one operand, which are separated by commas. */
struct runs {
    struct analysis *items; /* owned */
    size_t count;
};

static void runs_release(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        analysis_release(&runs->items[i]);
    free(runs->items);
}

static int read_runs(struct runs *runs, const char *operand,
                     const struct compare_options *options, struct fault *fault)
{
    struct summary_request request = {
        .limits = options->limits,
        .whole = true,
        .kernel_stamps = options->kernel_stamps,
    };
    char *paths = memory_copy_text(operand, strlen(operand));
    size_t most = 1;
    for (const char *at = operand; (at = strchr(at, ',')) != NULL; at++)
        most++;
    runs->items = memory_new(most, sizeof *runs->items);
    int status = STATUS_OK;
    char *rest = paths;
    for (char *path; status == STATUS_OK && (path = strsep(&rest, ",")) != NULL;)
        status = analysis_run(&runs->items[runs->count++], &path, 1, &request, WINDOW_ALL,
                              &options->common, fault);
    free(paths);
    return status;
}

static bool is_worse(const struct comparison *comparison)
{
    bool worse = comparison->failed_verdict == COMPARE_WORSE;
    for (size_t i = 0; i < COMPARE_METRICS; i++) {
        enum comparison_verdict verdict = comparison->metrics[i].verdict;
        worse |= verdict == COMPARE_WORSE || verdict == COMPARE_MIXED ||
                 verdict == COMPARE_NOT_COMPARABLE;
    }
    return worse;
}

static int compare_and_print(const struct runs *a, const struct runs *b,
                             const struct compare_options *options, struct fault *fault)
{
    struct compare_request request = {
        .flavour = (enum flavour)options->flavour,
        .margin = options->margin,
        .across_plans = options->across_plans,
        .ignore_verdicts = options->ignore_verdicts,
    };
    struct compare_side a_side = { a->items, a->count };
    struct compare_side b_side = { b->items, b->count };
    struct comparison comparison;
    if ((a->count == 1) != (b->count == 1))
        return fault_set(fault, STATUS_USAGE,
                         "one run against several: give one on each side, or two and "
                         "more on each");
    compare_runs(&comparison, a_side, b_side, &request);
    int status = STATUS_OK;
    if (options->common.json) {
        json_t *document = compare_json(&comparison, a_side, b_side);
        status = json_write_stream(document, stdout, fault);
        json_decref(document);
    } else {
        compare_print(stdout, &comparison, a_side, b_side);
    }
    if (status == STATUS_OK && options->fail_on_worse && is_worse(&comparison))
        status = 1;
    return status;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    (void)operand_count;
    const struct compare_options *options = given;
    struct runs a = { 0 };
    struct runs b = { 0 };
    int status = read_runs(&a, operands[0], options, fault);
    if (status == STATUS_OK)
        status = read_runs(&b, operands[1], options, fault);
    if (status == STATUS_OK)
        status = compare_and_print(&a, &b, options, fault);
    runs_release(&a);
    runs_release(&b);
    return status;
}

const struct command compare_command = {
    .name = "compare",
    .summary = "is one run better than another?",
    .usage = "[OPTION]... A[,A2,...] B[,B2,...]",
    .details =
        "A and B are run directories or logs. One on each side: bootstrap over requests, "
        "paired by row when the plans are the same. Several on each side: the variance "
        "between the runs (Welch). A metric's verdict rests on its median and its 99th "
        "percentile, which together err in at most 5 % of comparisons of equals.",
    .options = specs,
    .options_size = sizeof(struct compare_options),
    .run = run,
    .operands_min = 2,
    .operands_max = 2,
};
