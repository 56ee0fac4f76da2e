/* Records as tagged fields, driven by one table per record type: the same table writes
 * and reads. The bytes: arrivals.md, "Fields". */
#ifndef TOKTRACE_RECORD_FIELDS_H
#define TOKTRACE_RECORD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

/* Bytes that belong to somebody else. */
struct byte_span {
    const uint8_t *at;
    size_t len;
};

enum field_type {
    FIELD_COUNT,  /* unsigned, 1, 2, 4 or 8 bytes wide in memory */
    FIELD_BOOL,   /* bool */
    FIELD_SIGNED, /* int64_t, zigzag */
    /* int64_t on the run clock, zigzag of the difference to the time field before it */
    FIELD_TIME,
    FIELD_TEXT,   /* char[size], NUL-terminated in memory */
    FIELD_BYTES,  /* struct byte_span; borrowed from the record when read */
};

struct field_spec {
    uint16_t id; /* from 1, ascending in a table */
    enum field_type type;
    uint16_t offset; /* of the member in the object */
    uint16_t size;   /* of the member */
    bool required;   /* always written; a record without it is refused */
};

struct field_table {
    const struct field_spec *specs;
    size_t count;
    /* an object of the values that are left out; of missing times TIME_NONE */
    const void *blank;
    size_t object_bytes;
};

/* Upper bound of what fields_encode writes, but for the bytes of spans. */
size_t fields_bound(const struct field_table *table);

/* Writes the fields of object at `at`, which has room for fields_bound plus the spans;
 * returns the next position. A time beyond RUN_TIME_MAX_NS is left out like TIME_NONE. */
uint8_t *fields_encode(const struct field_table *table, const void *object, uint8_t *at);

/* Fills object from payload: fields that are missing are as in the table's blank object.
 * Fields with an id beyond the table are skipped and counted in *unknown.
 * STATUS_BAD_INPUT for bytes that break the rules of the paper. */
int fields_decode(const struct field_table *table, void *object, struct byte_span payload,
                  uint64_t *unknown, struct fault *fault);

#endif
