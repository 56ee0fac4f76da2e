/* The sub-commands of tokrecord, one per file. */
#ifndef TOKTRACE_RECORD_COMMANDS_H
#define TOKTRACE_RECORD_COMMANDS_H

#include "formats/base/options.h"

extern const struct command capture_command;
extern const struct command extract_command;
extern const struct command live_command;

#endif
