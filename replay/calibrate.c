#include "replay/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/memory.h"
#include "replay/probe.h"

struct calibration {
    struct plan_request requests[CALIBRATE_SAMPLES];
    size_t count;
    struct calibration_point points[CALIBRATE_SAMPLES * CALIBRATE_ROUNDS];
    size_t point_count;
};

void calibrate_fit(const struct calibration_point *points, size_t count,
                   struct body_options *body)
{
    double words = 0;
    double tokens = 0;
    for (size_t at = 0; at < count; at++) {
        words += points[at].words / (double)count;
        tokens += points[at].tokens / (double)count;
    }
    double spread = 0;
    double shared = 0;
    for (size_t at = 0; at < count; at++) {
        spread += (points[at].words - words) * (points[at].words - words);
        shared += (points[at].words - words) * (points[at].tokens - tokens);
    }
    double slope = spread > 0 ? shared / spread : 0;
    double overhead = tokens - slope * words;
    if (slope <= 0 || overhead < 0) {
        slope = words > 0 ? tokens / words : 0;
        overhead = 0;
    }
    if (slope <= 0)
        return;
    body->words_per_token = 1 / slope;
    body->overhead_tokens = overhead;
}

static int by_input(const void *a_pointer, const void *b_pointer)
{
    const struct plan_request *a = *(const struct plan_request *const *)a_pointer;
    const struct plan_request *b = *(const struct plan_request *const *)b_pointer;
    return (a->input_tokens > b->input_tokens) - (a->input_tokens < b->input_tokens);
}

/* Requests of the plan at even ranks of length; their prompts are random, not the plan's.
 */
static void take_samples(struct calibration *calibration, const struct plan *plan)
{
    const struct plan_request **sorted = memory_new(plan->count, sizeof *sorted);
    for (size_t index = 0; index < plan->count; index++)
        sorted[index] = &plan->requests[index];
    qsort(sorted, plan->count, sizeof *sorted, by_input);
    size_t count = plan->count < CALIBRATE_SAMPLES ? plan->count : CALIBRATE_SAMPLES;
    for (size_t at = 0; at < count; at++) {
        size_t rank = count == 1 ? 0 : at * (plan->count - 1) / (count - 1);
        calibration->requests[at] = (struct plan_request){
            .think_ns = THINK_NONE,
            .input_tokens = sorted[rank]->input_tokens,
            .output_tokens = 1,
            .session = SESSION_NONE,
            .text = TEXT_NONE,
        };
    }
    calibration->count = count;
    free(sorted);
}

static int ask_round(struct calibration *calibration, const struct target *target,
                     uint64_t seed, int64_t timeout_ns, const struct body_options *body,
                     double *error, struct fault *fault)
{
    struct plan plan = {
        .requests = calibration->requests,
        .count = calibration->count,
        .seed = seed,
    };
    *error = 0;
    for (size_t at = 0; at < calibration->count; at++) {
        uint32_t planned = calibration->requests[at].input_tokens;
        uint32_t tokens;
        int status =
            target_count_prompt(target, &plan, at, body, timeout_ns, &tokens, fault);
        if (status != STATUS_OK)
            return status;
        calibration->points[calibration->point_count++] = (struct calibration_point){
            .words = (double)body_options_words(body, planned),
            .tokens = tokens,
        };
        *error += fabs((double)tokens - planned) / planned / (double)calibration->count;
    }
    return STATUS_OK;
}

int calibrate(const struct target *target, const struct plan *plan, int64_t timeout_ns,
              struct body_options *body, double *error, struct fault *fault)
{
    struct calibration calibration = { 0 };
    take_samples(&calibration, plan);
    *error = INFINITY;
    for (uint64_t round = 0; round < CALIBRATE_ROUNDS && *error >= CALIBRATE_GOAL;
         round++) {
        if (round > 0)
            calibrate_fit(calibration.points, calibration.point_count, body);
        int status = ask_round(&calibration, target, plan->seed + round, timeout_ns, body,
                               error, fault);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
