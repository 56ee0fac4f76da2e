/* A model of an inference engine: continuous batching with FIFO admission, in steps. A
 * step takes c0 + c1 × (sequences in the batch) + c2 × (prompt tokens prefilled in it)
 * and, at its end, gives one token to every sequence whose prompt is done. Knows no
 * sockets and no clock: the caller says what time it is. */
#ifndef TOKTRACE_SERVE_ENGINE_H
#define TOKTRACE_SERVE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

/* The end of a step that does not run. */
#define ENGINE_IDLE_NS INT64_MAX

struct engine_config {
    int64_t step_ns;         /* c0 > 0 */
    int64_t per_sequence_ns; /* c1 */
    int64_t per_prefill_ns;  /* c2, per prompt token */
    uint32_t slots;          /* sequences in the batch at most */
    uint32_t
        prefill_budget; /* prompt tokens per step at most; longer prompts take several */
};

/* Lives inside what it belongs to; zeroed: not in the engine. */
struct engine_sequence {
    struct engine_sequence *next;
    struct engine_sequence *previous;
    struct engine_list *list; /* that it is in, or NULL */
    int64_t received_ns;
    uint32_t prefill_left; /* prompt tokens that no step has taken yet */
    uint32_t tokens_left;
};

struct engine_list {
    struct engine_sequence *first;
    struct engine_sequence *last;
    uint32_t count;
};

struct engine {
    struct engine_config config;
    struct engine_list waiting;
    struct engine_list running;
    struct engine_sequence *cursor; /* of engine_next_token */
    bool emitting;                  /* the step is over, its tokens are being given out */
    int64_t step_end_ns;            /* ENGINE_IDLE_NS: nothing runs */
};

void engine_init(struct engine *engine, const struct engine_config *config);

/* Queues a sequence of output_tokens >= 1. It may be admitted to a step that begins at
 * received_ns or later; when the engine is idle, one begins at once. */
void engine_submit(struct engine *engine, struct engine_sequence *sequence,
                   int64_t received_ns, uint32_t prompt_tokens, uint32_t output_tokens);

/* Takes a sequence out, wherever it is. Its share of the step under way is spent. */
void engine_withdraw(struct engine *engine, struct engine_sequence *sequence);

/* Once step_end_ns has come: the next sequence that gets a token at that time, or NULL
 * after the last, when the next step has begun. A sequence leaves with its last token.
 * Between two calls, sequences may be submitted and withdrawn. */
struct engine_sequence *engine_next_token(struct engine *engine);

/* The rate of requests, per second, beyond which the queue grows without bound, for
 * requests of these mean lengths. With a admissions per step and n sequences in the batch
 * it is a / (c0 + c1 n + c2 a prompt): a is slots / output while slots are scarce (exact,
 * and n = slots), budget / prompt while the prefill budget is (n = a output + 1). */
double engine_saturation_per_s(const struct engine_config *config, double prompt_tokens,
                               double output_tokens);

#endif
