#include "analyze/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "formats/base/utf8.h"

void figure_release(struct figure *figure)
{
    buffer_release(&figure->data);
    buffer_release(&figure->script);
    free(figure->rows);
}

void figure_refuse(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(figure->problem, sizeof figure->problem, format, arguments);
    va_end(arguments);
}

static void append_line(struct buffer *buffer, const char *before, const char *format,
                        va_list arguments)
{
    char *line = NULL;
    if (vasprintf(&line, format, arguments) < 0)
        abort();
    buffer_append_text(buffer, before);
    buffer_append_text(buffer, line);
    buffer_append_byte(buffer, '\n');
    free(line);
}

void figure_remark(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(&figure->data, "# ", format, arguments);
    va_end(arguments);
}

void figure_block_end(struct figure *figure)
{
    if (figure->blocks > 0 && !figure->begun)
        buffer_append_text(&figure->data, "nan nan\n");
    figure->begun = true;
}

size_t figure_block(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    figure_block_end(figure);
    figure->begun = false;
    buffer_append_text(&figure->data, figure->blocks > 0 ? "\n\n" : "\n");
    append_line(&figure->data, "# ", format, arguments);
    va_end(arguments);
    figure->rows = memory_grow(figure->rows, figure->blocks, &figure->blocks_capacity,
                               sizeof *figure->rows);
    figure->rows[figure->blocks] = 0;
    return figure->blocks++;
}

void figure_row(struct figure *figure, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_append_text(&figure->data, i > 0 ? " " : "");
        if (isfinite(values[i]))
            buffer_printf(&figure->data, "%.9g", values[i]);
        else
            buffer_append_text(&figure->data, "nan");
    }
    buffer_append_byte(&figure->data, '\n');
    figure->begun = true;
    if (isfinite(values[0]) && isfinite(values[1]))
        figure->rows[figure->blocks - 1]++;
}

void figure_line(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(&figure->script, "", format, arguments);
    va_end(arguments);
}

void figure_append_label(struct buffer *text, const char *outside)
{
    figure_append_text(text, outside, FIGURE_LABEL_MAX);
}

void figure_append_text(struct buffer *text, const char *outside, size_t characters_max)
{
    size_t characters = 0;
    while (*outside && characters < characters_max) {
        size_t len = utf8_sequence_len(outside, strnlen(outside, UTF8_SEQUENCE_MAX));
        uint32_t point = utf8_point(outside, len);
        if (utf8_point_steers(point))
            buffer_append_byte(text, '?');
        else if (point == '\'' || point == '`' || point == '"')
            buffer_append_text(text, "’");
        else
            buffer_append(text, outside, len);
        outside += len > 0 ? len : 1;
        characters++;
    }
    if (*outside)
        buffer_append_text(text, "…");
}

size_t figure_label_width(const char *label)
{
    size_t characters = 0;
    while (*label) {
        size_t len = utf8_sequence_len(label, strnlen(label, UTF8_SEQUENCE_MAX));
        characters += utf8_point(label, len) >= 0x2e80 ? 2 : 1;
        label += len > 0 ? len : 1;
    }
    return characters;
}
