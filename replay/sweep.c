#include "replay/sweep.h"

#include <math.h>

double sweep_rate(const struct sweep *sweep, uint32_t stage)
{
    if (sweep->stages < 2)
        return sweep->from_per_s;
    double share = (double)stage / (sweep->stages - 1);
    if (sweep->kind == SWEEP_GEOMETRIC)
        return sweep->from_per_s * pow(sweep->to_per_s / sweep->from_per_s, share);
    return sweep->from_per_s + (sweep->to_per_s - sweep->from_per_s) * share;
}

/* What the repetitions of one rate say together. */
struct rate_finding {
    double rate_per_s;
    uint32_t runs;
    uint32_t saturated;
    bool broken; /* the client or the server failed, or nothing can be told */
};

static void note_stage(struct rate_finding *finding, const struct profile_stage *stage)
{
    finding->rate_per_s = stage->rate_per_s;
    finding->runs++;
    finding->saturated += stage->finding == STAGE_SATURATED;
    finding->broken |= stage->finding != STAGE_SATURATED && stage->finding != STAGE_HELD;
}

static bool is_saturated(const struct rate_finding *finding)
{
    return finding->broken || finding->saturated * 2 > finding->runs;
}

/* The stages at this rate, together. */
static struct rate_finding finding_at(const struct profile_stage *stages, size_t count,
                                      double rate_per_s)
{
    struct rate_finding finding = { .rate_per_s = rate_per_s };
    for (size_t at = 0; at < count; at++)
        if (stages[at].finished && stages[at].purpose != STAGE_LADDER &&
            stages[at].rate_per_s == rate_per_s)
            note_stage(&finding, &stages[at]);
    return finding;
}

static bool take(struct profile_stage *next, enum stage_purpose purpose,
                 double rate_per_s, uint32_t repetition)
{
    *next = (struct profile_stage){
        .purpose = purpose,
        .rate_per_s = rate_per_s,
        .repetition = repetition,
    };
    return true;
}

/* The next rising stage; false when the rise is over. */
static bool next_rise(const struct sweep *sweep, const struct profile_stage *stages,
                      size_t count, struct profile_stage *next)
{
    uint32_t saturated_in_a_row = 0;
    for (uint32_t stage = 0; stage < sweep->stages; stage++) {
        double rate_per_s = sweep_rate(sweep, stage);
        struct rate_finding finding = finding_at(stages, count, rate_per_s);
        if (finding.runs < sweep->repetitions && !finding.broken)
            return take(next, STAGE_SWEEP, rate_per_s, finding.runs);
        if (finding.broken && sweep->stop_at_saturation)
            return false;
        saturated_in_a_row = is_saturated(&finding) ? saturated_in_a_row + 1 : 0;
        if (saturated_in_a_row == 2 && sweep->stop_at_saturation)
            return false;
    }
    return false;
}

static double middle(const struct sweep *sweep, double low_per_s, double high_per_s)
{
    return sweep->kind == SWEEP_GEOMETRIC ? sqrt(low_per_s * high_per_s)
                                          : (low_per_s + high_per_s) / 2;
}

/* Highest rate below the lowest saturated one, and that one; 0 and infinity: none. */
static void bracket_knee(const struct profile_stage *stages, size_t count,
                         double *low_per_s, double *high_per_s)
{
    *low_per_s = 0;
    *high_per_s = INFINITY;
    for (size_t at = 0; at < count; at++) {
        struct rate_finding finding = finding_at(stages, count, stages[at].rate_per_s);
        if (finding.runs > 0 && is_saturated(&finding) &&
            finding.rate_per_s < *high_per_s)
            *high_per_s = finding.rate_per_s;
    }
    for (size_t at = 0; at < count; at++) {
        struct rate_finding finding = finding_at(stages, count, stages[at].rate_per_s);
        if (finding.runs > 0 && finding.rate_per_s < *high_per_s &&
            finding.rate_per_s > *low_per_s)
            *low_per_s = finding.rate_per_s;
    }
}

static bool next_bisection(const struct sweep *sweep, const struct profile_stage *stages,
                           size_t count, struct profile_stage *next)
{
    uint32_t bisections = 0;
    for (size_t at = 0; at < count; at++) {
        if (!stages[at].finished || stages[at].purpose != STAGE_REFINE)
            continue;
        struct rate_finding finding = finding_at(stages, count, stages[at].rate_per_s);
        if (finding.runs < sweep->repetitions && !finding.broken)
            return take(next, STAGE_REFINE, stages[at].rate_per_s, finding.runs);
        bisections += stages[at].repetition == 0;
    }
    double low_per_s;
    double high_per_s;
    bracket_knee(stages, count, &low_per_s, &high_per_s);
    if (bisections >= sweep->refine || low_per_s == 0 || isinf(high_per_s))
        return false;
    return take(next, STAGE_REFINE, middle(sweep, low_per_s, high_per_s), 0);
}

bool sweep_next(const struct sweep *sweep, const struct profile_stage *stages,
                size_t count, struct profile_stage *next)
{
    return next_rise(sweep, stages, count, next) ||
           next_bisection(sweep, stages, count, next);
}

bool ladder_goes_on(const double *throughput_per_s, size_t count)
{
    if (count < 2)
        return true;
    return count < LADDER_STEPS_MAX &&
           throughput_per_s[count - 1] > throughput_per_s[count - 2] * LADDER_GAIN;
}
