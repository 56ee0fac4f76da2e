/* The sub-commands of tokreplay, one per file. */
#ifndef TOKTRACE_REPLAY_COMMANDS_H
#define TOKTRACE_REPLAY_COMMANDS_H

#include "formats/base/options.h"

extern const struct command plan_command;
extern const struct command profile_command;
extern const struct command run_command;
extern const struct command serve_command;

#endif
