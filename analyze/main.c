/* tokanalyze: works offline on stored runs. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <sqlite3.h>

#include "formats/base/options.h"
#include "formats/base/version.h"
#include "analyze/commands.h"

int main(int argc, char **argv)
{
    const struct command commands[] = {
        check_command,
        compare_command,
        dump_command,
        export_command,
        latency_profile_command,
        plot_command,
        queue_command,
        report_command,
        split_command,
        summary_command,
        { 0 },
    };
    gsl_set_error_handler_off(); /* its default is to abort; results are checked */
    char libraries[64];
    char version[VERSION_TEXT_MAX];
    snprintf(libraries, sizeof libraries, "gsl %s, sqlite %s", gsl_version,
             sqlite3_libversion());
    const struct program program = {
        .name = "tokanalyze",
        .summary = "analyse stored runs: metrics, queueing models, figures",
        .version = version_format(version, libraries),
        .commands = commands,
    };
    return program_main(&program, argc, argv);
}
