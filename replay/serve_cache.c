#include "replay/serve_cache.h"

#include <stdlib.h>

#include "formats/base/hash.h"
#include "formats/base/memory.h"

void serve_blocks_start(struct serve_blocks *blocks)
{
    blocks->count = 0;
    blocks->chain = HASH_FNV1A_START;
    blocks->open_tokens = 0;
}

void serve_blocks_release(struct serve_blocks *blocks)
{
    free(blocks->hashes);
    *blocks = (struct serve_blocks){ 0 };
}

void serve_blocks_add(struct serve_blocks *blocks, const void *bytes, size_t len)
{
    blocks->chain = hash_fnv1a(blocks->chain, bytes, len);
}

void serve_blocks_end_token(struct serve_blocks *blocks)
{
    serve_blocks_add(blocks, "", 1);
    if (++blocks->open_tokens < SERVE_BLOCK_TOKENS)
        return;
    blocks->hashes = memory_grow(blocks->hashes, blocks->count, &blocks->capacity,
                                 sizeof(*blocks->hashes));
    blocks->hashes[blocks->count++] = blocks->chain;
    blocks->open_tokens = 0;
}

/* Nodes are numbered from 1; node 0 is both ends of the ring, most recently used first.
 */
struct node {
    uint64_t hash;
    uint32_t newer;
    uint32_t older;
    uint32_t next_in_bucket; /* 0: the last */
};

struct serve_cache {
    struct node *nodes;
    uint32_t *buckets; /* first node of each */
    size_t bucket_mask;
    uint32_t count;
    uint32_t capacity;
};

struct serve_cache *serve_cache_create(size_t blocks)
{
    struct serve_cache *cache = memory_new(1, sizeof(*cache));
    size_t buckets = 1;
    while (buckets < blocks)
        buckets *= 2;
    cache->capacity = (uint32_t)blocks;
    cache->nodes = memory_new(blocks + 1, sizeof(*cache->nodes));
    cache->buckets = memory_new(buckets, sizeof(*cache->buckets));
    cache->bucket_mask = buckets - 1;
    return cache;
}

void serve_cache_free(struct serve_cache *cache)
{
    if (!cache)
        return;
    free(cache->nodes);
    free(cache->buckets);
    free(cache);
}

static uint32_t *bucket_of(struct serve_cache *cache, uint64_t hash)
{
    return &cache->buckets[hash & cache->bucket_mask];
}

static uint32_t find(struct serve_cache *cache, uint64_t hash)
{
    uint32_t at = *bucket_of(cache, hash);
    while (at && cache->nodes[at].hash != hash)
        at = cache->nodes[at].next_in_bucket;
    return at;
}

static void take_from_ring(struct serve_cache *cache, uint32_t at)
{
    const struct node *node = &cache->nodes[at];
    cache->nodes[node->newer].older = node->older;
    cache->nodes[node->older].newer = node->newer;
}

static void put_first_in_ring(struct serve_cache *cache, uint32_t at)
{
    struct node *ends = &cache->nodes[0];
    cache->nodes[at].newer = 0;
    cache->nodes[at].older = ends->older;
    cache->nodes[ends->older].newer = at;
    ends->older = at;
}

static void take_from_bucket(struct serve_cache *cache, uint32_t at)
{
    uint32_t *link = bucket_of(cache, cache->nodes[at].hash);
    while (*link != at)
        link = &cache->nodes[*link].next_in_bucket;
    *link = cache->nodes[at].next_in_bucket;
}

/* A node for a new block: a fresh one, or the one used least recently. */
static uint32_t make_room(struct serve_cache *cache)
{
    if (cache->count < cache->capacity)
        return ++cache->count;
    uint32_t oldest = cache->nodes[0].newer;
    take_from_ring(cache, oldest);
    take_from_bucket(cache, oldest);
    return oldest;
}

/* Makes a block the one used last. */
static void use(struct serve_cache *cache, uint64_t hash)
{
    uint32_t at = find(cache, hash);
    if (at) {
        take_from_ring(cache, at);
    } else {
        at = make_room(cache);
        uint32_t *bucket = bucket_of(cache, hash);
        cache->nodes[at].hash = hash;
        cache->nodes[at].next_in_bucket = *bucket;
        *bucket = at;
    }
    put_first_in_ring(cache, at);
}

size_t serve_cache_use(struct serve_cache *cache, const struct serve_blocks *blocks)
{
    size_t found = 0;
    while (found < blocks->count && find(cache, blocks->hashes[found]))
        found++;
    /* from the last to the first, so that a prefix outlives what follows it */
    for (size_t i = blocks->count; i-- > 0;)
        use(cache, blocks->hashes[i]);
    return found;
}
