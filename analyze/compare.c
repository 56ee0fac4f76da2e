#include "analyze/compare.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/pairs.h"
#include "formats/base/memory.h"

const char *const comparison_verdict_names[] = {
    [COMPARE_BETTER] = "better",
    [COMPARE_WORSE] = "worse",
    [COMPARE_MIXED] = "mixed",
    [COMPARE_NO_DIFFERENCE] = "no difference shown",
    [COMPARE_NOT_COMPARABLE] = "not comparable",
};

static void contrast_pairs(struct metric_comparison *result, const struct pairs *pairs,
                           enum metric metric, enum flavour flavour)
{
    double *a = memory_new(pairs->count, sizeof *a);
    double *b = memory_new(pairs->count, sizeof *b);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (metric_value(pairs->items[i].a, metric, flavour, &a[count]) &&
            metric_value(pairs->items[i].b, metric, flavour, &b[count]))
            count++;
    contrast_values(a, count, b, count, true, result->contrasts);
    result->a_count = result->b_count = count;
    free(a);
    free(b);
}

static void contrast_unpaired(struct metric_comparison *result, const struct analysis *a,
                              const struct analysis *b, enum metric metric,
                              enum flavour flavour)
{
    double *a_values = memory_new(a->collection.count, sizeof *a_values);
    double *b_values = memory_new(b->collection.count, sizeof *b_values);
    size_t a_count = collection_values(&a->collection, metric, flavour, a_values);
    size_t b_count = collection_values(&b->collection, metric, flavour, b_values);
    contrast_values(a_values, a_count, b_values, b_count, false, result->contrasts);
    result->a_count = a_count;
    result->b_count = b_count;
    free(a_values);
    free(b_values);
}

static const struct itl *itl_of(const struct analysis *run, enum flavour flavour)
{
    return flavour == BY_APP ? &run->collection.app_itl : &run->collection.arrival_itl;
}

static const struct distribution *distribution_in(const struct analysis *run,
                                                  size_t metric, enum flavour flavour)
{
    const struct latencies *latencies = &run->summary.latency[flavour];
    return metric < REQUEST_METRICS ? &latencies->metrics[metric] : &latencies->itl;
}

static double statistic_of(const struct distribution *distribution, size_t statistic)
{
    if (statistic == CONTRAST_MEAN)
        return distribution->mean;
    return distribution_headline(distribution,
                                 statistic == CONTRAST_P50 ? HEADLINE_P50 : HEADLINE_P99);
}

/* The statistic of each run of a side that has one. */
static size_t gather_runs(struct compare_side side, size_t metric, enum flavour flavour,
                          size_t statistic, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < side.count; i++) {
        double value =
            statistic_of(distribution_in(&side.runs[i], metric, flavour), statistic);
        if (!isnan(value))
            values[count++] = value;
    }
    return count;
}

static void contrast_repetitions(struct metric_comparison *result, struct compare_side a,
                                 struct compare_side b, size_t metric,
                                 enum flavour flavour)
{
    double *a_values = memory_new(a.count, sizeof *a_values);
    double *b_values = memory_new(b.count, sizeof *b_values);
    for (size_t statistic = 0; statistic < CONTRASTS; statistic++) {
        result->a_count = gather_runs(a, metric, flavour, statistic, a_values);
        result->b_count = gather_runs(b, metric, flavour, statistic, b_values);
        result->contrasts[statistic] =
            contrast_runs(a_values, result->a_count, b_values, result->b_count);
    }
    free(a_values);
    free(b_values);
}

/* Less is better, for all of these. */
static enum comparison_verdict judge_ratio(const struct interval *ratio, double margin)
{
    if (ratio->known && ratio->low > 1 + margin)
        return COMPARE_WORSE;
    if (ratio->known && ratio->high < 1 / (1 + margin))
        return COMPARE_BETTER;
    return COMPARE_NO_DIFFERENCE;
}

static enum comparison_verdict both(enum comparison_verdict left,
                                    enum comparison_verdict right)
{
    if (left == right || right == COMPARE_NO_DIFFERENCE)
        return left;
    return left == COMPARE_NO_DIFFERENCE ? right : COMPARE_MIXED;
}

static void judge_metric(struct metric_comparison *metric, double margin)
{
    const struct contrast *contrasts = metric->contrasts;
    for (size_t i = 0; i < CONTRASTS; i++)
        metric->each[i] = judge_ratio(&contrasts[i].ratio95, margin);
    metric->verdict = both(judge_ratio(&contrasts[CONTRAST_P50].ratio_joint, margin),
                           judge_ratio(&contrasts[CONTRAST_P99].ratio_joint, margin));
    if (!contrasts[CONTRAST_P50].ratio_joint.known)
        metric->reason = "too few values";
}

static void refuse_metric(struct metric_comparison *metric, const char *reason)
{
    metric->verdict = COMPARE_NOT_COMPARABLE;
    metric->reason = reason;
    for (size_t i = 0; i < CONTRASTS; i++)
        metric->each[i] = COMPARE_NOT_COMPARABLE;
}

