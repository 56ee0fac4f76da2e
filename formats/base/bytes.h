/* Integers in byte form: little-endian fixed width, LEB128 varints, zigzag. Every read is
 * bounded. */
#ifndef TOKTRACE_BYTES_H
#define TOKTRACE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VARINT_MAX_BYTES = 10 };

static inline void store_le16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void store_le32(uint8_t *at, uint32_t value)
{
    store_le16(at, (uint16_t)value);
    store_le16(at + 2, (uint16_t)(value >> 16));
}

static inline void store_le64(uint8_t *at, uint64_t value)
{
    store_le32(at, (uint32_t)value);
    store_le32(at + 4, (uint32_t)(value >> 32));
}

static inline uint16_t load_le16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t load_le32(const uint8_t *at)
{
    return load_le16(at) | (uint32_t)load_le16(at + 2) << 16;
}

static inline uint64_t load_le64(const uint8_t *at)
{
    return load_le32(at) | (uint64_t)load_le32(at + 4) << 32;
}

static inline uint16_t load_be16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t load_be32(const uint8_t *at)
{
    return (uint32_t)load_be16(at) << 16 | load_be16(at + 2);
}

/* Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2 → 0, 1, 2, 3. */
static inline uint64_t zigzag_encode(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t zigzag_decode(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes 1 to VARINT_MAX_BYTES bytes at `at`, which has room for them; returns the next
 * position. */
static inline uint8_t *varint_write(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* Reads one varint from [at, end); returns the next position, or NULL when it is cut off
 * or holds more than 64 bits. */
static inline const uint8_t *varint_read(const uint8_t *at, const uint8_t *end,
                                         uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1)
            return NULL;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return at;
        }
    }
    return NULL;
}

#endif
