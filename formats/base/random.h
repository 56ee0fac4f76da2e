/* Streams of random numbers by counting: word k of stream (seed, purpose, index) is a
 * function of these numbers only (draw.h), so draws need no order and no shared state,
 * and no two streams meet. */
#ifndef TOKTRACE_RANDOM_H
#define TOKTRACE_RANDOM_H

#include <stdint.h>

#include "formats/base/draw.h"

enum { RANDOM_BLOCK_WORDS = 4 };

struct random_stream {
    uint64_t seed;
    uint64_t place; /* purpose, and the number of the next block */
    uint64_t index;
    uint32_t words[RANDOM_BLOCK_WORDS];
    unsigned used;  /* of words */
};

/* 2^34 words may be drawn from it. */
void random_stream_init(struct random_stream *stream, uint64_t seed, uint32_t purpose,
                        uint64_t index);

/* Fills stream->words with the next block. */
void random_stream_refill(struct random_stream *stream);

static inline uint32_t random_u32(struct random_stream *stream)
{
    if (stream->used == RANDOM_BLOCK_WORDS)
        random_stream_refill(stream);
    return stream->words[stream->used++];
}

uint64_t random_u64(struct random_stream *stream);

/* A whole number in [0, bound), every one as likely; bound >= 1. Lemire's multiplication;
 * words that would favour some results are drawn again. */
static inline uint32_t random_below(struct random_stream *stream, uint32_t bound)
{
    uint64_t product = (uint64_t)random_u32(stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t uneven = (0U - bound) % bound;
        while ((uint32_t)product < uneven)
            product = (uint64_t)random_u32(stream) * bound;
    }
    return (uint32_t)(product >> 32);
}

/* In (0, 1), both ends excluded. */
double random_uniform(struct random_stream *stream);

#endif
