#include "formats/block_ids.h"

#include <assert.h>
#include <stddef.h>

#include "formats/base/bytes.h"

void block_ids_append(struct buffer *packed, uint64_t previous, uint64_t id)
{
    buffer_reserve(packed, VARINT_MAX_BYTES);
    uint8_t *at = (uint8_t *)packed->data + packed->len;
    /* The difference modulo 2^64: it comes back whatever its sign. */
    uint8_t *end = varint_write(at, zigzag_encode((int64_t)(id - previous)));
    packed->len += (size_t)(end - at);
}

struct block_cursor block_cursor_at(const struct buffer *packed, uint64_t start,
                                    uint64_t mask)
{
    const uint8_t *bytes = (const uint8_t *)packed->data;
    struct block_cursor cursor = { .mask = mask };
    if (bytes != NULL) {
        cursor.at = bytes + start;
        cursor.end = bytes + packed->len;
    }
    return cursor;
}

uint64_t block_cursor_next(struct block_cursor *cursor)
{
    uint64_t difference = 0;
    cursor->at = varint_read(cursor->at, cursor->end, &difference);
    assert(cursor->at != NULL);
    cursor->previous += (uint64_t)zigzag_decode(difference);
    return cursor->previous ^ cursor->mask;
}
