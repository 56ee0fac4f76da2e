#include "analyze/steady_state.h"

#include <math.h>

#include "analyze/moments.h"

static double batch_mean(const double *values, size_t batch)
{
    double sum = 0;
    for (size_t i = 0; i < STEADY_STATE_BATCH; i++)
        sum += values[batch * STEADY_STATE_BATCH + i];
    return sum / STEADY_STATE_BATCH;
}

/* From the end, so that each cut adds one batch to the moments of those after it. The
 * last few cuts leave too little to speak of an error: they are not looked at. */
struct steady_state steady_state_find(const double *values, size_t count)
{
    enum { LEAST_KEPT = 5 };
    size_t batches = count / STEADY_STATE_BATCH;
    struct moments kept = { 0 };
    double least = INFINITY;
    size_t best = 0;
    if (count < STEADY_STATE_VALUES_MIN)
        return (struct steady_state){ .known = false };
    for (size_t cut = batches; cut-- > 0;) {
        moments_add(&kept, batch_mean(values, cut), 1);
        double error = kept.m2 / ((double)kept.count * (double)kept.count);
        if (kept.count >= LEAST_KEPT && error <= least) {
            least = error;
            best = cut;
        }
    }
    bool settled = best <= batches / 2;
    return (struct steady_state){
        .known = true,
        .settled = settled,
        .warm_up = settled ? best * STEADY_STATE_BATCH : 0,
    };
}
