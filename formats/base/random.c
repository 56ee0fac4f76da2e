#include "formats/base/random.h"

#include <string.h>

enum { ROUNDS = 10, BLOCK_WORDS = 4 };

static inline void philox_round(uint32_t x[4], const uint32_t key[2])
{
    uint64_t product0 = UINT64_C(0xD2511F53) * x[0];
    uint64_t product1 = UINT64_C(0xCD9E8D57) * x[2];
    x[0] = (uint32_t)(product1 >> 32) ^ x[1] ^ key[0];
    x[1] = (uint32_t)product1;
    x[2] = (uint32_t)(product0 >> 32) ^ x[3] ^ key[1];
    x[3] = (uint32_t)product0;
}

void random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t round_key[2] = { key[0], key[1] };
    memcpy(out, counter, BLOCK_WORDS * sizeof *out);
    for (int round = 0; round < ROUNDS; round++) {
        philox_round(out, round_key);
        round_key[0] += 0x9E3779B9;
        round_key[1] += 0xBB67AE85;
    }
}

void random_stream_init(struct random_stream *stream, uint64_t seed, uint32_t purpose,
                        uint64_t index)
{
    *stream = (struct random_stream){
        .key = { (uint32_t)seed, (uint32_t)(seed >> 32) },
        .counter = { 0, purpose, (uint32_t)index, (uint32_t)(index >> 32) },
        .used = BLOCK_WORDS,
    };
}

uint32_t random_u32(struct random_stream *stream)
{
    if (stream->used == BLOCK_WORDS) {
        random_philox(stream->words, stream->counter, stream->key);
        stream->counter[0]++;
        stream->used = 0;
    }
    return stream->words[stream->used++];
}

uint64_t random_u64(struct random_stream *stream)
{
    uint64_t low = random_u32(stream);
    return (uint64_t)random_u32(stream) << 32 | low;
}

/* Lemire's multiplication; words that would favour some results are drawn again. */
uint32_t random_below(struct random_stream *stream, uint32_t bound)
{
    uint64_t product = (uint64_t)random_u32(stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t uneven = (0U - bound) % bound;
        while ((uint32_t)product < uneven)
            product = (uint64_t)random_u32(stream) * bound;
    }
    return (uint32_t)(product >> 32);
}

double random_uniform(struct random_stream *stream)
{
    return ((double)(random_u64(stream) >> 11) + 0.5) * 0x1p-53;
}
