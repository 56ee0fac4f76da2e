#include "analyze/interval.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

const struct interval interval_unknown = { .known = false, .low = NAN, .high = NAN };

/* The number of k in 0..count with P(B <= k) < level, B binomial(count, p). */
static unsigned ranks_below(unsigned count, double p, double level)
{
    unsigned low = 0;
    unsigned high = count + 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (middle <= count && gsl_cdf_binomial_P(middle, p, count) < level)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool interval_ranks(size_t count, double p, double confidence, size_t *low, size_t *high)
{
    assert(p >= 0 && p <= 1 && confidence > 0 && confidence < 1);
    if (count == 0 || count >= UINT_MAX)
        return false;
    double miss = (1 - confidence) / 2;
    size_t first = ranks_below((unsigned)count, p, miss);
    size_t last = ranks_below((unsigned)count, p, 1 - miss) + 1;
    if (first < 1 || last > count)
        return false;
    *low = first;
    *high = last;
    return true;
}

struct interval interval_of_quantile(const double *sorted, size_t count, double p)
{
    size_t low = 0;
    size_t high = 0;
    if (!interval_ranks(count, p, INTERVAL_CONFIDENCE, &low, &high))
        return interval_unknown;
    return (struct interval){ .known = true, .low = sorted[low - 1],
                             .high = sorted[high - 1] };
}

struct interval interval_of_share(size_t successes, size_t count)
{
    assert(successes <= count);
    if (count == 0)
        return interval_unknown;
    double k = (double)successes;
    double n = (double)count;
    double miss = (1 - INTERVAL_CONFIDENCE) / 2;
    return (struct interval){
        .known = true,
        .low = successes == 0 ? 0 : gsl_cdf_beta_Pinv(miss, k, n - k + 1),
        .high = successes == count ? 1 : gsl_cdf_beta_Qinv(miss, k + 1, n - k),
    };
}
