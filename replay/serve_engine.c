#include "replay/serve_engine.h"

#include <math.h>
#include <stddef.h>

#include "formats/base/clock.h"

void engine_init(struct engine *engine, const struct engine_config *config)
{
    *engine = (struct engine){ .config = *config, .step_end_ns = ENGINE_IDLE_NS };
}

static void append(struct engine_list *list, struct engine_sequence *sequence)
{
    sequence->list = list;
    sequence->next = NULL;
    sequence->previous = list->last;
    if (list->last)
        list->last->next = sequence;
    else
        list->first = sequence;
    list->last = sequence;
    list->count++;
}

static void take_out(struct engine *engine, struct engine_sequence *sequence)
{
    struct engine_list *list = sequence->list;
    if (engine->cursor == sequence)
        engine->cursor = sequence->next;
    if (sequence->previous)
        sequence->previous->next = sequence->next;
    else
        list->first = sequence->next;
    if (sequence->next)
        sequence->next->previous = sequence->previous;
    else
        list->last = sequence->previous;
    list->count--;
    sequence->list = NULL;
}

/* Prefills a sequence as far as the budget allows; returns the tokens taken. */
static uint32_t prefill(struct engine_sequence *sequence, uint32_t budget)
{
    uint32_t taken = sequence->prefill_left < budget ? sequence->prefill_left : budget;
    sequence->prefill_left -= taken;
    return taken;
}

static bool may_enter(const struct engine *engine, const struct engine_sequence *sequence,
                      int64_t now_ns, uint32_t budget)
{
    return sequence && engine->running.count < engine->config.slots &&
           sequence->received_ns <= now_ns && (budget > 0 || !sequence->prefill_left);
}

static void begin_step(struct engine *engine, int64_t now_ns)
{
    const struct engine_config *config = &engine->config;
    uint32_t budget = config->prefill_budget;
    for (struct engine_sequence *at = engine->running.first; at; at = at->next)
        budget -= prefill(at, budget);
    while (may_enter(engine, engine->waiting.first, now_ns, budget)) {
        struct engine_sequence *entering = engine->waiting.first;
        take_out(engine, entering);
        append(&engine->running, entering);
        budget -= prefill(entering, budget);
    }
    engine->emitting = false;
    engine->step_end_ns = ENGINE_IDLE_NS;
    if (engine->running.count)
        engine->step_end_ns =
            now_ns + config->step_ns + config->per_sequence_ns * engine->running.count +
            config->per_prefill_ns * (int64_t)(config->prefill_budget - budget);
}

void engine_submit(struct engine *engine, struct engine_sequence *sequence,
                   int64_t received_ns, uint32_t prompt_tokens, uint32_t output_tokens)
{
    sequence->received_ns = received_ns;
    sequence->prefill_left = prompt_tokens;
    sequence->tokens_left = output_tokens;
    append(&engine->waiting, sequence);
    if (engine->step_end_ns == ENGINE_IDLE_NS)
        begin_step(engine, received_ns);
}

void engine_withdraw(struct engine *engine, struct engine_sequence *sequence)
{
    if (sequence->list)
        take_out(engine, sequence);
}

/* What waits although the engine came to rest arrived after the step's end. */
static void begin_next_step(struct engine *engine)
{
    begin_step(engine, engine->step_end_ns);
    if (engine->step_end_ns == ENGINE_IDLE_NS && engine->waiting.first)
        begin_step(engine, engine->waiting.first->received_ns);
}

struct engine_sequence *engine_next_token(struct engine *engine)
{
    if (!engine->emitting) {
        engine->emitting = true;
        engine->cursor = engine->running.first;
    }
    while (engine->cursor) {
        struct engine_sequence *sequence = engine->cursor;
        engine->cursor = sequence->next;
        if (sequence->prefill_left)
            continue;
        if (--sequence->tokens_left == 0)
            take_out(engine, sequence);
        return sequence;
    }
    begin_next_step(engine);
    return NULL;
}

double engine_saturation_per_s(const struct engine_config *config, double prompt_tokens,
                               double output_tokens)
{
    double by_slots = config->slots / output_tokens;
    double by_budget = prompt_tokens > 0 ? config->prefill_budget / prompt_tokens
                                         : INFINITY;
    double admitted = fmin(by_slots, by_budget);
    double batch = by_slots <= by_budget
                       ? config->slots
                       : fmin(config->slots, admitted * output_tokens + 1);
    double step_ns = (double)config->step_ns + (double)config->per_sequence_ns * batch +
                     (double)config->per_prefill_ns * admitted * prompt_tokens;
    return admitted / step_ns * NS_PER_S;
}
