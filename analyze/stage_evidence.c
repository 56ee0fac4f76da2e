#include "analyze/stage_evidence.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>

#include "analyze/moments.h"
#include "analyze/steady_state.h"
#include "formats/arrivals.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

/* Points in time at which requests in flight are counted to find the warm-up. */
enum { GRID = 1000 };

/* Moments of one kind, in order. */
struct moments_list {
    int64_t *at_ns; /* owned */
    size_t count;
};

struct stage_moments {
    struct moments_list sent;
    struct moments_list ended; /* of those that were sent */
    struct moments_list completed;
};

static struct stage_moments moments_of(const struct stage_visit *visits, size_t count)
{
    struct stage_moments all = {
        .sent.at_ns = memory_new(count, sizeof(int64_t)),
        .ended.at_ns = memory_new(count, sizeof(int64_t)),
        .completed.at_ns = memory_new(count, sizeof(int64_t)),
    };
    for (size_t i = 0; i < count; i++) {
        if (visits[i].sent_ns == TIME_NONE || visits[i].end_ns == TIME_NONE)
            continue;
        all.sent.at_ns[all.sent.count++] = visits[i].sent_ns;
        all.ended.at_ns[all.ended.count++] = visits[i].end_ns;
        if (visits[i].ok)
            all.completed.at_ns[all.completed.count++] = visits[i].end_ns;
    }
    quantile_sort_int(all.sent.at_ns, all.sent.count);
    quantile_sort_int(all.ended.at_ns, all.ended.count);
    quantile_sort_int(all.completed.at_ns, all.completed.count);
    return all;
}

static void moments_free(struct stage_moments *all)
{
    free(all->sent.at_ns);
    free(all->ended.at_ns);
    free(all->completed.at_ns);
}

/* How many are at or before `ns`; *at goes on from where the last call left it. */
static size_t count_until(const struct moments_list *list, size_t *at, int64_t ns)
{
    while (*at < list->count && list->at_ns[*at] <= ns)
        ++*at;
    return *at;
}

/* The share of the stage, up to a half, that is warm-up; sets what the evidence says of
 * requests in flight. */
static double warm_up_share(struct stage_evidence *evidence,
                            const struct stage_moments *all, int64_t begin_ns,
                            int64_t end_ns)
{
    double *open = memory_new(GRID, sizeof *open);
    double *completed = memory_new(GRID, sizeof *completed);
    size_t sent_at = 0;
    size_t ended_at = 0;
    size_t completed_at = 0;
    for (size_t i = 0; i < GRID; i++) {
        double share = (double)(i + 1) / GRID;
        int64_t ns = begin_ns + (int64_t)((double)(end_ns - begin_ns) * share);
        size_t before = completed_at;
        open[i] = (double)count_until(&all->sent, &sent_at, ns) -
                  (double)count_until(&all->ended, &ended_at, ns);
        completed[i] = (double)(count_until(&all->completed, &completed_at, ns) - before);
        evidence->bunch = fmax(evidence->bunch, completed[i]);
    }
    struct steady_state by_open = steady_state_find(open, GRID);
    struct steady_state by_completed = steady_state_find(completed, GRID);
    size_t cut = by_completed.settled ? by_completed.warm_up : GRID / 2;
    evidence->settled = by_open.settled;
    if (by_open.settled && by_open.warm_up > cut)
        cut = by_open.warm_up;
    double sum = 0;
    for (size_t i = cut; i < GRID; i++)
        sum += open[i];
    evidence->in_flight = sum / (double)(GRID - cut);
    free(open);
    free(completed);
    return (double)cut / GRID;
}

/* The batch that `ns` falls into; false outside the steady part. */
static bool batch_at(int64_t ns, int64_t from_ns, int64_t to_ns, size_t *batch)
{
    if (ns == TIME_NONE || ns < from_ns || ns >= to_ns)
        return false;
    double share = (double)(ns - from_ns) / (double)(to_ns - from_ns);
    *batch = (size_t)(share * EVIDENCE_BATCHES);
    if (*batch >= EVIDENCE_BATCHES)
        *batch = EVIDENCE_BATCHES - 1;
    return true;
}

static void add_visit(struct stage_evidence *evidence, const struct stage_visit *visit,
                      int64_t from_ns, int64_t to_ns)
{
    size_t batch;
    if (batch_at(visit->due_ns, from_ns, to_ns, &batch))
        evidence->planned[batch]++;
    if (visit->sent_ns == TIME_NONE || visit->end_ns == TIME_NONE)
        return;
    if (batch_at(visit->sent_ns, from_ns, to_ns, &batch)) {
        evidence->sent[batch]++;
        evidence->growth[batch]++;
        if (visit->ok) {
            evidence->answered[batch]++;
            evidence->latency_s[batch] +=
                (double)(visit->end_ns - visit->sent_ns) / NS_PER_S;
        }
    }
    if (batch_at(visit->end_ns, from_ns, to_ns, &batch)) {
        evidence->completed[batch] += visit->ok;
        evidence->growth[batch]--;
    }
}

