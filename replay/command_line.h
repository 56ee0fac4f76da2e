/* The command line of this process, fit for a manifest: without secrets. */
#ifndef TOKTRACE_COMMAND_LINE_H
#define TOKTRACE_COMMAND_LINE_H

#include "formats/run_directory.h"

/* Appends the words of /proc/self/cmdline. Values of --header and -H and passwords in
 * URLs become "***". */
void command_line_append(struct run_texts *words);

/* Appends one word as it would stand in a manifest; `after` is the word before it. For
 * the above, and for tests. */
void command_line_append_word(struct run_texts *words, const char *after,
                              const char *word);

#endif
