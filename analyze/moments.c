#include "analyze/moments.h"

#include <math.h>

void moments_merge(struct moments *into, const struct moments *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0) {
        *into = *from;
        return;
    }
    double total = (double)into->count + (double)from->count;
    double distance = from->mean - into->mean;
    double share = (double)from->count / total;
    into->m2 += from->m2 + distance * distance * (double)into->count * share;
    into->mean += distance * share;
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
    into->count += from->count;
}

void moments_add(struct moments *moments, double value, uint64_t weight)
{
    struct moments one = { .count = weight, .mean = value, .min = value, .max = value };
    moments_merge(moments, &one);
}

/* Sums distances from the first value: they are small where the values are alike, so the
 * squares keep their digits, and one pass does. */
void moments_add_ints(struct moments *moments, const int64_t *values, size_t count)
{
    if (count == 0)
        return;
    double origin = (double)values[0];
    double sum = 0;
    double squares = 0;
    int64_t min = values[0];
    int64_t max = values[0];
    for (size_t i = 0; i < count; i++) {
        double distance = (double)values[i] - origin;
        sum += distance;
        squares += distance * distance;
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
    }
    double n = (double)count;
    struct moments batch = {
        .count = count,
        .mean = origin + sum / n,
        .m2 = fmax(0, squares - sum * sum / n),
        .min = (double)min,
        .max = (double)max,
    };
    moments_merge(moments, &batch);
}

double moments_sd(const struct moments *moments)
{
    if (moments->count < 2)
        return NAN;
    return sqrt(moments->m2 / (double)(moments->count - 1));
}
