#include "analyze/warm_up.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/metrics.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

/* A request's place in the plan, and its TTFT. */
struct timed_value {
    int64_t due_ns;
    double seconds;
};

static int compare_due(const void *left, const void *right)
{
    const struct timed_value *a = left;
    const struct timed_value *b = right;
    return (a->due_ns > b->due_ns) - (a->due_ns < b->due_ns);
}

/* Sorts the values. */
static double median_of(double *values, size_t count)
{
    quantile_sort(values, count);
    return quantile_of_sorted(values, count, 0.5);
}

struct warm_up warm_up_of(const struct collection *collection)
{
    struct warm_up result = { .seconds = NAN, .rise = NAN };
    if (collection->epoch_count != 1)
        return result;
    struct timed_value *timed = memory_new(collection->count, sizeof *timed);
    double *values = memory_new(collection->count, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        timed[count].due_ns = sample->due_ns;
        if (sample->outcome == OUTCOME_OK &&
            metric_value(sample, METRIC_TTFT, BY_ARRIVAL, &timed[count].seconds))
            count++;
    }
    qsort(timed, count, sizeof *timed, compare_due);
    for (size_t i = 0; i < count; i++)
        values[i] = timed[i].seconds;
    result.state = steady_state_find(values, count);
    if (result.state.settled)
        result.seconds =
            (double)(timed[result.state.warm_up].due_ns - timed[0].due_ns) / NS_PER_S;
    if (result.state.known)
        result.rise = median_of(values + (count - count / 4), count / 4) /
                      median_of(values, count / 4);
    free(timed);
    free(values);
    return result;
}
