/* Room for the events of open requests: fixed blocks from one reserved range of memory,
 * chained per request, so that logging a token never allocates. */
#ifndef TOKTRACE_EVENT_POOL_H
#define TOKTRACE_EVENT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"

enum { EVENT_BLOCK_EVENTS = 62 };

struct event_block {
    struct event_block *next;
    struct arrival_event events[EVENT_BLOCK_EVENTS];
};

struct event_pool {
    struct event_block *free_blocks;
    struct event_block *slab; /* not yet handed out: [slab, slab_end) */
    struct event_block *slab_end;
    struct event_block **slabs; /* owned; all that were taken */
    size_t slab_count;
    size_t slab_capacity;
    size_t slab_blocks; /* size of each */
};

/* Reserves room for `events` events at once; memory is touched only as it is used. More
 * is added in slabs of the same size when a server sends more than was planned. */
void event_pool_init(struct event_pool *pool, uint64_t events);

/* Gives all blocks back; chains made from them are gone. */
void event_pool_release(struct event_pool *pool);

/* The events of one request, in order. Zeroed is empty. */
struct event_chain {
    struct event_block *first;
    struct event_block *last;
    size_t count;
};

/* A new event at the end of the chain; its content is undefined. */
struct arrival_event *event_chain_append(struct event_chain *chain,
                                         struct event_pool *pool);

/* Forgets all events and gives the blocks back. */
void event_chain_drop(struct event_chain *chain, struct event_pool *pool);

/* Copies all events to `out`, which has room for chain->count, and gives the blocks
 * back. */
void event_chain_take(struct event_chain *chain, struct event_pool *pool,
                      struct arrival_event *out);

#endif
