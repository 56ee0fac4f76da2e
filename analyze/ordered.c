#include "analyze/ordered.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

struct ordered ordered_of(const struct collection *collection, int metric,
                          enum flavour flavour)
{
    struct ordered ordered = { 0 };
    if (metric == SLO_ITL) {
        const struct itl *itl =
            flavour == BY_APP ? &collection->app_itl : &collection->arrival_itl;
        for (size_t i = 0; i < BOOTSTRAP_GROUPS; i++) {
            histogram_merge(&ordered.histogram, &itl->single[i]);
            histogram_merge(&ordered.histogram, &itl->multi[i]);
        }
        ordered.count = ordered.histogram.moments.count;
        return ordered;
    }
    ordered.values = memory_new(collection->count, sizeof *ordered.values);
    ordered.count =
        collection_values(collection, (enum metric)metric, flavour, ordered.values);
    quantile_sort(ordered.values, ordered.count);
    return ordered;
}

void ordered_release(struct ordered *ordered)
{
    free(ordered->values);
    histogram_release(&ordered->histogram);
    ordered->values = NULL;
}

double ordered_quantile(const struct ordered *ordered, double p)
{
    if (ordered->count == 0)
        return NAN;
    if (ordered->values)
        return quantile_of_sorted(ordered->values, ordered->count, p);
    return histogram_quantile(&ordered->histogram, p) / NS_PER_S;
}
