/* A ring of pointers between two threads of one process: one pushes, the other pops; no
 * lock. */
#ifndef TOKTRACE_SPSC_RING_H
#define TOKTRACE_SPSC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "formats/base/memory.h"

struct spsc_ring {
    void **slots; /* owned */
    size_t mask;  /* capacity - 1, the capacity being a power of two */
    _Alignas(64) atomic_size_t pushed; /* written by the pushing thread only */
    _Alignas(64) atomic_size_t popped; /* written by the popping thread only */
};

/* Room for at least `capacity` pointers. */
static inline void spsc_ring_init(struct spsc_ring *ring, size_t capacity)
{
    size_t size = 2;
    while (size < capacity)
        size *= 2;
    ring->slots = memory_new(size, sizeof *ring->slots);
    ring->mask = size - 1;
    atomic_init(&ring->pushed, 0);
    atomic_init(&ring->popped, 0);
}

static inline void spsc_ring_release(struct spsc_ring *ring)
{
    free(ring->slots);
    ring->slots = NULL;
}

/* False when the ring is full. */
static inline bool spsc_ring_push(struct spsc_ring *ring, void *item)
{
    size_t at = atomic_load_explicit(&ring->pushed, memory_order_relaxed);
    if (at - atomic_load_explicit(&ring->popped, memory_order_acquire) > ring->mask)
        return false;
    ring->slots[at & ring->mask] = item;
    atomic_store_explicit(&ring->pushed, at + 1, memory_order_release);
    return true;
}

/* NULL when the ring is empty. */
static inline void *spsc_ring_pop(struct spsc_ring *ring)
{
    size_t at = atomic_load_explicit(&ring->popped, memory_order_relaxed);
    if (at == atomic_load_explicit(&ring->pushed, memory_order_acquire))
        return NULL;
    void *item = ring->slots[at & ring->mask];
    atomic_store_explicit(&ring->popped, at + 1, memory_order_release);
    return item;
}

#endif
