/* The records of an arrival log: type numbers, and the fields of each. Both ways go
 * through the same tables; arrivals.md lists them for readers of the format. */
#ifndef TOKTRACE_ARRIVALS_TABLES_H
#define TOKTRACE_ARRIVALS_TABLES_H

#include "formats/arrivals.h"
#include "formats/event_columns.h"
#include "formats/record_fields.h"

/* The decoded stream begins with the magic, then two le16: major and minor. */
#define ARRIVALS_MAGIC "toklog\r\n"
enum {
    ARRIVALS_MAGIC_BYTES = 8,
    ARRIVALS_PREAMBLE_BYTES = ARRIVALS_MAGIC_BYTES + 4,
    ARRIVALS_MAJOR = 1,
    ARRIVALS_MINOR = 0,
    /* Bytes of a record: REQUEST_EVENTS_MAX events at their worst, and the rest. */
    ARRIVALS_RECORD_MAX = 40 * 1024 * 1024,
};

/* Never renumbered. */
enum stored_record_type {
    STORED_HEADER = 1,
    STORED_REQUEST = 2,
    STORED_LOOP = 3,
    STORED_CLOCK = 4,
    STORED_END = 5,
};

/* A request as its record holds it. */
struct stored_request {
    struct arrival_request request; /* but its events */
    struct event_columns columns;
};

extern const struct field_table arrivals_header_fields;  /* of struct arrivals_header */
extern const struct field_table arrivals_request_fields; /* of struct stored_request */
extern const struct field_table arrivals_loop_fields;    /* of struct loop_record */
extern const struct field_table arrivals_clock_fields;   /* of struct clock_record */
extern const struct field_table arrivals_end_fields;     /* of struct end_record */

#endif
