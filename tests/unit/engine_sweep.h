/* A sweep of the simulated engine in virtual time: what `tokreplay profile` against
 * `tokreplay serve --engine` would send, and when each answer would end, in no time. */
#ifndef TOKTRACE_TEST_ENGINE_SWEEP_H
#define TOKTRACE_TEST_ENGINE_SWEEP_H

#include <stdlib.h>

#include "analyze/stage_evidence.h"
#include "formats/arrivals.h"
#include "formats/base/draw.h"
#include "formats/base/memory.h"
#include "replay/serve_engine.h"
#include "replay/stage_result.h"
#include "replay/sweep.h"

/* Lengths: fixed, or exponential-like with the given coefficient of variation. */
struct engine_load {
    struct engine_config engine;
    double prompt_tokens;
    double output_tokens;
    double cv; /* of both; 0: fixed */
};

/* One simulated request; the sequence comes first, so that it leads back to it. */
struct engine_request {
    struct engine_sequence sequence;
    struct stage_visit visit;
    int64_t first_ns; /* first token */
    uint32_t prompt_tokens;
    uint32_t output_tokens;
};

struct engine_stage {
    struct engine_request *requests;
    size_t count;
};

static inline uint32_t engine_length(double mean, double cv, struct draw draw)
{
    double length = mean * (cv > 0 ? draw_lognormal(draw, cv) : 1);
    return length < 1 ? 1 : (uint32_t)(length + 0.5);
}

/* Gives out the tokens of every step that ends before `until_ns`. */
static inline void engine_run_until(struct engine *engine, int64_t until_ns)
{
    while (engine->step_end_ns < until_ns) {
        int64_t now_ns = engine->step_end_ns;
        struct engine_sequence *sequence;
        while ((sequence = engine_next_token(engine)) != NULL) {
            struct engine_request *request = (struct engine_request *)sequence;
            if (request->first_ns == TIME_NONE)
                request->first_ns = now_ns;
            if (sequence->tokens_left == 0)
                request->visit.end_ns = now_ns;
        }
    }
}

/* Poisson arrivals at rate_per_s over duration_ns; runs until the last answer ends. */
static inline struct engine_stage engine_stage_run(const struct engine_load *load,
                                                   double rate_per_s,
                                                   int64_t duration_ns, uint64_t seed)
{
    struct engine engine;
    struct engine_stage stage = { 0 };
    size_t most = (size_t)(rate_per_s * (double)duration_ns / NS_PER_S * 1.5) + 200;
    stage.requests = memory_new(most, sizeof *stage.requests);
    engine_init(&engine, &load->engine);
    double due_s = 0;
    while (stage.count < most) {
        due_s += draw_exponential(draw_at(seed, 1, stage.count)) / rate_per_s;
        int64_t due_ns = (int64_t)(due_s * NS_PER_S);
        if (due_ns >= duration_ns)
            break;
        engine_run_until(&engine, due_ns);
        struct engine_request *request = &stage.requests[stage.count];
        request->first_ns = TIME_NONE;
        request->prompt_tokens = engine_length(load->prompt_tokens, load->cv,
                                               draw_at(seed, 2, stage.count));
        request->output_tokens = engine_length(load->output_tokens, load->cv,
                                               draw_at(seed, 3, stage.count));
        request->visit = (struct stage_visit){ due_ns, due_ns, TIME_NONE, true };
        engine_submit(&engine, &request->sequence, due_ns, request->prompt_tokens,
                      request->output_tokens);
        stage.count++;
    }
    engine_run_until(&engine, ENGINE_IDLE_NS);
    return stage;
}

#endif
