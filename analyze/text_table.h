/* Aligned tables of short texts: the first column to the left, the others to the
 * right. */
#ifndef TOKTRACE_TEXT_TABLE_H
#define TOKTRACE_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TEXT_TABLE_COLUMNS_MAX = 16 };

/* Start from {0}. */
struct text_table {
    char **cells; /* owned, row after row */
    size_t count;
    size_t capacity;
    size_t columns;
};

/* Begins a table with these heads; NULL ends them. */
void text_table_start(struct text_table *table, const char *const *heads);

/* Adds the next cell; rows fill up from the left. */
void text_table_add(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints with two spaces between columns, indented by two. Widths count characters, not
 * bytes. */
void text_table_print(const struct text_table *table, FILE *out);

void text_table_release(struct text_table *table);

#endif
