#include "formats/token_count.h"

#include <string.h>

void token_count_start(struct token_count *count)
{
    memset(count, 0, sizeof *count);
    count->continuous = true;
}

static unsigned slot_of(const struct chunk_choice *choice)
{
    return choice->index < CHUNK_CHOICES_MAX ? choice->index : CHUNK_CHOICES_MAX - 1;
}

static void mark_choice(struct token_count *count, const struct chunk_choice *choice)
{
    unsigned slot = slot_of(choice);
    uint64_t bit = UINT64_C(1) << slot % 64;
    count->seen[slot / 64] |= bit;
    if (choice->finished)
        count->finished[slot / 64] |= bit;
}

static bool several_choices(const struct token_count *count)
{
    int choices = __builtin_popcountll(count->seen[0]);
    choices += __builtin_popcountll(count->seen[1]);
    return choices > 1;
}

bool token_count_all_finished(const struct token_count *count)
{
    return (count->finished[0] | count->finished[1]) != 0
           && count->seen[0] == count->finished[0]
           && count->seen[1] == count->finished[1];
}

/* What usage on a token event adds to the tokens so far, of the choice in `slot` or of
 * all; 0 where it does not say. */
static uint32_t usage_increment(struct token_count *count, const struct chunk *chunk,
                                unsigned slot)
{
    uint32_t reported = chunk->has_usage ? chunk->usage.completion_tokens : COUNT_NONE;
    count->continuous &= reported != COUNT_NONE;
    if (!count->continuous)
        return 0;
    if (reported <= count->total && several_choices(count))
        count->per_choice = true;
    uint64_t before = count->per_choice ? count->tokens[slot] : count->total;
    return reported > before ? (uint32_t)(reported - before) : 0;
}

static uint32_t bring_tokens(struct token_count *count, unsigned slot, uint32_t share)
{
    uint32_t tokens = share > 0 ? share : 1;
    count->total += tokens;
    count->tokens[slot] += tokens;
    return tokens;
}

/* Splits an increment over the token events of a chunk, `sharers` of them. */
static void share_increment(struct token_count *count, const struct chunk *chunk,
                            uint32_t increment, uint32_t sharers, uint32_t *tokens)
{
    uint32_t remainder = increment % sharers;
    for (unsigned i = 0; i < chunk->choice_count; i++) {
        if (!event_kind_is_token(chunk->choices[i].kind))
            continue;
        tokens[i] = bring_tokens(count, slot_of(&chunk->choices[i]),
                                 increment / sharers + remainder);
        remainder = 0;
    }
}

void token_count_take(struct token_count *count, const struct chunk *chunk,
                      uint32_t *tokens)
{
    uint32_t sharers = 0;
    unsigned first_slot = 0;
    for (unsigned i = 0; i < chunk->choice_count; i++) {
        tokens[i] = 0;
        mark_choice(count, &chunk->choices[i]);
        if (event_kind_is_token(chunk->choices[i].kind) && sharers++ == 0)
            first_slot = slot_of(&chunk->choices[i]);
    }
    if (sharers == 0)
        return;
    uint32_t increment = usage_increment(count, chunk, first_slot);
    share_increment(count, chunk, increment, sharers, tokens);
}
