#include "analyze/sheet.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/html_text.h"
#include "analyze/short_text.h"

/* Characters of one text on a page; wide cells may break their lines. */
enum { PAGE_TEXT_MAX = 400, PAGE_TITLE_MAX = 160, NARROW_CELL_MAX = 28 };

enum { FACT_NAME_WIDTH = 9 };

static void close_facts(struct sheet *sheet)
{
    if (sheet->in_facts)
        buffer_append_text(sheet->page, "</table>\n");
    sheet->in_facts = false;
}

void sheet_release(struct sheet *sheet)
{
    close_facts(sheet);
    buffer_release(&sheet->title);
    buffer_release(&sheet->line);
}

/* The text of a call, in `line`. */
static void format_line(struct sheet *sheet, const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    buffer_clear(&sheet->line);
    buffer_append_text(&sheet->line, text);
    free(text);
}

static void print_line(struct sheet *sheet, const char *before)
{
    fputs(before, sheet->out);
    print_outside_text(sheet->out, buffer_text(&sheet->line));
    fputc('\n', sheet->out);
}

static void append_line(struct sheet *sheet, const char *before, size_t characters_max,
                        const char *after)
{
    buffer_append_text(sheet->page, before);
    html_append_text(sheet->page, buffer_text(&sheet->line), characters_max);
    buffer_append_text(sheet->page, after);
}

void sheet_title(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_line(sheet, format, arguments);
    va_end(arguments);
    if (sheet->out) {
        print_line(sheet, "\n");
        return;
    }
    close_facts(sheet);
    append_line(sheet, "<h3>", PAGE_TITLE_MAX, "</h3>\n");
    buffer_clear(&sheet->title);
    buffer_append(&sheet->title, sheet->line.data, sheet->line.len);
}

void sheet_gap(struct sheet *sheet)
{
    if (sheet->out)
        fputc('\n', sheet->out);
}

static void add_sentence(struct sheet *sheet, const char *indent)
{
    if (sheet->out) {
        print_line(sheet, indent);
        return;
    }
    close_facts(sheet);
    append_line(sheet, "<p>", PAGE_TEXT_MAX, "</p>\n");
}

void sheet_sentence(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_line(sheet, format, arguments);
    va_end(arguments);
    add_sentence(sheet, "");
}

void sheet_line(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_line(sheet, format, arguments);
    va_end(arguments);
    add_sentence(sheet, "  ");
}

void sheet_fact(struct sheet *sheet, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_line(sheet, format, arguments);
    va_end(arguments);
    if (sheet->out) {
        fprintf(sheet->out, "  %-*s ", FACT_NAME_WIDTH, name);
        print_line(sheet, "");
        return;
    }
    if (!sheet->in_facts)
        buffer_append_text(sheet->page, "<table class=\"facts\">\n");
    sheet->in_facts = true;
    if (name[0] == '\0') {
        append_line(sheet, "<br>", PAGE_TEXT_MAX, "\n");
        return;
    }
    buffer_append_text(sheet->page, "<tr><th scope=\"row\">");
    html_append_text(sheet->page, name, PAGE_TEXT_MAX);
    append_line(sheet, "<td>", PAGE_TEXT_MAX, "\n");
}

/* Words stand to the left, numbers to the right, heads as what is below them. */
static const char *class_of(const struct text_table *table, size_t at)
{
    bool head = at < table->columns && at + table->columns < table->count;
    const char *text = table->cells[head ? at + table->columns : at];
    if (strlen(table->cells[at]) > NARROW_CELL_MAX)
        return " class=\"wide\"";
    return isalpha((unsigned char)text[0]) ? " class=\"word\"" : "";
}

static void append_cell(struct sheet *sheet, const struct text_table *table, size_t at)
{
    const char *text = table->cells[at];
    const char *element = at < table->columns        ? "th scope=\"col\""
                          : at % table->columns == 0 ? "th scope=\"row\""
                                                     : "td";
    buffer_printf(sheet->page, "<%s%s>", element, class_of(table, at));
    html_append_text(sheet->page, text + strspn(text, " "), PAGE_TEXT_MAX);
}

/* In a frame of its own that scrolls when the page is narrower. */
static void append_table(struct sheet *sheet, const struct text_table *table)
{
    buffer_append_text(sheet->page,
                       "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                       "aria-label=\"");
    html_append_text(sheet->page, buffer_text(&sheet->title), PAGE_TITLE_MAX);
    buffer_append_text(sheet->page, "\"><table>\n");
    for (size_t i = 0; i < table->count; i++) {
        if (i % table->columns == 0)
            buffer_append_text(sheet->page, "<tr>");
        append_cell(sheet, table, i);
        if ((i + 1) % table->columns == 0)
            buffer_append_byte(sheet->page, '\n');
    }
    buffer_append_text(sheet->page, "</table></div>\n");
}

void sheet_table(struct sheet *sheet, const struct text_table *table)
{
    if (sheet->out) {
        text_table_print(table, sheet->out);
        return;
    }
    close_facts(sheet);
    append_table(sheet, table);
}
