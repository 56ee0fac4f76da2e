#include "formats/base/draw.h"

#include <math.h>

struct draw draw_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    enum { ROUNDS = 10 };
    const uint64_t multiplier = UINT64_C(0xd2b74407b1ce6e93);
    const uint64_t weyl = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t low = index, high = stream, key = seed;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned __int128 product = (unsigned __int128)multiplier * low;
        low = (uint64_t)(product >> 64) ^ key ^ high;
        high = (uint64_t)product;
        key += weyl;
    }
    return (struct draw){ { low, high } };
}

double draw_uniform(uint64_t word)
{
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

double draw_exponential(struct draw draw)
{
    return -log(draw_uniform(draw.words[0]));
}

double draw_normal(struct draw draw)
{
    double radius = sqrt(-2 * log(draw_uniform(draw.words[0])));
    return radius * cos(2 * M_PI * draw_uniform(draw.words[1]));
}

double draw_lognormal(struct draw draw, double cv)
{
    double variance = log1p(cv * cv);
    return exp(sqrt(variance) * draw_normal(draw) - variance / 2);
}
