/* tokreplay plan: shows what `tokreplay run` would send, and sends nothing. */
#include <stdio.h>

#include "formats/base/buffer.h"
#include "formats/base/json.h"
#include "formats/base/options.h"
#include "formats/base/output_file.h"
#include "replay/commands.h"
#include "replay/plan.h"
#include "replay/plan_options.h"
#include "replay/plan_rows.h"
#include "replay/plan_stats.h"

struct plan_command_options {
    struct common_options common;
    struct plan_options plan;
    const char *output;
    bool stats;
};

static const struct option_spec specs[] = {
    PLAN_OPTIONS(struct plan_command_options, plan),
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "FILE",
      .offset = offsetof(struct plan_command_options, output), .group = "Output",
      .help = "write there instead of standard output" },
    { .name = "stats", .type = OPTION_FLAG,
      .offset = offsetof(struct plan_command_options, stats),
      .help = "print what the plan is like, not its requests; --json does too" },
    { 0 },
};

static int write_rows(const struct plan *plan, FILE *stream, struct fault *fault)
{
    struct buffer line = BUFFER_INIT;
    int rc = STATUS_OK;
    for (size_t i = 0; i < plan->count && rc == STATUS_OK; i++) {
        buffer_clear(&line);
        plan_row_append(&line, plan, i);
        if (fwrite(line.data, 1, line.len, stream) != line.len)
            rc = fault_set_errno(fault, "cannot write the plan");
    }
    buffer_release(&line);
    return rc;
}

static int write_stats(const struct plan *plan,
                       const struct plan_command_options *options,
                       FILE *stream, struct fault *fault)
{
    struct plan_stats stats;
    plan_stats_compute(&stats, plan, &options->plan);
    if (!options->common.json) {
        plan_stats_print(&stats, plan, stream);
        return STATUS_OK;
    }
    json_t *document = plan_stats_json(&stats, plan);
    int rc = json_write_stream(document, stream, fault);
    json_decref(document);
    return rc;
}

static int write_plan(const struct plan *plan, const struct plan_command_options *options,
                      struct fault *fault)
{
    struct output_file file = { 0 };
    unsigned flags = options->common.force ? OUTPUT_FORCE : 0;
    int rc = output_file_open(&file, options->output, flags, fault);
    if (rc < 0)
        return rc;
    bool stats = options->stats || options->common.json;
    rc = stats ? write_stats(plan, options, file.stream, fault)
               : write_rows(plan, file.stream, fault);
    return output_file_finish(&file, rc, fault);
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    const struct plan_command_options *options = given;
    struct plan plan = { 0 };
    int rc = plan_build(&options->plan, &plan, fault);
    if (rc == STATUS_OK)
        rc = write_plan(&plan, options, fault);
    plan_release(&plan);
    return rc;
}

const struct command plan_command = {
    .name = "plan",
    .summary = "print the plan of a run, or its statistics; sends nothing",
    .usage = "[OPTION]... --trace FILE",
    .options = specs,
    .options_size = sizeof(struct plan_command_options),
    .run = run,
};
