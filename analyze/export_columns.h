/* The columns of `tokanalyze export`: one table for requests, one for events. Names carry
 * their units; times are whole ns on the run clock, durations ending in _s are
 * seconds. */
#ifndef TOKTRACE_EXPORT_COLUMNS_H
#define TOKTRACE_EXPORT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/sample.h"
#include "formats/arrivals.h"

enum cell_kind { CELL_NONE, CELL_INT, CELL_REAL, CELL_TEXT };

/* One value; CELL_NONE is an empty field in CSV and null in JSON. */
struct cell {
    enum cell_kind kind;
    union {
        int64_t integer;
        double real;
        const char *text; /* borrowed */
    };
};

struct export_column {
    const char *name;
    const char *meaning; /* one line */
};

enum { EXPORT_REQUEST_COLUMNS = 52, EXPORT_EVENT_COLUMNS = 14 };

extern const struct export_column export_request_columns[EXPORT_REQUEST_COLUMNS];
extern const struct export_column export_event_columns[EXPORT_EVENT_COLUMNS];

/* The cells of one request, in the order of the columns. */
void export_request_cells(struct cell cells[EXPORT_REQUEST_COLUMNS],
                          const struct arrivals_header *header,
                          const struct arrival_request *request,
                          const struct request_sample *sample);

/* The cells of one event of it. */
void export_event_cells(struct cell cells[EXPORT_EVENT_COLUMNS],
                        const struct arrivals_header *header,
                        const struct arrival_request *request, size_t event);

#endif
