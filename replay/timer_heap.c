#include "replay/timer_heap.h"

#include <stdlib.h>

#include "formats/base/memory.h"

enum { ARITY = 4 };

void timer_heap_release(struct timer_heap *heap)
{
    free(heap->entries);
    *heap = (struct timer_heap){ 0 };
}

static void put(struct timer_heap *heap, size_t at, struct timer_entry entry)
{
    heap->entries[at] = entry;
    entry.timer->slot = at + 1;
}

static void sift_up(struct timer_heap *heap, size_t at, struct timer_entry entry)
{
    while (at > 0) {
        size_t parent = (at - 1) / ARITY;
        if (heap->entries[parent].due_ns <= entry.due_ns)
            break;
        put(heap, at, heap->entries[parent]);
        at = parent;
    }
    put(heap, at, entry);
}

static size_t earliest_child(const struct timer_heap *heap, size_t parent)
{
    size_t first = parent * ARITY + 1;
    size_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    size_t best = first;
    for (size_t child = first + 1; child < end; child++) {
        if (heap->entries[child].due_ns < heap->entries[best].due_ns)
            best = child;
    }
    return best;
}

static void sift_down(struct timer_heap *heap, size_t at, struct timer_entry entry)
{
    while (at * ARITY + 1 < heap->count) {
        size_t child = earliest_child(heap, at);
        if (heap->entries[child].due_ns >= entry.due_ns)
            break;
        put(heap, at, heap->entries[child]);
        at = child;
    }
    put(heap, at, entry);
}

static void place(struct timer_heap *heap, size_t at, struct timer_entry entry)
{
    if (at > 0 && heap->entries[(at - 1) / ARITY].due_ns > entry.due_ns)
        sift_up(heap, at, entry);
    else
        sift_down(heap, at, entry);
}

void timer_heap_set(struct timer_heap *heap, struct timer *timer, int64_t due_ns)
{
    struct timer_entry entry = { due_ns, timer };
    if (timer->slot) {
        place(heap, timer->slot - 1, entry);
        return;
    }
    heap->entries = memory_grow(heap->entries, heap->count, &heap->capacity,
                                sizeof(entry));
    sift_up(heap, heap->count++, entry);
}

void timer_heap_remove(struct timer_heap *heap, struct timer *timer)
{
    if (!timer->slot)
        return;
    size_t at = timer->slot - 1;
    struct timer_entry last = heap->entries[--heap->count];
    timer->slot = 0;
    if (last.timer != timer)
        place(heap, at, last);
}

const struct timer_entry *timer_heap_first(const struct timer_heap *heap)
{
    return heap->count ? heap->entries : NULL;
}
