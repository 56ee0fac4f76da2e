#include "analyze/export_rows.h"

#include <string.h>

#include "formats/base/json.h"
#include "formats/base/utf8.h"

static void append_csv_text(struct buffer *buffer, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buffer_append_utf8(buffer, text, strlen(text));
        return;
    }
    buffer_append_byte(buffer, '"');
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        buffer_append_utf8(buffer, text, (size_t)(quote - text));
        buffer_append_text(buffer, "\"\"");
    }
    buffer_append_utf8(buffer, text, strlen(text));
    buffer_append_byte(buffer, '"');
}

static void append_csv_cell(struct buffer *buffer, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NONE:
        break;
    case CELL_INT:
        buffer_append_int(buffer, cell->integer);
        break;
    case CELL_REAL:
        buffer_append_json_number(buffer, cell->real);
        break;
    case CELL_TEXT:
        append_csv_text(buffer, cell->text);
        break;
    }
}

static void append_json_cell(struct buffer *buffer, const struct cell *cell)
{
    if (cell->kind == CELL_NONE)
        buffer_append(buffer, "null", 4);
    else if (cell->kind == CELL_TEXT)
        buffer_append_json_string(buffer, cell->text, strlen(cell->text));
    else
        append_csv_cell(buffer, cell);
}

void export_heads_append(struct buffer *buffer, enum export_format format,
                         const struct export_column *columns, size_t count)
{
    if (format != EXPORT_CSV)
        return;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(buffer, ',');
        buffer_append_text(buffer, columns[i].name);
    }
    buffer_append_byte(buffer, '\n');
}

static void append_json_key(struct buffer *buffer, const char *name, bool first)
{
    buffer_append_byte(buffer, first ? '{' : ',');
    buffer_append_byte(buffer, '"');
    buffer_append_text(buffer, name);
    buffer_append(buffer, "\":", 2);
}

void export_row_append(struct buffer *buffer, enum export_format format,
                       const struct export_column *columns, const struct cell *cells,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (format == EXPORT_NDJSON) {
            append_json_key(buffer, columns[i].name, i == 0);
            append_json_cell(buffer, &cells[i]);
        } else {
            if (i > 0)
                buffer_append_byte(buffer, ',');
            append_csv_cell(buffer, &cells[i]);
        }
    }
    if (format == EXPORT_NDJSON)
        buffer_append_byte(buffer, '}');
    buffer_append_byte(buffer, '\n');
}
