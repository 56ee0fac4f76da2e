/* What a person sees while a command works: colour and one progress line, only where it
 * is welcome. */
#ifndef TOKTRACE_TERMINAL_H
#define TOKTRACE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum terminal_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* True when `stream` should get colour: asked for, or auto on a tty without NO_COLOR and
 * TERM=dumb. */
bool terminal_use_color(FILE *stream, enum terminal_color choice);

/* Columns of the terminal on `stream`; 80 where unknown. */
int terminal_width(FILE *stream);

/* One line on stderr: only on a tty in the foreground, after 1 s, at most 4 Hz, erased at
 * the end. Elsewhere, when `verbose`, one plain line every 10 s; otherwise nothing. */
struct progress {
    bool tty;
    bool verbose;
    bool shown;
    int64_t started_ns;
    int64_t next_ns;
};

void progress_init(struct progress *progress, bool wanted, bool verbose);

/* True when it is time to show a new line; then call progress_show. Cheap. */
bool progress_due(const struct progress *progress);

/* Shows `line`, cut to the terminal's width. */
void progress_show(struct progress *progress, const char *line);

/* Erases the line. */
void progress_end(struct progress *progress);

#endif
