#include "replay/event_pool.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

static void event_pool_add_slab(struct event_pool *pool)
{
    pool->slabs = memory_grow(pool->slabs, pool->slab_count, &pool->slab_capacity,
                              sizeof *pool->slabs);
    pool->slab = memory_new(pool->slab_blocks, sizeof *pool->slab);
    pool->slab_end = pool->slab + pool->slab_blocks;
    pool->slabs[pool->slab_count++] = pool->slab;
}

void event_pool_init(struct event_pool *pool, uint64_t events)
{
    uint64_t blocks = events / EVENT_BLOCK_EVENTS + 1;
    *pool = (struct event_pool){ .slab_blocks = blocks < 1024 ? 1024 : blocks };
    event_pool_add_slab(pool);
}

void event_pool_release(struct event_pool *pool)
{
    for (size_t at = 0; at < pool->slab_count; at++)
        free(pool->slabs[at]);
    free(pool->slabs);
    *pool = (struct event_pool){ 0 };
}

static struct event_block *event_pool_take_block(struct event_pool *pool)
{
    struct event_block *block = pool->free_blocks;
    if (block != NULL) {
        pool->free_blocks = block->next;
        return block;
    }
    if (pool->slab == pool->slab_end)
        event_pool_add_slab(pool);
    return pool->slab++;
}

struct arrival_event *event_chain_append(struct event_chain *chain,
                                         struct event_pool *pool)
{
    size_t at = chain->count % EVENT_BLOCK_EVENTS;
    if (at == 0) {
        struct event_block *block = event_pool_take_block(pool);
        block->next = NULL;
        if (chain->last != NULL)
            chain->last->next = block;
        else
            chain->first = block;
        chain->last = block;
    }
    chain->count++;
    return &chain->last->events[at];
}

void event_chain_drop(struct event_chain *chain, struct event_pool *pool)
{
    if (chain->last != NULL) {
        chain->last->next = pool->free_blocks;
        pool->free_blocks = chain->first;
    }
    *chain = (struct event_chain){ 0 };
}

void event_chain_take(struct event_chain *chain, struct event_pool *pool,
                      struct arrival_event *out)
{
    size_t left = chain->count;
    for (struct event_block *block = chain->first; block != NULL; block = block->next) {
        size_t here = left < EVENT_BLOCK_EVENTS ? left : EVENT_BLOCK_EVENTS;
        memcpy(out, block->events, here * sizeof *out);
        out += here;
        left -= here;
    }
    event_chain_drop(chain, pool);
}
