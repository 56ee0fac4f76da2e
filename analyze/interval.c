#include "analyze/interval.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

const struct interval interval_unknown = { .known = false, .low = NAN, .high = NAN };

/* From here on gsl's continued fraction does not always converge. */
enum { EXACT_COUNT_MAX = 1000 * 1000 };

/* P(B <= k), B binomial(count, p): exact, or for many the normal law with the first term
 * of Edgeworth's expansion and continuity correction, good to 1e-6 there. */
static double binomial_below(unsigned k, double p, unsigned count)
{
    if (count <= EXACT_COUNT_MAX)
        return gsl_cdf_binomial_P(k, p, count);
    double sd = sqrt(count * p * (1 - p));
    if (sd == 0)
        return p == 0 || k >= count;
    double z = (k + 0.5 - count * p) / sd;
    double skewness = (1 - 2 * p) / sd;
    return gsl_cdf_ugaussian_P(z) - skewness / 6 * (z * z - 1) * gsl_ran_ugaussian_pdf(z);
}

/* The number of k in 0..count with P(B <= k) < level, B binomial(count, p). */
static unsigned ranks_below(unsigned count, double p, double level)
{
    unsigned low = 0;
    unsigned high = count + 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (middle <= count && binomial_below(middle, p, count) < level)
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

/* The share at which P(B <= k) falls to `level`; it falls as the share grows. */
static double share_at(unsigned k, unsigned count, double level)
{
    enum { HALVINGS = 60 };
    double low = 0;
    double high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (binomial_below(k, middle, count) > level)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct interval interval_of_share(size_t successes, size_t count)
{
    assert(successes <= count);
    if (count == 0 || count >= UINT_MAX)
        return interval_unknown;
    unsigned k = (unsigned)successes;
    unsigned n = (unsigned)count;
    double miss = (1 - INTERVAL_CONFIDENCE) / 2;
    return (struct interval){
        .known = true,
        .low = k == 0 ? 0 : share_at(k - 1, n, 1 - miss),
        .high = k == n ? 1 : share_at(k, n, miss),
    };
}

/* Wilson's score interval (1927). */
static struct interval wilson(double successes, double count)
{
    double z = gsl_cdf_ugaussian_Qinv((1 - INTERVAL_CONFIDENCE) / 2);
    double share = successes / count;
    double centre = share + z * z / (2 * count);
    double half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    double scale = 1 + z * z / count;
    return (struct interval){
        .known = true, .low = (centre - half) / scale, .high = (centre + half) / scale,
    };
}

struct interval interval_of_share_difference(size_t a_successes, size_t a_count,
                                             size_t b_successes, size_t b_count)
{
    if (a_count == 0 || b_count == 0)
        return interval_unknown;
    double a_share = (double)a_successes / (double)a_count;
    double b_share = (double)b_successes / (double)b_count;
    struct interval a = wilson((double)a_successes, (double)a_count);
    struct interval b = wilson((double)b_successes, (double)b_count);
    double difference = b_share - a_share;
    return (struct interval){
        .known = true,
        .low = difference - hypot(b_share - b.low, a.high - a_share),
        .high = difference + hypot(b.high - b_share, a_share - a.low),
    };
}