static double sum_of(const double series[EVIDENCE_BATCHES])
{
    double sum = 0;
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++)
        sum += series[i];
    return sum;
}

void stage_evidence_fill(struct stage_evidence *evidence,
                         const struct stage_visit *visits, size_t count,
                         int64_t begin_ns, int64_t end_ns)
{
    struct stage_moments all = moments_of(visits, count);
    double length_ns = (double)(end_ns - begin_ns);
    double share = warm_up_share(evidence, &all, begin_ns, end_ns);
    moments_free(&all);
    int64_t from_ns = begin_ns + (int64_t)(length_ns * share);
    evidence->from_s = (double)(from_ns - begin_ns) / NS_PER_S;
    evidence->to_s = length_ns / NS_PER_S;
    for (size_t i = 0; i < count; i++)
        add_visit(evidence, &visits[i], from_ns, end_ns);
    if (count > 0 && visits[0].due_ns == TIME_NONE)
        for (size_t i = 0; i < EVIDENCE_BATCHES; i++)
            evidence->planned[i] = evidence->planned_per_s * stage_batch_s(evidence);
    if (evidence->use == STAGE_USABLE &&
        fmin(sum_of(evidence->sent), sum_of(evidence->completed)) < EVIDENCE_REQUESTS_MIN)
        evidence->use = STAGE_SPARSE;
}

double stage_batch_s(const struct stage_evidence *evidence)
{
    return (evidence->to_s - evidence->from_s) / EVIDENCE_BATCHES;
}

static struct stage_estimate estimate_of(double value, double error, double degrees)
{
    double reach = error * gsl_cdf_tdist_Pinv(0.5 + INTERVAL_CONFIDENCE / 2, degrees);
    return (struct stage_estimate){
        .value = value,
        .error = error,
        .interval = { .known = isfinite(reach) && isfinite(value),
                      .low = value - reach,
                      .high = value + reach },
    };
}

struct stage_estimate stage_rate(const struct stage_evidence *evidence,
                           const double series[EVIDENCE_BATCHES])
{
    struct moments moments = { 0 };
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++)
        moments_add(&moments, series[i] / stage_batch_s(evidence), 1);
    double error = moments_sd(&moments) / sqrt(EVIDENCE_BATCHES);
    return estimate_of(moments.mean, error, EVIDENCE_BATCHES - 1);
}

/* sum(above) / sum(below) with the error of the linearised ratio over the batches, whose
 * residuals go to the caller too. */
static struct stage_estimate ratio_of(const double above[EVIDENCE_BATCHES],
                                const double below[EVIDENCE_BATCHES],
                                double residuals[EVIDENCE_BATCHES])
{
    double mean_below = sum_of(below) / EVIDENCE_BATCHES;
    double value = sum_of(above) / sum_of(below);
    struct moments moments = { 0 };
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++) {
        residuals[i] = (above[i] - value * below[i]) / mean_below;
        moments_add(&moments, residuals[i], 1);
    }
    double error = moments_sd(&moments) / sqrt(EVIDENCE_BATCHES);
    return estimate_of(value, error, EVIDENCE_BATCHES - 1);
}

struct stage_estimate stage_ratio(const struct stage_evidence *evidence)
{
    double residuals[EVIDENCE_BATCHES];
    return ratio_of(evidence->completed, evidence->planned, residuals);
}

/* Error of the mean of residuals around their line, of which neighbours are alike. */
static double error_beside_trend(const double residuals[EVIDENCE_BATCHES])
{
    double position[EVIDENCE_BATCHES];
    for (size_t i = 0; i < EVIDENCE_BATCHES; i++)
        position[i] = (double)i;
    double c0, c1, cov00, cov01, cov11, squares;
    gsl_fit_linear(position, 1, residuals, 1, EVIDENCE_BATCHES, &c0, &c1, &cov00, &cov01,
                   &cov11, &squares);
    double products = 0;
    for (size_t i = 1; i < EVIDENCE_BATCHES; i++)
        products += (residuals[i] - c0 - c1 * position[i]) *
                    (residuals[i - 1] - c0 - c1 * position[i - 1]);
    double correlation = squares > 0 ? fmin(fmax(products / squares, 0), 0.9) : 0;
    double variance = squares / (EVIDENCE_BATCHES - 2) / EVIDENCE_BATCHES;
    return sqrt(variance * (1 + correlation) / (1 - correlation));
}

struct stage_estimate stage_latency(const struct stage_evidence *evidence)
{
    double residuals[EVIDENCE_BATCHES];
    double value = ratio_of(evidence->latency_s, evidence->answered, residuals).value;
    return estimate_of(value, error_beside_trend(residuals), EVIDENCE_BATCHES - 2);
}
