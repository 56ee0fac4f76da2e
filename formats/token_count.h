/* How many output tokens each event of an answer brought, to which choice.
 *
 * A token event brings 1 token; or the increment of completion_tokens, where this and
 * every token event before it carried usage. Tokens that usage reports on an event
 * without text belong to the next token event. A usage that stands still means 1 all the
 * same.
 *
 * With several choices some servers count each alone there, others all together: the
 * total is assumed until a token event contradicts it. Choices that share one event share
 * its increment evenly, the remainder going to the first. */
#ifndef TOKTRACE_TOKEN_COUNT_H
#define TOKTRACE_TOKEN_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chunk_scanner.h"

/* Choices by index; those from CHUNK_CHOICES_MAX - 1 on share the last place. */
struct token_count {
    uint64_t total;                          /* tokens of all choices so far */
    uint64_t seen[CHUNK_CHOICES_MAX / 64];   /* bit sets of choices */
    uint64_t finished[CHUNK_CHOICES_MAX / 64];
    bool continuous; /* no token event lacked usage so far */
    bool per_choice; /* usage on events with choices counts each choice alone */
    uint32_t tokens[CHUNK_CHOICES_MAX]; /* of each choice so far */
};

void token_count_start(struct token_count *count);

/* Takes the next chunk; tokens[i] becomes what its choice i brought, 0 for no token
 * event. */
void token_count_take(struct token_count *count, const struct chunk *chunk,
                      uint32_t *tokens);

/* A finish reason came, and for every choice that was seen. */
bool token_count_all_finished(const struct token_count *count);

#endif
