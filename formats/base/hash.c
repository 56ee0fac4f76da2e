#include "formats/base/hash.h"

#include "formats/base/bytes.h"

static const uint64_t FNV_PRIME = UINT64_C(0x100000001b3);

uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * FNV_PRIME;
    return hash;
}

uint64_t hash_fnv1a_u64(uint64_t hash, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    return hash_fnv1a(hash, bytes, sizeof bytes);
}
