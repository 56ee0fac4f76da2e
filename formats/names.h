/* Names to small numbers and back: each different run of bytes gets the next index
 * from 0. */
#ifndef TOKTRACE_NAMES_H
#define TOKTRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

#define NAME_NONE UINT32_MAX

struct name_table {
    struct buffer bytes; /* all names, each with a NUL behind it */
    size_t *starts;      /* owned: index → offset in bytes */
    size_t count;
    size_t capacity;
    uint32_t *slots;     /* owned: open addressing, index + 1, 0 is free */
    size_t slot_count;   /* a power of two, or 0 */
};

/* Start from {0}. */
void name_table_release(struct name_table *table);

/* The index of the name, new or known. */
uint32_t name_table_add(struct name_table *table, const char *name, size_t len);

/* The index of the name, or NAME_NONE. */
uint32_t name_table_find(const struct name_table *table, const char *name, size_t len);

/* Borrowed until the next name_table_add. */
const char *name_table_text(const struct name_table *table, uint32_t index);

#endif
