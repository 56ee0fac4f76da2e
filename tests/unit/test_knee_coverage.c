/* The knee of simulated engines whose capacity is known in closed form: sweeps in virtual
 * time, driven by the product's own choice of stages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <gsl/gsl_errno.h>
#include <math.h>

#include "analyze/knee.h"
#include "tests/unit/engine_sweep.h"

enum { SEEDS = 20, COVERED_MIN = 18, STAGES_MAX = 64 };

static const int64_t stage_ns = 60 * (int64_t)NS_PER_S;

/* About 22, 61 and 162 requests per second. */
static const struct engine_load loads[] = {
    { { 8000000, 200000, 10000, 16, 8192 }, 100, 64, 0 },
    { { 5000000, 100000, 5000, 32, 8192 }, 200, 60, 0 },
    { { 4000000, 100000, 1000, 48, 16384 }, 300, 32, 0 },
};

struct sweep_data {
    struct profile_stage stages[STAGES_MAX];
    struct stage_evidence evidence[STAGES_MAX];
    size_t count;
};

static void run_stage(struct sweep_data *data, const struct engine_load *load,
                      uint64_t seed)
{
    struct profile_stage *stage = &data->stages[data->count];
    struct engine_stage run = engine_stage_run(load, stage->rate_per_s, stage_ns, seed);
    struct stage_visit *visits = memory_new(run.count, sizeof *visits);
    struct stage_log log = { .requests = memory_new(run.count, sizeof *log.requests),
                             .count = run.count };
    for (size_t i = 0; i < run.count; i++) {
        visits[i] = run.requests[i].visit;
        log.requests[i] =
            (struct stage_request){ visits[i].sent_ns, visits[i].end_ns, true };
    }
    stage->finding = stage_judge(&log, stage_ns);
    stage->finished = true;
    struct stage_evidence *evidence = &data->evidence[data->count++];
    *evidence = (struct stage_evidence){ .planned_per_s = stage->rate_per_s };
    stage_evidence_fill(evidence, visits, run.count, 0, stage_ns);
    stage_log_release(&log);
    free(visits);
    free(run.requests);
}

static void run_sweep(struct sweep_data *data, const struct engine_load *load,
                      enum sweep_kind kind, double capacity_per_s, uint64_t seed)
{
    struct sweep sweep = {
        .kind = kind,
        .from_per_s = 0.2 * capacity_per_s,
        .to_per_s = 1.5 * capacity_per_s,
        .stages = 10,
        .refine = 3,
        .repetitions = 1,
        .stop_at_saturation = true,
    };
    data->count = 0;
    while (data->count < STAGES_MAX &&
           sweep_next(&sweep, data->stages, data->count, &data->stages[data->count]))
        run_stage(data, load, seed * 1000 + data->count);
}

/* Seeds whose interval holds the capacity; the last counts the rules together. */
struct coverage {
    size_t found[KNEE_RULES + 1];
    size_t covered[KNEE_RULES + 1];
};

static void check_finding(struct coverage *coverage, size_t rule,
                          const struct knee_finding *finding, double capacity_per_s)
{
    if (finding->state != KNEE_FOUND)
        return;
    assert_true(fabs(finding->knee_per_s / capacity_per_s - 1) < 0.1);
    coverage->found[rule]++;
    coverage->covered[rule] += finding->interval.low <= capacity_per_s &&
                               capacity_per_s <= finding->interval.high;
}

static void expect_coverage(const struct engine_load *load, enum sweep_kind kind)
{
    double capacity_per_s = engine_saturation_per_s(&load->engine, load->prompt_tokens,
                                                    load->output_tokens);
    struct sweep_data *data = memory_new(1, sizeof *data);
    struct coverage coverage = { 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct knee_limits limits = KNEE_LIMITS_INIT;
        struct knee knee;
        run_sweep(data, load, kind, capacity_per_s, seed);
        knee_find(&knee, data->evidence, data->count, &limits);
        for (size_t rule = 0; rule < KNEE_RULES; rule++)
            check_finding(&coverage, rule, &knee.rules[rule], capacity_per_s);
        check_finding(&coverage, KNEE_RULES, &knee.together, capacity_per_s);
        knee_release(&knee);
    }
    free(data);
    assert_int_equal(coverage.found[KNEE_RULES], SEEDS);
    for (size_t rule = 0; rule <= KNEE_RULES; rule++) {
        assert_true(coverage.found[rule] >= COVERED_MIN);
        assert_true(coverage.covered[rule] >= COVERED_MIN);
    }
}

static void fixed_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        expect_coverage(&loads[i], SWEEP_LINEAR);
        expect_coverage(&loads[i], SWEEP_GEOMETRIC);
    }
}

static void mixed_lengths(void **state)
{
    (void)state;
    static const double variation[] = { 0.7, 0.5, 1.0 };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct engine_load mixed = loads[i];
        mixed.cv = variation[i];
        expect_coverage(&mixed, SWEEP_LINEAR);
        expect_coverage(&mixed, SWEEP_GEOMETRIC);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_lengths),
        cmocka_unit_test(mixed_lengths),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests_name("knee_coverage", tests, NULL, NULL);
}
