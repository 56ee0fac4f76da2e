/* Streams of random numbers by counting: word k of stream (seed, purpose, index) is a
 * function of these numbers only (draw.h), so draws need no order and no shared state,
 * and no two streams meet. */
#ifndef TOKTRACE_RANDOM_H
#define TOKTRACE_RANDOM_H

#include <stdint.h>

#include "formats/base/draw.h"

struct random_stream {
    uint64_t seed;
    uint64_t place; /* purpose, and the number of the next block */
    uint64_t index;
    uint32_t words[4];
    unsigned used;  /* of words */
};

/* 2^34 words may be drawn from it. */
void random_stream_init(struct random_stream *stream, uint64_t seed, uint32_t purpose,
                        uint64_t index);

uint32_t random_u32(struct random_stream *stream);
uint64_t random_u64(struct random_stream *stream);

/* A whole number in [0, bound), every one as likely; bound >= 1. */
uint32_t random_below(struct random_stream *stream, uint32_t bound);

/* In (0, 1), both ends excluded. */
double random_uniform(struct random_stream *stream);

#endif
