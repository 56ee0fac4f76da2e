#include "analyze/load_objective.h"

#include <math.h>

#include "analyze/objective.h"

/* The share of the planned requests within the limit. */
static struct load_objective judge_share(const struct slo_term *term,
                                         const struct analysis *analysis, double asked)
{
    struct slo each = { .terms = { *term }, .count = 1 };
    each.terms[0].statistic = SLO_EACH;
    const struct collection *collection = &analysis->collection;
    size_t planned = (size_t)analysis->summary.requests.planned;
    size_t met = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        met += sample->outcome == OUTCOME_OK && slo_met_by(&each, sample);
    }
    struct load_objective result = {
        .kind = OBJECTIVE_SHARE,
        .value = planned > 0 ? (double)met / (double)planned : NAN,
        .asked = asked,
        .interval = planned > 0 ? interval_of_share(met, planned) : interval_unknown,
    };
    result.met = result.value >= asked;
    result.certain = result.interval.known && result.interval.low >= asked;
    return result;
}

struct load_objective load_objective_judge(const struct slo_term *term,
                                           const struct analysis *analysis,
                                           double each_share)
{
    /* a term about each gap is refused before: an answer has many */
    if (term->statistic == SLO_EACH)
        return judge_share(term, analysis, each_share);
    if (term->metric != SLO_ITL && term->statistic == SLO_QUANTILE)
        return judge_share(term, analysis, term->p);
    struct objective objective = objective_judge(term, analysis);
    return (struct load_objective){
        .kind = OBJECTIVE_VALUE,
        .value = objective.value_s,
        .asked = term->limit_s,
        .interval = objective.interval,
        .met = objective.met,
        .certain = objective.met && objective.certain,
    };
}
