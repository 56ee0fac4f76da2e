/* Command lines as a shell takes them. */
#ifndef TOKTRACE_SHELL_WORDS_H
#define TOKTRACE_SHELL_WORDS_H

#include "formats/base/buffer.h"
#include "formats/run_manifest.h"

/* Appends the words with spaces between them, each in single quotes where a POSIX shell
 * would not take it as it stands. */
void buffer_append_shell_words(struct buffer *buffer, const struct run_texts *words);

#endif