/* What all runs of a side were counted by; COUNTED_MIXED where they differ. */
static enum counted counted_by(struct compare_side side)
{
    enum counted counted = side.runs[0].summary.tokens.counted_by;
    for (size_t i = 1; i < side.count; i++)
        if (side.runs[i].summary.tokens.counted_by != counted)
            return COUNTED_MIXED;
    return counted;
}

static const char *refusal(const struct comparison *comparison, size_t metric,
                           struct compare_side a, struct compare_side b,
                           const struct compare_request *request)
{
    if (!comparison->same_plan && !request->across_plans)
        return "the plans differ";
    if (!comparison->believable && !request->ignore_verdicts)
        return "a run is not to be believed";
    enum counted counted = counted_by(a);
    bool by_tokens = metric == METRIC_TPOT || metric == METRIC_NTPOT;
    if (by_tokens && (counted != counted_by(b) || counted == COUNTED_MIXED))
        return "tokens are counted in different ways";
    return NULL;
}

static void compare_metric(struct comparison *comparison, size_t index,
                           struct compare_side a, struct compare_side b,
                           const struct pairs *pairs,
                           const struct compare_request *request)
{
    struct metric_comparison *metric = &comparison->metrics[index];
    enum flavour flavour = request->flavour;
    double margin = request->margin;
    metric->name = index < REQUEST_METRICS ? metric_names[index] : "itl";
    if (comparison->repetitions) {
        contrast_repetitions(metric, a, b, index, flavour);
    } else if (index < REQUEST_METRICS && comparison->paired) {
        contrast_pairs(metric, pairs, (enum metric)index, flavour);
    } else if (index < REQUEST_METRICS) {
        contrast_unpaired(metric, a.runs, b.runs, (enum metric)index, flavour);
    } else {
        contrast_itl(itl_of(a.runs, flavour), itl_of(b.runs, flavour), metric->contrasts);
        metric->a_count = distribution_in(a.runs, index, flavour)->count;
        metric->b_count = distribution_in(b.runs, index, flavour)->count;
    }
    if (index == REQUEST_METRICS)
        margin = fmax(margin, 2 * HISTOGRAM_RELATIVE_ERROR);
    judge_metric(metric, margin);
    const char *reason = refusal(comparison, index, a, b, request);
    if (reason)
        refuse_metric(metric, reason);
}

static void compare_failures(struct comparison *comparison, struct compare_side a,
                             struct compare_side b)
{
    uint64_t failed[2] = { 0 };
    uint64_t planned[2] = { 0 };
    const struct compare_side sides[2] = { a, b };
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side].count; i++) {
            failed[side] += sides[side].runs[i].summary.requests.failed;
            planned[side] += sides[side].runs[i].summary.requests.planned;
        }
    struct interval *difference = &comparison->failed_difference;
    *difference =
        interval_of_share_difference(failed[0], planned[0], failed[1], planned[1]);
    comparison->a_failed_share =
        planned[0] > 0 ? (double)failed[0] / (double)planned[0] : NAN;
    comparison->b_failed_share =
        planned[1] > 0 ? (double)failed[1] / (double)planned[1] : NAN;
    comparison->failed_verdict = COMPARE_NO_DIFFERENCE;
    if (difference->known && difference->low > 0)
        comparison->failed_verdict = COMPARE_WORSE;
    if (difference->known && difference->high < 0)
        comparison->failed_verdict = COMPARE_BETTER;
}

static size_t runs_of_plan(struct compare_side side, const struct analysis *run)
{
    size_t count = 0;
    for (size_t i = 0; i < side.count; i++)
        count += same_plan(&side.runs[i], run);
    return count;
}

/* Whether each plan makes up the same share of the runs on both sides. */
static bool all_same_plans(struct compare_side a, struct compare_side b)
{
    bool same = true;
    for (size_t i = 0; i < a.count && same; i++)
        same = runs_of_plan(a, &a.runs[i]) * b.count ==
               runs_of_plan(b, &a.runs[i]) * a.count;
    return same;
}

static bool all_believable(struct compare_side side)
{
    bool valid = true;
    for (size_t i = 0; i < side.count; i++)
        valid = valid && side.runs[i].summary.verdict.valid;
    return valid;
}

void compare_runs(struct comparison *comparison, struct compare_side a,
                  struct compare_side b, const struct compare_request *request)
{
    assert((a.count == 1 && b.count == 1) || (a.count >= 2 && b.count >= 2));
    *comparison = (struct comparison){
        .same_plan = all_same_plans(a, b),
        .repetitions = a.count > 1,
        .believable = all_believable(a) && all_believable(b),
    };
    struct pairs pairs = { 0 };
    comparison->paired = comparison->same_plan && !comparison->repetitions;
    if (comparison->paired)
        pairs = pair_rows(&a.runs->collection, &b.runs->collection);
    for (size_t i = 0; i < COMPARE_METRICS; i++)
        compare_metric(comparison, i, a, b, &pairs, request);
    compare_failures(comparison, a, b);
    free(pairs.items);
}
