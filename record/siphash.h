/* SipHash-2-4 (Aumasson, Bernstein 2012): a keyed hash that tells nothing of short inputs
 * to those who do not have the key. */
#ifndef TOKTRACE_SIPHASH_H
#define TOKTRACE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
    uint64_t words[2];
};

struct siphash {
    uint64_t v[4];
    uint64_t tail;   /* bytes not mixed in yet, the first lowest */
    uint64_t length; /* of the input so far */
};

void siphash_start(struct siphash *hash, const struct siphash_key *key);
void siphash_add(struct siphash *hash, const void *bytes, size_t len);
uint64_t siphash_finish(struct siphash *hash);

#endif
