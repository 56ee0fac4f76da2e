/* Segments that wait behind a hole, in the order of the stream and without overlap: the
 * first copy of a byte is the one that is kept. */
#ifndef TOKTRACE_HELD_SEGMENTS_H
#define TOKTRACE_HELD_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of bytes at its place in the stream. */
struct piece {
    uint64_t offset;
    int64_t time_ns; /* when it was seen */
    const uint8_t *bytes;
    uint32_t len;
    uint32_t captured; /* of len, at bytes; the rest was cut by the snap length */
};

static inline uint64_t piece_end(const struct piece *piece)
{
    return piece->offset + piece->len;
}

/* Cuts the first `bytes` off, at most all. */
void piece_advance(struct piece *piece, uint64_t bytes);

/* Memory for segments that wait behind a hole, shared by all flows. */
struct reassembly_budget {
    size_t used;
    size_t limit;
};

struct held_segment; /* private */

/* Start from {0}. */
struct held_segments {
    struct held_segment *first;
    struct held_segment *last;
    uint32_t count;
};

/* What a piece costs of the budget, as long as it is not split. */
size_t held_segments_cost(const struct piece *piece);

/* Inserts what of the piece is new. Returns true when all of it was there; sets *mismatch
 * when captured bytes differ from those that are held. */
bool held_segments_insert(struct held_segments *held, struct piece piece, bool *mismatch,
                          struct reassembly_budget *budget);

/* The first piece, borrowed until it is removed; false when there is none. */
bool held_segments_first(const struct held_segments *held, struct piece *piece);

void held_segments_remove_first(struct held_segments *held,
                                struct reassembly_budget *budget);

#endif
