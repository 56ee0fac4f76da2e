#include "analyze/text_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

enum { CELL_MAX = 160 };

void text_table_release(struct text_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct text_table){ 0 };
}

void text_table_add(struct text_table *table, const char *format, ...)
{
    char text[CELL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    table->cells = memory_grow(table->cells, table->count, &table->capacity,
                               sizeof *table->cells);
    table->cells[table->count++] = memory_copy_text(text, strlen(text));
}

void text_table_start(struct text_table *table, const char *const *heads)
{
    text_table_release(table);
    for (; heads[table->columns]; table->columns++)
        text_table_add(table, "%s", heads[table->columns]);
    assert(table->columns > 0 && table->columns <= TEXT_TABLE_COLUMNS_MAX);
}

/* Characters of UTF-8 text. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void text_table_print(const struct text_table *table, FILE *out)
{
    int widths[TEXT_TABLE_COLUMNS_MAX] = { 0 };
    assert(table->count % table->columns == 0);
    for (size_t i = 0; i < table->count; i++) {
        int width = width_of(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t i = 0; i < table->count; i++) {
        const char *cell = table->cells[i];
        size_t column = i % table->columns;
        int padding = widths[column] - width_of(cell);
        if (column == 0)
            fprintf(out, "  %s%*s", cell, padding, "");
        else
            fprintf(out, "  %*s%s", padding, "", cell);
        if (column + 1 == table->columns)
            fputc('\n', out);
    }
}
