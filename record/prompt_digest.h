/* What a request body asks for, and its prompt as salted hashes of blocks: enough to
 * replay the load and its shared prefixes, nothing of the text. */
#ifndef TOKTRACE_PROMPT_DIGEST_H
#define TOKTRACE_PROMPT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "record/siphash.h"

enum { PROMPT_BYTES_PER_TOKEN = 4 }; /* where only text is known */

struct prompt_settings {
    struct siphash_key key;
    uint32_t block_tokens;
    bool keep_text;
};

/* Block i's hash covers all blocks before it, so equal hashes mean equal prefixes. */
struct prompt_digest {
    uint64_t *blocks; /* owned; the last one may be partial */
    size_t block_count;
    size_t block_capacity;
    uint64_t token_ids;  /* in the prompt; 0 for text */
    uint64_t text_bytes; /* of the prompt, decoded; 0 for ids */
    uint32_t max_tokens; /* COUNT_NONE where the body sets no limit */
    struct buffer session;  /* of a "session_id" in the body; empty without */
    /* with keep_text: a JSON array on one line; "" for token ids */
    struct buffer messages;

    struct siphash hash; /* of the open block */
    uint32_t filled;     /* tokens or bytes in it */
};

/* Reads a body of the completions, chat, messages or responses APIs. False when it is
 * none. The first use needs zeroed memory; memory of an earlier use is kept. */
bool prompt_digest_read(struct prompt_digest *digest,
                        const struct prompt_settings *settings, const char *body,
                        size_t len);

/* Nothing read. */
void prompt_digest_clear(struct prompt_digest *digest);

void prompt_digest_release(struct prompt_digest *digest);

#endif
