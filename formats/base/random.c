#include "formats/base/random.h"

enum { BLOCK_WORDS = 4 };

void random_stream_init(struct random_stream *stream, uint64_t seed, uint32_t purpose,
                        uint64_t index)
{
    *stream = (struct random_stream){
        .seed = seed,
        .place = (uint64_t)purpose << 32,
        .index = index,
        .used = BLOCK_WORDS,
    };
}

uint32_t random_u32(struct random_stream *stream)
{
    if (stream->used == BLOCK_WORDS) {
        struct draw block = draw_at(stream->seed, stream->place++, stream->index);
        for (unsigned i = 0; i < BLOCK_WORDS; i++)
            stream->words[i] = (uint32_t)(block.words[i / 2] >> 32 * (i % 2));
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
    return draw_uniform(random_u64(stream));
}
