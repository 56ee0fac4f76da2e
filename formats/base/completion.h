/* Completion scripts for shells, made from the same tables as --help. */
#ifndef TOKTRACE_COMPLETION_H
#define TOKTRACE_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/options.h"

/* Prints the script for `shell`, "bash" or "zsh"; false for any other. */
bool completion_print(const struct program *program, const char *shell, FILE *out);

#endif
