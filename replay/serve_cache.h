/* A prefix cache: prompts are cut in blocks of 16 tokens, each known by a hash over
 * itself and all before it; the blocks used least recently make room for new ones. */
#ifndef TOKTRACE_SERVE_CACHE_H
#define TOKTRACE_SERVE_CACHE_H

#include <stddef.h>
#include <stdint.h>

enum { SERVE_BLOCK_TOKENS = 16 };

/* The blocks of a prompt while it is being read. A last block that is not full is none.
 */
struct serve_blocks {
    uint64_t *hashes; /* owned */
    size_t count;
    size_t capacity;
    uint64_t chain;       /* over everything so far */
    uint32_t open_tokens; /* in the block that is not full */
};

/* Before each prompt; keeps the memory. The first use needs zeroed memory. */
void serve_blocks_start(struct serve_blocks *blocks);
void serve_blocks_release(struct serve_blocks *blocks);

/* Adds a part of a token's text; then serve_blocks_end_token ends the token. */
void serve_blocks_add(struct serve_blocks *blocks, const void *bytes, size_t len);
void serve_blocks_end_token(struct serve_blocks *blocks);

struct serve_cache; /* opaque */

/* Room for so many blocks, > 0. */
struct serve_cache *serve_cache_create(size_t blocks);
void serve_cache_free(struct serve_cache *cache); /* NULL is allowed */

/* How many of the first blocks are in the cache; afterwards, all are, as far as they fit.
 */
size_t serve_cache_use(struct serve_cache *cache, const struct serve_blocks *blocks);

#endif
