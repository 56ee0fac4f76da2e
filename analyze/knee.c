#include "analyze/knee.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/knee_rules.h"
#include "formats/base/memory.h"

const char *const knee_rule_names[KNEE_RULES] = {
    "completed_share", "growth", "latency_fit", "two_segments",
};

const char *const knee_state_names[] = {
    "unknown", "found", "above_range", "below_range",
};

void knee_found(struct knee_finding *finding, enum knee_state state, double knee_per_s,
                double error, double low_per_s, double high_per_s)
{
    finding->state = state;
    finding->knee_per_s = knee_per_s;
    finding->error = error;
    finding->interval = (struct interval){ true, low_per_s, high_per_s };
}

void knee_unknown(struct knee_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->why, sizeof finding->why, format, arguments);
    va_end(arguments);
    finding->state = KNEE_UNKNOWN;
}

size_t knee_distinct_rates(const struct knee_stages *stages, size_t from, size_t to)
{
    size_t distinct = 0;
    for (size_t i = from; i < to; i++)
        distinct += i == from || stages->items[i].evidence->planned_per_s !=
                                     stages->items[i - 1].evidence->planned_per_s;
    return distinct;
}

static struct stage_signs signs_of(const struct stage_evidence *evidence,
                                   const struct knee_limits *limits)
{
    struct stage_signs signs = {
        .ratio = stage_ratio(evidence),
        .growth = stage_rate(evidence, evidence->growth),
    };
    signs.falls_short = signs.ratio.interval.known &&
                        signs.ratio.interval.high < limits->min_completed_share;
    signs.grows =
        !evidence->closed && signs.growth.interval.known &&
        signs.growth.interval.low > 0 &&
        signs.growth.value > limits->max_growth_share * evidence->planned_per_s;
    return signs;
}

static int compare_rates(const void *left, const void *right)
{
    const struct knee_stage *a = left;
    const struct knee_stage *b = right;
    double difference = a->evidence->planned_per_s - b->evidence->planned_per_s;
    return (difference > 0) - (difference < 0);
}

/* Judges all stages; lists the usable ones by rate. */
static struct knee_stages take_usable(struct knee *knee,
                                      const struct stage_evidence *stages, size_t count,
                                      const struct knee_limits *limits)
{
    struct knee_stages usable = { .items = memory_new(count, sizeof *usable.items) };
    for (size_t i = 0; i < count; i++) {
        knee->signs[i] = signs_of(&stages[i], limits);
        if (stages[i].use == STAGE_FAILING)
            knee->failing_per_s = fmin(knee->failing_per_s, stages[i].planned_per_s);
        if (stages[i].use == STAGE_USABLE) {
            usable.items[usable.count++] =
                (struct knee_stage){ &stages[i], &knee->signs[i] };
            continue;
        }
        knee->signs[i].falls_short = false;
        knee->signs[i].grows = false;
    }
    qsort(usable.items, usable.count, sizeof *usable.items, compare_rates);
    return usable;
}

static void set_bracket(struct knee *knee, const struct knee_stages *stages)
{
    size_t below = knee_split(stages, sign_any);
    knee->saturated_per_s = below < stages->count
                                ? stages->items[below].evidence->planned_per_s
                                : INFINITY;
    for (size_t i = 0; i < below; i++)
        if (!sign_any(stages->items[i].signs))
            knee->held_per_s = stages->items[i].evidence->planned_per_s;
}

/* Whether the two intervals have nothing in common. */
static bool apart(const struct knee_finding *a, const struct knee_finding *b)
{
    return a->interval.low > b->interval.high || b->interval.low > a->interval.high;
}

static void note_disagreement(struct knee *knee, enum knee_state state)
{
    for (size_t i = 0; i < KNEE_RULES; i++)
        for (size_t j = 0; j < i; j++)
            knee->disagree |= knee->rules[i].state == state &&
                              knee->rules[j].state == state &&
                              apart(&knee->rules[i], &knee->rules[j]);
}

/* The mean of the rules that found the knee, by precision. They look at the same
 * requests, so that their agreement adds no precision: the error is the mean error, and
 * the scatter of the rules comes on top. */
static void combine(struct knee *knee, enum knee_state state)
{
    double weights = 0;
    double sum = 0;
    double errors = 0;
    for (size_t i = 0; i < KNEE_RULES; i++) {
        const struct knee_finding *rule = &knee->rules[i];
        if (rule->state != state)
            continue;
        double weight = 1 / (rule->error * rule->error);
        weights += weight;
        sum += weight * rule->knee_per_s;
        errors += weight * rule->error;
    }
    double mean = sum / weights;
    double scatter = 0;
    for (size_t i = 0; i < KNEE_RULES; i++) {
        const struct knee_finding *rule = &knee->rules[i];
        double distance = rule->knee_per_s - mean;
        if (rule->state == state)
            scatter += distance * distance / (rule->error * rule->error) / weights;
    }
    double error = hypot(errors / weights, sqrt(scatter));
    knee_found(&knee->together, state, mean, error, mean - 2 * error, mean + 2 * error);
    note_disagreement(knee, state);
}

static size_t rules_in(const struct knee *knee, enum knee_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < KNEE_RULES; i++)
        count += knee->rules[i].state == state;
    return count;
}

static void conclude(struct knee *knee)
{
    /* the first two rules see saturation itself; the fits only its shape */
    bool seen = isfinite(knee->saturated_per_s);
    if (knee->usable == 0)
        knee_unknown(&knee->together, "no stage says anything of the server");
    else if (!seen)
        knee->together.state = KNEE_ABOVE;
    else if (knee->held_per_s == 0 && rules_in(knee, KNEE_BELOW) > 0)
        combine(knee, KNEE_BELOW);
    else if (rules_in(knee, KNEE_FOUND) > 0)
        combine(knee, KNEE_FOUND);
    else
        knee_unknown(&knee->together, "the stages say too little");
}

void knee_find(struct knee *knee, const struct stage_evidence *stages, size_t count,
               const struct knee_limits *limits)
{
    *knee = (struct knee){
        .failing_per_s = INFINITY,
        .saturated_per_s = INFINITY,
        .kneedle_per_s = NAN,
        .signs = memory_new(count, sizeof *knee->signs),
        .together = { .knee_per_s = NAN },
        .curve = knee_curve_unknown,
    };
    struct knee_stages usable = take_usable(knee, stages, count, limits);
    knee->usable = usable.count;
    for (size_t i = 0; i < KNEE_RULES; i++) {
        knee->rules[i] = (struct knee_finding){ .knee_per_s = NAN };
        if (usable.count == 0)
            knee_unknown(&knee->rules[i], "no stage says anything of the server");
    }
    if (usable.count > 0) {
        knee_by_share(&knee->rules[KNEE_BY_SHARE], &usable);
        knee_by_growth(&knee->rules[KNEE_BY_GROWTH], &usable);
        knee_by_latency(&knee->rules[KNEE_BY_LATENCY], &knee->curve, &usable);
        knee_by_segments(&knee->rules[KNEE_BY_SEGMENTS], &usable);
        set_bracket(knee, &usable);
        knee->kneedle_per_s = kneedle(&usable);
    }
    conclude(knee);
    free(usable.items);
}

void knee_release(struct knee *knee)
{
    free(knee->signs);
    knee->signs = NULL;
}
