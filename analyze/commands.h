/* The sub-commands of tokanalyze, one per file. */
#ifndef TOKTRACE_ANALYZE_COMMANDS_H
#define TOKTRACE_ANALYZE_COMMANDS_H

#include "formats/base/options.h"

extern const struct command check_command;
extern const struct command compare_command;
extern const struct command dump_command;
extern const struct command export_command;
extern const struct command latency_profile_command;
extern const struct command plot_command;
extern const struct command queue_command;
extern const struct command report_command;
extern const struct command split_command;
extern const struct command summary_command;

#endif
