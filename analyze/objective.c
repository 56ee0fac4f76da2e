#include "analyze/objective.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/itl.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

static struct interval mean_interval(const double *values, size_t count)
{
    struct ratio_sums *sums = memory_new(1, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        ratio_add(sums, values[i], 1);
    struct interval result = ratio_interval(sums);
    free(sums);
    return result;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static void measure_requests(struct objective *objective,
                             const struct collection *collection)
{
    const struct slo_term *term = objective->term;
    double *values = memory_new(collection->count, sizeof *values);
    size_t count =
        collection_values(collection, (enum metric)term->metric, term->flavour, values);
    quantile_sort(values, count);
    objective->count = count;
    if (count > 0 && term->statistic == SLO_MEAN) {
        objective->value_s = mean_of(values, count);
        objective->interval = mean_interval(values, count);
    } else if (count > 0 && term->statistic == SLO_MAX) {
        objective->value_s = values[count - 1];
    } else if (count > 0) {
        objective->value_s = quantile_of_sorted(values, count, term->p);
        objective->interval = interval_of_quantile(values, count, term->p);
    }
    free(values);
}

/* The interval of a percentile of gaps, for those that have one. */
static struct interval gap_interval(const struct distribution *gaps, double p)
{
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++) {
        double known = distribution_percentiles[distribution_headlines[i]].p;
        if (fabs(known - p) < 1e-9)
            return gaps->headline[i];
    }
    return interval_unknown;
}

static void measure_gaps(struct objective *objective, const struct analysis *analysis)
{
    const struct slo_term *term = objective->term;
    const struct distribution *gaps = &analysis->summary.latency[term->flavour].itl;
    objective->count = gaps->count;
    if (gaps->count == 0)
        return;
    if (term->statistic == SLO_MEAN) {
        objective->value_s = gaps->mean;
    } else if (term->statistic == SLO_MAX) {
        objective->value_s = gaps->max;
    } else {
        const struct collection *collection = &analysis->collection;
        const struct itl *itl = term->flavour == BY_APP ? &collection->app_itl
                                                        : &collection->arrival_itl;
        objective->value_s = itl_quantile_ns(itl, term->p) / NS_PER_S;
        objective->interval = gap_interval(gaps, term->p);
    }
}

static bool same_side(const struct slo_term *term, const struct interval *interval)
{
    return interval->known && slo_term_holds(term, interval->low) ==
                                  slo_term_holds(term, interval->high);
}

struct objective objective_judge(const struct slo_term *term,
                                 const struct analysis *analysis)
{
    assert(term->statistic != SLO_EACH);
    struct objective objective = {
        .term = term, .value_s = NAN, .interval = interval_unknown,
    };
    if (term->metric == SLO_ITL)
        measure_gaps(&objective, analysis);
    else
        measure_requests(&objective, &analysis->collection);
    objective.met = slo_term_holds(term, objective.value_s); /* NaN holds nothing */
    objective.certain = same_side(term, &objective.interval);
    return objective;
}
