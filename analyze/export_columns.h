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

/* One value; CELL_NONE is an empty field in CSV, null in JSON and in SQL. */
struct cell {
    enum cell_kind kind;
    union {
        int64_t integer;
        double real;
        const char *text; /* borrowed */
    };
};

static inline struct cell int_cell(int64_t value)
{
    return (struct cell){ .kind = CELL_INT, .integer = value };
}

/* NULL and "" stand for none. */
static inline struct cell text_cell(const char *text)
{
    if (!text || text[0] == '\0')
        return (struct cell){ .kind = CELL_NONE };
    return (struct cell){ .kind = CELL_TEXT, .text = text };
}

static inline struct cell time_cell(int64_t at_ns)
{
    return at_ns == TIME_NONE ? (struct cell){ .kind = CELL_NONE } : int_cell(at_ns);
}

static inline struct cell count_cell(uint32_t count)
{
    return count == COUNT_NONE ? (struct cell){ .kind = CELL_NONE } : int_cell(count);
}

/* Ports, statuses, shares and places on a connection: 0 stands for none. */
static inline struct cell nonzero_cell(uint64_t value)
{
    return value == 0 ? (struct cell){ .kind = CELL_NONE } : int_cell((int64_t)value);
}

struct export_column {
    const char *name;
    enum cell_kind kind; /* of its cells that are not CELL_NONE */
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
