/* JSON documents, or one after the other, whose objects are found by walking. */
#include <string.h>

#include "formats/base/read_whole.h"
#include "formats/requests_reader.h"

/* Moves reader->line and line_start to the line that `at` lies in. */
static void find_line(struct requests_reader *reader, const char *at)
{
    const char *start = reader->document.data;
    const char *line = start + reader->line_start;
    for (const char *newline;
         line < at && (newline = memchr(line, '\n', (size_t)(at - line))) != NULL;) {
        line = newline + 1;
        reader->line++;
    }
    while (line > at) {
        const char *newline = memrchr(start, '\n', (size_t)(line - 1 - start));
        line = newline != NULL ? newline + 1 : start;
        reader->line--;
    }
    reader->line_start = (size_t)(line - start);
}

int reader_refuse_at(struct requests_reader *reader, struct row_problem *problem,
                     const char *at)
{
    find_line(reader, at);
    problem->column = (size_t)(at - reader->document.data) - reader->line_start + 1;
    return reader_refuse(reader, problem);
}

/* The line after `at`. */
static const char *next_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline != NULL ? newline + 1 : end;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && memchr(" \t\r\n", *at, 4) != NULL)
        at++;
    return at;
}

/* One value: its objects, or the object that it is, go to `read`. */
static int read_value(struct requests_reader *reader, struct json_scan *scan,
                      read_object *read)
{
    do {
        int rc = STATUS_OK;
        if (json_scan_next(scan) == JSON_SCAN_OBJECT)
            rc = read(reader, scan);
        if (rc < 0)
            return rc;
    } while (scan->token != JSON_SCAN_BAD && scan->depth > 0);
    return STATUS_OK;
}

static int read_values(struct requests_reader *reader, read_object *read)
{
    const char *at = reader->document.data;
    const char *end = at + reader->document.len;
    if (reader->document.len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (at = skip_space(at, end); at < end; at = skip_space(at, end)) {
        struct json_scan scan;
        size_t rows = reader->trace->count;
        json_scan_init(&scan, at, (size_t)(end - at));
        int rc = read_value(reader, &scan, read);
        if (rc == STATUS_OK && scan.token == JSON_SCAN_BAD) {
            struct row_problem problem;
            refuse_scan(&scan, &problem);
            rc = reader_refuse_at(reader, &problem, scan.at);
            /* A broken line may have swallowed good ones; what gave rows is not read
             * twice. */
            at = next_line(reader->trace->count == rows ? at : scan.at, end);
        } else {
            at = scan.at;
        }
        if (rc < 0)
            return rc;
    }
    return STATUS_OK;
}

int requests_read_document(struct requests_reader *reader, read_object *read)
{
    int rc = read_rest(reader->file, REQUEST_DOCUMENT_MAX, &reader->document,
                       reader->fault);
    reader->line = 1;
    if (rc == STATUS_OK && reader->document.len > 0)
        rc = read_values(reader, read);
    buffer_release(&reader->document);
    return rc;
}
