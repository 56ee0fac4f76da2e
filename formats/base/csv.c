#include "formats/base/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

struct csv_reader *csv_reader_create(struct input_file *file)
{
    struct csv_reader *reader = memory_new(1, sizeof *reader);
    reader->file = file;
    return reader;
}

void csv_reader_free(struct csv_reader *reader)
{
    buffer_release(&reader->record);
    buffer_release(&reader->unquoted);
    free(reader);
}

static bool quotes_balance(const char *text, size_t len)
{
    bool open = false;
    for (const char *at = memchr(text, '"', len); at != NULL;) {
        open = !open;
        at++;
        at = memchr(at, '"', len - (size_t)(at - text));
    }
    return !open;
}

/* Joins further lines to one that ends inside quotes. 1, or 0 when the file ends
 * first. */
static int join_lines(struct csv_reader *reader, const char **text, size_t *len,
                      struct fault *fault)
{
    buffer_clear(&reader->record);
    buffer_append(&reader->record, *text, *len);
    int rc = 1;
    while (rc > 0 && !quotes_balance(reader->record.data, reader->record.len)) {
        const char *more;
        size_t more_len;
        rc = input_file_line(reader->file, CSV_RECORD_MAX, &more, &more_len, fault);
        if (rc <= 0)
            break;
        buffer_append_byte(&reader->record, '\n');
        buffer_append(&reader->record, more, more_len);
        if (reader->record.len > CSV_RECORD_MAX)
            return fault_set(fault, STATUS_LIMIT,
                             "%s:%llu: quotes that do not close within %d bytes",
                             input_file_name(reader->file),
                             (unsigned long long)reader->line, CSV_RECORD_MAX);
    }
    *text = reader->record.data;
    *len = reader->record.len;
    return rc;
}

static int malformed(struct csv_reader *reader, const char *problem, size_t column)
{
    reader->problem = problem;
    reader->problem_column = column;
    return CSV_MALFORMED;
}

/* A field in quotes: [start + 1, end), doubled quotes halved. */
static void unquote(struct csv_reader *reader, const char *start, const char *end,
                    struct csv_field *field)
{
    size_t len = (size_t)(end - start) - 1;
    if (memchr(start + 1, '"', len) == NULL) {
        field->text = start + 1;
        field->len = len;
        return;
    }
    size_t begin = reader->unquoted.len;
    for (const char *at = start + 1; at < end; at++) {
        buffer_append_byte(&reader->unquoted, *at);
        if (*at == '"')
            at++;
    }
    field->text = reader->unquoted.data + begin;
    field->len = reader->unquoted.len - begin;
}

/* The quote that closes the one at `start`, or NULL. */
static const char *closing_quote(const char *start, const char *end)
{
    for (const char *at = start + 1; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at;
        at++;
    }
    return NULL;
}

static int split(struct csv_reader *reader, const char *text, size_t len)
{
    const char *end = text + len;
    const char *at = text;
    reader->count = 0;
    buffer_clear(&reader->unquoted);
    /* Fields point into unquoted: it must not move while they are collected. */
    buffer_reserve(&reader->unquoted, len);
    for (;;) {
        size_t column = (size_t)(at - text) + 1;
        if (reader->count == CSV_FIELDS_MAX)
            return malformed(reader, "more than 256 fields", column);
        struct csv_field *field = &reader->fields[reader->count++];
        field->column = column;
        if (at < end && *at == '"') {
            const char *close = closing_quote(at, end);
            if (close == NULL)
                return malformed(reader, "a quote that is not closed", column);
            unquote(reader, at, close, field);
            at = close + 1;
            if (at < end && *at != ',')
                return malformed(reader, "text after a closing quote",
                                 (size_t)(at - text) + 1);
        } else {
            const char *comma = memchr(at, ',', (size_t)(end - at));
            field->text = at;
            field->len = (size_t)((comma != NULL ? comma : end) - at);
            at += field->len;
        }
        if (at == end)
            return CSV_RECORD;
        at++;
    }
}

static void drop_byte_order_mark(const char **text, size_t *len)
{
    if (*len >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *len -= 3;
    }
}

int csv_next(struct csv_reader *reader, struct fault *fault)
{
    const char *text;
    size_t len;
    do {
        int rc = input_file_line(reader->file, CSV_RECORD_MAX, &text, &len, fault);
        if (rc <= 0)
            return rc;
        reader->line = input_file_line_number(reader->file);
        if (reader->line == 1)
            drop_byte_order_mark(&text, &len);
    } while (len == 0);
    if (!quotes_balance(text, len)) {
        int rc = join_lines(reader, &text, &len, fault);
        if (rc < 0)
            return rc;
    }
    const char *nul = memchr(text, 0, len);
    if (nul != NULL)
        return malformed(reader, "a NUL byte", (size_t)(nul - text) + 1);
    return split(reader, text, len);
}
