/* The ids of the prefix blocks of many requests, packed: each as the difference from
 * the one before it in its request. Neighbours in published traces differ by little,
 * so 8 bytes become 1 or 2; all 64 bits are kept. */
#ifndef TOKTRACE_BLOCK_IDS_H
#define TOKTRACE_BLOCK_IDS_H

#include <stdint.h>

#include "formats/base/buffer.h"

/* Appends one id; `previous` is the one before it in the same request, 0 for the
 * first. */
void block_ids_append(struct buffer *packed, uint64_t previous, uint64_t id);

/* Walks the ids of one request. */
struct block_cursor {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t previous;
    uint64_t mask; /* of every id returned, by exclusive or */
};

/* Ids from byte `start` on. Borrows the buffer. */
struct block_cursor block_cursor_at(const struct buffer *packed, uint64_t start,
                                    uint64_t mask);

/* The next id. To be called only as often as ids were appended. */
uint64_t block_cursor_next(struct block_cursor *cursor);

#endif
