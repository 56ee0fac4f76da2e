#include "record/held_segments.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

struct held_segment {
    struct held_segment *next;
    uint64_t offset;
    int64_t time_ns;
    uint32_t len;
    uint32_t captured;
    uint8_t bytes[];
};

void piece_advance(struct piece *piece, uint64_t bytes)
{
    uint32_t cut = (uint32_t)bytes;
    uint32_t captured = cut < piece->captured ? cut : piece->captured;
    piece->offset += cut;
    piece->len -= cut;
    piece->captured -= captured;
    piece->bytes += captured;
}

/* The first `len` bytes of a piece. */
static struct piece piece_head(const struct piece *piece, uint64_t len)
{
    struct piece head = *piece;
    head.len = (uint32_t)len;
    if (head.captured > head.len)
        head.captured = head.len;
    return head;
}

size_t held_segments_cost(const struct piece *piece)
{
    return sizeof(struct held_segment) + piece->captured;
}

bool held_segments_first(const struct held_segments *held, struct piece *piece)
{
    const struct held_segment *first = held->first;
    if (!first)
        return false;
    *piece = (struct piece){ first->offset, first->time_ns, first->bytes, first->len,
                             first->captured };
    return true;
}

void held_segments_remove_first(struct held_segments *held,
                                struct reassembly_budget *budget)
{
    struct held_segment *first = held->first;
    held->first = first->next;
    if (!first->next)
        held->last = NULL;
    held->count--;
    budget->used -= sizeof(*first) + first->captured;
    free(first);
}

/* Puts a copy of the piece behind `after` (NULL: first). */
static struct held_segment *hold(struct held_segments *held, struct held_segment *after,
                                 const struct piece *piece,
                                 struct reassembly_budget *budget)
{
    struct held_segment *copy = memory_new(1, held_segments_cost(piece));
    copy->offset = piece->offset;
    copy->time_ns = piece->time_ns;
    copy->len = piece->len;
    copy->captured = piece->captured;
    if (piece->captured)
        memcpy(copy->bytes, piece->bytes, piece->captured);
    struct held_segment **link = after ? &after->next : &held->first;
    copy->next = *link;
    *link = copy;
    if (!copy->next)
        held->last = copy;
    held->count++;
    budget->used += held_segments_cost(piece);
    return copy;
}

/* Compares the part of the piece that lies over a held segment with it. */
static bool differs(const struct piece *piece, const struct held_segment *held)
{
    uint64_t from = piece->offset > held->offset ? piece->offset : held->offset;
    uint64_t to = piece->offset + piece->captured;
    if (to > held->offset + held->captured)
        to = held->offset + held->captured;
    return from < to && memcmp(piece->bytes + (from - piece->offset),
                               held->bytes + (from - held->offset), to - from) != 0;
}

/* Takes off the piece what a segment that begins at or before it covers. */
static void pass_over(struct piece *piece, const struct held_segment *held,
                      bool *mismatch)
{
    uint64_t end = held->offset + held->len;
    if (end <= piece->offset)
        return;
    *mismatch |= differs(piece, held);
    uint64_t covered = end - piece->offset;
    piece_advance(piece, covered < piece->len ? covered : piece->len);
}

bool held_segments_insert(struct held_segments *held, struct piece piece, bool *mismatch,
                          struct reassembly_budget *budget)
{
    struct held_segment *last = held->last;
    bool behind_all = last && piece.offset >= last->offset + last->len;
    struct held_segment *before = behind_all ? last : NULL;
    struct held_segment *at = behind_all ? NULL : held->first;
    bool known = true;
    while (piece.len) {
        if (at && at->offset <= piece.offset) {
            pass_over(&piece, at, mismatch);
            before = at;
            at = at->next;
            continue;
        }
        uint64_t room = at ? at->offset - piece.offset : piece.len;
        struct piece head = piece_head(&piece, room < piece.len ? room : piece.len);
        before = hold(held, before, &head, budget);
        piece_advance(&piece, head.len);
        known = false;
    }
    return known;
}
