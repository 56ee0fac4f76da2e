/* Rows of cells as CSV (RFC 4180, LF) or as lines of JSON. */
#ifndef TOKTRACE_EXPORT_ROWS_H
#define TOKTRACE_EXPORT_ROWS_H

#include <stddef.h>

#include "analyze/export_columns.h"
#include "formats/base/buffer.h"

enum export_format { EXPORT_NDJSON, EXPORT_CSV };

/* The line of names that opens a CSV; nothing for NDJSON. */
void export_heads_append(struct buffer *buffer, enum export_format format,
                         const struct export_column *columns, size_t count);

/* One row with its line end. */
void export_row_append(struct buffer *buffer, enum export_format format,
                       const struct export_column *columns, const struct cell *cells,
                       size_t count);

#endif
