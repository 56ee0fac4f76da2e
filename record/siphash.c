#include "record/siphash.h"

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix_rounds(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void mix_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix_rounds(v, 2);
    v[0] ^= word;
}

void siphash_start(struct siphash *hash, const struct siphash_key *key)
{
    *hash = (struct siphash){ .v = {
        key->words[0] ^ UINT64_C(0x736f6d6570736575),
        key->words[1] ^ UINT64_C(0x646f72616e646f6d),
        key->words[0] ^ UINT64_C(0x6c7967656e657261),
        key->words[1] ^ UINT64_C(0x7465646279746573),
    } };
}

void siphash_add(struct siphash *hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++) {
        hash->tail |= (uint64_t)at[i] << 8 * (hash->length % 8);
        if (++hash->length % 8 == 0) {
            mix_word(hash->v, hash->tail);
            hash->tail = 0;
        }
    }
}

uint64_t siphash_finish(struct siphash *hash)
{
    uint64_t *v = hash->v;
    mix_word(v, hash->tail | hash->length << 56);
    v[2] ^= 0xff;
    mix_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
