#include <inttypes.h>
#include <stdio.h>

#include "formats/base/hash.h"
#include "replay/plan_transform.h"

static uint64_t hash_request(uint64_t hash, const struct plan *plan,
                             const struct plan_request *request)
{
    hash = hash_fnv1a_u64(hash, (uint64_t)request->due_ns);
    hash = hash_fnv1a_u64(hash, (uint64_t)request->think_ns);
    hash = hash_fnv1a_u64(hash,
                          (uint64_t)request->input_tokens << 32 | request->output_tokens);
    hash = hash_fnv1a_u64(hash, (uint64_t)request->session << 32 | request->turn);
    if (request->block_count > 0) {
        hash = hash_fnv1a_u64(hash, request->block_tokens);
        struct block_cursor blocks = plan_blocks(plan, request);
        for (uint32_t i = 0; i < request->block_count; i++)
            hash = hash_fnv1a_u64(hash, block_cursor_next(&blocks));
    }
    if (request->text != TEXT_NONE) {
        const struct request_text *text = &plan->texts[request->text];
        hash = hash_fnv1a(hash, plan->text_bytes.data + text->start, text->len);
    }
    return hash;
}

void plan_set_hash(struct plan *plan)
{
    uint64_t hash = hash_fnv1a_u64(HASH_FNV1A_START, plan->seed);
    hash = hash_fnv1a_u64(hash, plan->count);
    for (size_t i = 0; i < plan->count; i++)
        hash = hash_request(hash, plan, &plan->requests[i]);
    snprintf(plan->hash, sizeof plan->hash, "%016" PRIx64, hash);
}
