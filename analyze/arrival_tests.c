#include "analyze/arrival_tests.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/chi_square.h"
#include "formats/base/anderson_darling.h"
#include "formats/base/clock.h"
#include "formats/base/draw.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

/* More gaps would say no more, and take seconds to sort. */
enum { TESTED_MAX = 100000, DRAW_STREAM = 1 };

static const int64_t windows_ns[DISPERSION_WINDOWS] = {
    NS_PER_MS,       3 * NS_PER_MS,   10 * NS_PER_MS, 30 * NS_PER_MS,
    100 * NS_PER_MS, 300 * NS_PER_MS, NS_PER_S,
};

static double gap_at(const struct queue_event *events, size_t i)
{
    return (double)(events[i + 1].arrival_ns - events[i].arrival_ns) / NS_PER_S;
}

static void gap_moments(struct arrival_tests *tests, const struct queue_event *events)
{
    double squares = 0;
    double products = 0;
    double before = 0;
    size_t zeros = 0;
    double n = (double)tests->gaps;
    double mean = (double)(events[tests->gaps].arrival_ns - events[0].arrival_ns) / n /
                  NS_PER_S;
    for (size_t i = 0; i < tests->gaps; i++) {
        double gap = gap_at(events, i);
        zeros += gap == 0;
        products += before * (gap - mean);
        before = gap - mean;
        squares += before * before;
    }
    tests->mean_gap_s = mean;
    tests->zero_share = (double)zeros / n;
    tests->squared_cv = mean > 0 ? squares / n / (mean * mean) : NAN;
    if (tests->gaps < 3 || !(squares > 0))
        return;
    tests->lag1 = products / squares;
    tests->lag1_p_value = erfc(fabs(tests->lag1) * sqrt(n) / M_SQRT2);
}

/* Undoes the rounding of two times to the resolution of logs: a gap of 0 would count as
 * infinitely unlikely. The error of their difference is triangular. */
static double unrounded_gap(double gap_s, size_t i)
{
    struct draw draw = draw_at(0, DRAW_STREAM, i);
    double off = draw_uniform(draw.words[0]) - draw_uniform(draw.words[1]);
    return fabs(gap_s + off * QUEUE_RESOLUTION_NS / NS_PER_S);
}

/* The gaps' distance from the exponential law whose mean is theirs. */
static void test_law(struct arrival_tests *tests, const struct queue_event *events)
{
    size_t count = tests->gaps < TESTED_MAX ? tests->gaps : TESTED_MAX;
    if (count < 2 || !(tests->mean_gap_s > 0))
        return;
    double *values = memory_new(count, sizeof *values);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = unrounded_gap(gap_at(events, i * tests->gaps / count), i);
        sum += values[i];
    }
    if (sum > 0) {
        quantile_sort(values, count);
        double n = (double)count;
        double distance = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = -expm1(-values[i] * n / sum);
            distance = fmax(distance, fmax((double)(i + 1) / n - values[i],
                                           values[i] - (double)i / n));
        }
        tests->tested = count;
        tests->distance = distance;
        tests->anderson_darling = anderson_darling_statistic(values, count);
        tests->anderson_p_value =
            anderson_darling_p_value_exponential(tests->anderson_darling, count);
    }
    free(values);
}

/* Sums of counts and their squares over whole windows; events after the last are left
 * out. */
static void count_windows(struct dispersion *out, const struct queue_event *events,
                          size_t count)
{
    double squares = 0;
    double total = 0;
    size_t at = 0;
    while (at < count) {
        int64_t window = (events[at].arrival_ns - events[0].arrival_ns) / out->window_ns;
        if (window >= (int64_t)out->windows)
            break;
        int64_t end_ns = events[0].arrival_ns + (window + 1) * out->window_ns;
        size_t first = at;
        while (at < count && events[at].arrival_ns < end_ns)
            at++;
        double inside = (double)(at - first);
        total += inside;
        squares += inside * inside;
    }
    double n = (double)out->windows;
    double mean = total / n;
    double variance = (squares - n * mean * mean) / (n - 1);
    if (!(mean > 0))
        return;
    out->index = variance / mean;
    double below = chi_square_below((n - 1) * out->index, n - 1);
    double above = chi_square_above((n - 1) * out->index, n - 1);
    out->p_value = fmin(1, 2 * fmin(below, above));
}

void arrival_tests_run(struct arrival_tests *tests, const struct queue_event *events,
                       size_t count)
{
    *tests = (struct arrival_tests){
        .gaps = count > 1 ? count - 1 : 0,
        .mean_gap_s = NAN, .squared_cv = NAN, .zero_share = NAN, .lag1 = NAN,
        .lag1_p_value = NAN, .anderson_darling = NAN, .anderson_p_value = NAN,
        .distance = NAN,
    };
    if (tests->gaps > 0) {
        gap_moments(tests, events);
        test_law(tests, events);
    }
    for (size_t i = 0; i < DISPERSION_WINDOWS; i++) {
        struct dispersion *out = &tests->dispersion[i];
        *out = (struct dispersion){ .window_ns = windows_ns[i],
                                    .index = NAN, .p_value = NAN };
        if (count == 0)
            continue;
        int64_t span_ns = events[count - 1].arrival_ns - events[0].arrival_ns;
        out->windows = (size_t)(span_ns / windows_ns[i]);
        if (out->windows >= 2)
            count_windows(out, events, count);
    }
}
