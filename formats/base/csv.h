/* Records of comma-separated values after RFC 4180: quotes, doubled quotes, line breaks
 * inside quotes; LF or CRLF; a last line without one; a byte order mark at the start is
 * dropped. */
#ifndef TOKTRACE_CSV_H
#define TOKTRACE_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "formats/base/input_file.h"

enum { CSV_FIELDS_MAX = 256, CSV_RECORD_MAX = 1 << 20 };

struct csv_field {
    const char *text; /* without quotes; not NUL-terminated */
    size_t len;
    size_t column; /* of its first byte in the line, from 1 */
};

struct csv_reader {
    struct input_file *file; /* borrowed */
    struct csv_field fields[CSV_FIELDS_MAX]; /* borrowed until the next csv_next */
    size_t count;
    uint64_t line;           /* where the record starts, from 1 */
    struct buffer record;    /* a record of several lines, joined */
    struct buffer unquoted;  /* fields that held doubled quotes */
    const char *problem;     /* after CSV_MALFORMED: what is wrong, */
    size_t problem_column;   /* and where */
};

enum csv_result {
    CSV_END = 0,
    CSV_RECORD = 1,
    CSV_MALFORMED = 2, /* this record only: reading may go on behind it */
};

struct csv_reader *csv_reader_create(struct input_file *file);
void csv_reader_free(struct csv_reader *reader);

/* The next record that is not an empty line: enum csv_result, or a negative status when
 * the file cannot be read or a record exceeds CSV_RECORD_MAX bytes. */
int csv_next(struct csv_reader *reader, struct fault *fault);

#endif
