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

void moments_run_end(const struct moments_run *run, uint64_t count,
                     struct moments *moments)
{
    double n = (double)count;
    struct moments batch = {
        .count = count,
        .mean = run->origin + run->sum / n,
        .m2 = fmax(0, run->squares - run->sum * run->sum / n),
        .min = (double)run->min,
        .max = (double)run->max,
    };
    moments_merge(moments, &batch);
}

double moments_sd(const struct moments *moments)
{
    if (moments->count < 2)
        return NAN;
    return sqrt(moments->m2 / (double)(moments->count - 1));
}
