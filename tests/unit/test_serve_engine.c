/* The model of an inference engine: steps counted by hand, and its saturation rate
 * against a simulation in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/base/draw.h"
#include "formats/base/memory.h"
#include "replay/serve_engine.h"
#include "tests/unit/assert_close.h"

static const struct engine_config small = {
    .step_ns = 1000,
    .per_sequence_ns = 10,
    .per_prefill_ns = 1,
    .slots = 2,
    .prefill_budget = 100,
};

/* The tokens of one step: exactly these sequences, in this order, at this time. */
static void expect_step(struct engine *engine, int64_t end_ns,
                        struct engine_sequence *first, struct engine_sequence *second)
{
    assert_int_equal(engine->step_end_ns, end_ns);
    struct engine_sequence *expected[] = { first, second, NULL };
    for (size_t i = 0; i == 0 || expected[i - 1]; i++) {
        struct engine_sequence *got = engine_next_token(engine);
        assert_ptr_equal(got, expected[i]);
        if (!got)
            break;
    }
}

static void steps_by_hand(void **state)
{
    (void)state;
    struct engine engine;
    struct engine_sequence a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    engine_init(&engine, &small);
    assert_true(engine.step_end_ns == ENGINE_IDLE_NS);
    engine_submit(&engine, &a, 0, 50, 2);
    engine_submit(&engine, &b, 500, 150, 1);
    expect_step(&engine, 1000 + 10 + 50, &a, NULL);
    engine_submit(&engine, &c, 2000, 0, 1); /* must wait: a and b fill the slots */
    expect_step(&engine, 1060 + 1000 + 20 + 100, &a, NULL); /* b: 50 tokens are left */
    expect_step(&engine, 2180 + 1000 + 20 + 50, &b, &c);
    assert_true(engine.step_end_ns == ENGINE_IDLE_NS);
    engine_submit(&engine, &d, 4000, 10, 1);
    expect_step(&engine, 4000 + 1000 + 10 + 10, &d, NULL);
}

/* The process may learn of a step's end late; who came after it waits for the next step.
 */
static void nobody_enters_a_step_that_began_before(void **state)
{
    (void)state;
    struct engine engine;
    struct engine_sequence a = { 0 }, late = { 0 };
    engine_init(&engine, &small);
    engine_submit(&engine, &a, 0, 0, 2);
    engine_submit(&engine, &late, 1100, 0, 1);
    expect_step(&engine, 1010, &a, NULL);
    expect_step(&engine, 1010 + 1010, &a, NULL);
    expect_step(&engine, 2020 + 1010, &late, NULL);
    engine_submit(&engine, &a, 5000, 0, 1);
    engine_submit(&engine, &late, 6500, 0, 1);
    expect_step(&engine, 6010, &a, NULL);
    expect_step(&engine, 6500 + 1010, &late, NULL); /* the engine had come to rest */
}

static void first_come_first_served(void **state)
{
    (void)state;
    struct engine engine;
    struct engine_sequence big = { 0 }, tiny = { 0 };
    engine_init(&engine, &small);
    engine_submit(&engine, &big, 0, 250, 1);
    engine_submit(&engine, &tiny, 0, 1, 1);
    expect_step(&engine, 1110, NULL, NULL);
    expect_step(&engine, 1110 + 1110, NULL, NULL);
    expect_step(&engine, 2220 + 1000 + 20 + 51, &big, &tiny);
}

static void withdrawals(void **state)
{
    (void)state;
    struct engine engine;
    struct engine_sequence a = { 0 }, b = { 0 }, c = { 0 };
    engine_init(&engine, &small);
    engine_submit(&engine, &a, 0, 0, 9);
    engine_submit(&engine, &b, 0, 0, 9);
    engine_submit(&engine, &c, 0, 0, 9);
    expect_step(&engine, 1010, &a, NULL); /* b and c came when a's step had begun */
    assert_ptr_equal(engine_next_token(&engine), &a);
    engine_withdraw(&engine, &b); /* next in line for a token */
    assert_null(engine_next_token(&engine));
    expect_step(&engine, 1010 + 1020 + 1020, &a, &c);
    engine_withdraw(&engine, &a);
    engine_withdraw(&engine, &c);
    engine_withdraw(&engine, &c);
    assert_null(engine_next_token(&engine));
    assert_true(engine.step_end_ns == ENGINE_IDLE_NS);
    engine_submit(&engine, &b, 9000, 0, 1);
    expect_step(&engine, 10010, &b, NULL);
}

/* Requests per second when all of them wait from the start. */
static double simulated_per_s(const struct engine_config *config, uint32_t prompt_max,
                              uint32_t output_max)
{
    enum { REQUESTS = 20000 };
    struct engine_sequence *sequences = memory_new(REQUESTS, sizeof(*sequences));
    struct engine engine;
    engine_init(&engine, config);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        struct draw draw = draw_at(1, 1, i);
        engine_submit(&engine, &sequences[i], 0,
                      1 + (uint32_t)(draw.words[0] % prompt_max),
                      1 + (uint32_t)(draw.words[1] % output_max));
    }
    int64_t end_ns = 0;
    while (engine.step_end_ns != ENGINE_IDLE_NS) {
        end_ns = engine.step_end_ns;
        while (engine_next_token(&engine))
            continue;
    }
    free(sequences);
    return REQUESTS * 1e9 / (double)end_ns;
}

/* Lengths are uniform on 1..max, so of mean (max + 1) / 2. */
static void expect_saturation(const struct engine_config *config, uint32_t prompt_max,
                              uint32_t output_max, double per_s, double tolerance)
{
    double formula_per_s = engine_saturation_per_s(config, (prompt_max + 1) / 2.0,
                                                   (output_max + 1) / 2.0);
    assert_close_relative(formula_per_s, per_s, 1e-3);
    assert_close_relative(simulated_per_s(config, prompt_max, output_max), per_s,
                          tolerance);
}

static void saturation(void **state)
{
    (void)state;
    struct engine_config config = { .step_ns = 2000000,
                                    .per_sequence_ns = 50000,
                                    .per_prefill_ns = 10000,
                                    .slots = 8,
                                    .prefill_budget = 100000 };
    /* 8 / (20 × 2.4 ms + 8 × 100 × 10 us), mean lengths 100 and 20 */
    expect_saturation(&config, 199, 39, 8 / 0.056, 0.01);
    /* one slot: one request after the other, 20 × 2.05 ms + 100 × 10 us */
    config.slots = 1;
    expect_saturation(&config, 199, 39, 1 / 0.042, 0.01);
    /* the budget binds: 0.25 admissions per step of 2 ms + 2.25 × 50 us + 100 × 10 us */
    config.slots = 64;
    config.prefill_budget = 100;
    expect_saturation(&config, 799, 9, 0.25 / 0.0031125, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_by_hand),
        cmocka_unit_test(nobody_enters_a_step_that_began_before),
        cmocka_unit_test(first_come_first_served),
        cmocka_unit_test(withdrawals),
        cmocka_unit_test(saturation),
    };
    return cmocka_run_group_tests_name("serve_engine", tests, NULL, NULL);
}
