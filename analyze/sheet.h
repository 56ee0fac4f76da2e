/* What a command reports to people, described once: text for a terminal, or HTML for a
 * page. Any text may hold strings from outside: on a terminal control characters become
 * '?'; on a page all is escaped, marks of direction included, and long texts are cut. */
#ifndef TOKTRACE_SHEET_H
#define TOKTRACE_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/text_table.h"
#include "formats/base/buffer.h"

/* One of `out` and `page` is set. Start from { .out = stream } or { .page = buffer };
 * release when done. */
struct sheet {
    FILE *out;
    struct buffer *page;
    bool in_facts;       /* of the page: their table is open */
    struct buffer title; /* the last; names the table that follows */
    struct buffer line;  /* scratch */
};

/* Ends what is open. */
void sheet_release(struct sheet *sheet);

/* A heading, with an empty line before it. */
void sheet_title(struct sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An empty line, on a terminal. */
void sheet_gap(struct sheet *sheet);

/* A sentence; on a terminal from the first column. */
void sheet_sentence(struct sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A sentence about what is above; on a terminal indented. */
void sheet_line(struct sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A fact with its name; "" for more of the fact before. */
void sheet_fact(struct sheet *sheet, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table; its first row is of heads. */
void sheet_table(struct sheet *sheet, const struct text_table *table);

#endif
