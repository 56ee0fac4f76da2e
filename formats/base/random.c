#include "formats/base/random.h"

void random_stream_init(struct random_stream *stream, uint64_t seed, uint32_t purpose,
                        uint64_t index)
{
    *stream = (struct random_stream){
        .seed = seed,
        .place = (uint64_t)purpose << 32,
        .index = index,
        .used = RANDOM_BLOCK_WORDS,
    };
}

void random_stream_refill(struct random_stream *stream)
{
    struct draw block = draw_at(stream->seed, stream->place++, stream->index);
    for (unsigned i = 0; i < RANDOM_BLOCK_WORDS; i++)
        stream->words[i] = (uint32_t)(block.words[i / 2] >> 32 * (i % 2));
    stream->used = 0;
}

uint64_t random_u64(struct random_stream *stream)
{
    uint64_t low = random_u32(stream);
    return (uint64_t)random_u32(stream) << 32 | low;
}

double random_uniform(struct random_stream *stream)
{
    return draw_uniform(random_u64(stream));
}
