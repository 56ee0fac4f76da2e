/* The rules that balance what came in against what went out, stage by stage. */
#include <math.h>

#include <gsl/gsl_cdf.h>

#include "analyze/knee_rules.h"

/* Saturated stages up to this times the lowest of them speak for the capacity: servers
 * that are pushed far beyond it often do less. */
#define NEIGHBOURHOOD 1.3

bool sign_falls_short(const struct stage_signs *signs)
{
    return signs->falls_short;
}

bool sign_grows(const struct stage_signs *signs)
{
    return signs->grows;
}

bool sign_any(const struct stage_signs *signs)
{
    return signs->falls_short || signs->grows;
}

size_t knee_split(const struct knee_stages *stages, sign_fn *sign)
{
    size_t against = 0;
    for (size_t i = 0; i < stages->count; i++)
        against += !sign(stages->items[i].signs);
    size_t best = 0;
    size_t fewest = against;
    for (size_t below = 1; below <= stages->count; below++) {
        bool signalled = sign(stages->items[below - 1].signs);
        against = signalled ? against + 1 : against - 1;
        if (against <= fewest) {
            fewest = against;
            best = below;
        }
    }
    return best;
}

/* Requests that left per second once the server could do no more, over the saturated
 * stages near the knee. A bunch of requests that end together may fall on either side of
 * the edges of what is counted. */
static void capacity(struct knee_finding *finding, const struct knee_stages *stages,
                     size_t first, bool by_growth)
{
    double limit_per_s = stages->items[first].evidence->planned_per_s * NEIGHBOURHOOD;
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (size_t i = first; i < stages->count; i++) {
        const struct stage_evidence *evidence = stages->items[i].evidence;
        const struct stage_signs *signs = stages->items[i].signs;
        if (evidence->planned_per_s > limit_per_s)
            break;
        if (by_growth ? !signs->grows : !signs->falls_short)
            continue;
        double left[EVIDENCE_BATCHES];
        for (size_t batch = 0; batch < EVIDENCE_BATCHES; batch++)
            left[batch] = by_growth ? evidence->sent[batch] - evidence->growth[batch]
                                    : evidence->completed[batch];
        struct stage_estimate rate = stage_rate(evidence, left);
        double edge = evidence->bunch / (evidence->to_s - evidence->from_s) / sqrt(6);
        sum += rate.value;
        squares += rate.error * rate.error + edge * edge;
        count++;
    }
    double knee_per_s = sum / count;
    double error = sqrt(squares) / count;
    double reach =
        error * gsl_cdf_tdist_Pinv(0.5 + INTERVAL_CONFIDENCE / 2, EVIDENCE_BATCHES - 1);
    knee_found(finding, first == 0 ? KNEE_BELOW : KNEE_FOUND, knee_per_s, error,
               knee_per_s - reach, knee_per_s + reach);
}

static void by_sign(struct knee_finding *finding, const struct knee_stages *stages,
                    sign_fn *sign, bool by_growth)
{
    size_t first = knee_split(stages, sign);
    if (first == stages->count) {
        finding->state = KNEE_ABOVE;
        return;
    }
    while (!sign(stages->items[first].signs))
        first++;
    capacity(finding, stages, first, by_growth);
}

void knee_by_share(struct knee_finding *finding, const struct knee_stages *stages)
{
    by_sign(finding, stages, sign_falls_short, false);
}

void knee_by_growth(struct knee_finding *finding, const struct knee_stages *stages)
{
    bool open = false;
    for (size_t i = 0; i < stages->count; i++)
        open |= !stages->items[i].evidence->closed;
    if (!open) {
        knee_unknown(finding, "the generator waited for answers, which bounds the "
                              "requests in flight");
        return;
    }
    by_sign(finding, stages, sign_grows, true);
}
