/* tokanalyze report: one run, or one profile, as one page of HTML, without scripts and
 * without anything from elsewhere. */
#include <stdio.h>

#include "analyze/commands.h"
#include "analyze/report_page.h"
#include "analyze/verdict_options.h"
#include "formats/base/output_file.h"
#include "formats/profile_manifest.h"

struct report_options {
    struct common_options common;
    const char *output;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .argument = "FILE",
      .group = "Output",
      .offset = offsetof(struct report_options, output),
      .help = "write there instead of standard output" },
    VERDICT_OPTIONS(struct report_options, limits),
    { 0 },
};

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct report_options *options = given;
    struct buffer page = BUFFER_INIT;
    struct output_file file = { 0 };
    (void)operand_count;
    int status =
        profile_directory_is(operands[0])
            ? report_profile(&page, operands[0], &options->limits, &options->common,
                             fault)
            : report_run(&page, operands[0], &options->limits, &options->common, fault);
    if (status == STATUS_OK)
        status = output_file_open(&file, options->output,
                                  options->common.force ? OUTPUT_FORCE : 0, fault);
    if (status == STATUS_OK) {
        fwrite(page.data, 1, page.len, file.stream);
        status = output_file_commit(&file, fault);
    }
    buffer_release(&page);
    return status;
}

const struct command report_command = {
    .name = "report",
    .summary = "a run or a profile as one page of HTML",
    .usage = "[OPTION]... RUNDIR|PROFILE -o FILE",
    .details = "The verdict in words, charts, tables with intervals, the client as a "
               "queue, client and server by packets where the run has them, and how to "
               "reproduce the run; of a profile, its knee. The page needs no scripts and "
               "no network.",
    .options = specs,
    .options_size = sizeof(struct report_options),
    .run = run,
    .operands_min = 1,
    .operands_max = 1,
};
