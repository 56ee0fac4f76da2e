/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): for identity, not against
 * malice. */
#ifndef TOKTRACE_HASH_H
#define TOKTRACE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_FNV1A_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash`, which is HASH_FNV1A_START at first, over the bytes. */
uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t len);

/* Continues over the 8 bytes of value, least significant first. */
uint64_t hash_fnv1a_u64(uint64_t hash, uint64_t value);

#endif
