#include "replay/plan_stats.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/anderson_darling.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"
#include "replay/arrivals_process.h"
#include "replay/gamma_law.h"

static const double TEST_WINDOW_S = 10;
static const double TEST_LEVEL = 0.05;
enum { TEST_GAPS_MIN = 20 };

const double dispersion_window_s[DISPERSION_WINDOWS] = { 0.1, 1, 10 };

/* Sorts values, count >= 1. */
static struct plan_lengths measure_lengths(double *values, size_t count)
{
    struct plan_lengths lengths = { 0 };
    quantile_sort(values, count);
    for (size_t i = 0; i < count; i++)
        lengths.sum += values[i];
    lengths.mean = lengths.sum / (double)count;
    lengths.p50 = quantile_of_sorted(values, count, 0.5);
    lengths.p99 = quantile_of_sorted(values, count, 0.99);
    lengths.max = values[count - 1];
    return lengths;
}

static double seconds_from_first(const struct plan *plan, size_t index)
{
    return (double)(plan->requests[index].due_ns - plan->requests[0].due_ns) / NS_PER_S;
}

/* Most requests in one of the seconds that follow each other from the first request
 * on. */
static double peak_count(const struct plan *plan)
{
    size_t peak = 0;
    size_t count = 0;
    int64_t window = -1;
    for (size_t i = 0; i < plan->count; i++) {
        int64_t at = (plan->requests[i].due_ns - plan->requests[0].due_ns) / NS_PER_S;
        count = at == window ? count + 1 : 1;
        window = at;
        peak = count > peak ? count : peak;
    }
    return (double)peak;
}

/* Variance over mean of the counts in whole windows; empty windows count. */
static double dispersion(const struct plan *plan, double window_s)
{
    double span_s = seconds_from_first(plan, plan->count - 1);
    double windows = floor(span_s / window_s);
    if (windows < 2)
        return NAN;
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < plan->count;) {
        double at = floor(seconds_from_first(plan, i) / window_s);
        double count = 0;
        for (; i < plan->count && floor(seconds_from_first(plan,
                                                           i) / window_s) == at; i++)
            count++;
        if (at >= windows)
            break;
        sum += count;
        squares += count * count;
    }
    double mean = sum / windows;
    return (squares - windows * mean * mean) / (windows - 1) / mean;
}

static double *gaps_of(const struct plan *plan)
{
    double *gaps = memory_new(plan->count - 1, sizeof *gaps);
    for (size_t i = 0; i + 1 < plan->count; i++)
        gaps[i] =
            (double)(plan->requests[i + 1].due_ns - plan->requests[i].due_ns) / NS_PER_S;
    return gaps;
}

static void measure_scatter(struct plan_stats *stats, const double *gaps, size_t count)
{
    double mean = stats->span_s / (double)count;
    double squares = 0;
    double products = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (gaps[i] - mean) * (gaps[i] - mean);
        if (i > 0)
            products += (gaps[i] - mean) * (gaps[i - 1] - mean);
    }
    if (count >= 2 && mean > 0)
        stats->gap_cv = sqrt(squares / (double)(count - 1)) / mean;
    if (count >= 2 && squares > 0)
        stats->gap_correlation = products / squares;
}

/* The step that all times are multiples of, as the trace gave them: 1 ms, 1 µs, … */
static double time_step_s(const struct plan *plan)
{
    int64_t step = 0;
    for (size_t i = 1; i < plan->count && step != 1; i++) {
        int64_t a = plan->requests[i].due_ns - plan->requests[i - 1].due_ns;
        while (a != 0) {
            int64_t rest = step % a;
            step = a;
            a = rest;
        }
    }
    return (double)step / NS_PER_S;
}

static double law_below(double x, double shape)
{
    if (x <= 0)
        return 0;
    return shape == 1 ? -expm1(-x) : gamma_law_below(shape, x * shape);
}

/* Replaces gaps by their places in the law, F(gap), ascending. Times are multiples of
 * a step, so equal gaps stand for values within a step of each other: they get places
 * spread evenly over it. */
static void place_in_law(double *gaps, size_t count, double mean, double shape,
                         double step)
{
    quantile_sort(gaps, count);
    for (size_t first = 0, end; first < count; first = end) {
        double low = law_below((gaps[first] - step / 2) / mean, shape);
        double high = law_below((gaps[first] + step / 2) / mean, shape);
        for (end = first + 1; end < count && gaps[end] - gaps[first] < step / 2; end++)
            continue;
        double width = (high - low) / (double)(end - first);
        for (size_t i = first; i < end; i++)
            gaps[i] = low + width * ((double)(i - first) + 0.5);
    }
}

/* How many of the 10-s windows, each for itself, reject exponential gaps at 5 %. */
static void test_windows(struct plan_stats *stats, const struct plan *plan, double step)
{
    double *gaps = memory_new(plan->count, sizeof *gaps);
    size_t rejecting = 0;
    size_t windows = 0;
    for (size_t i = 0; i < plan->count;) {
        double at = floor(seconds_from_first(plan, i) / TEST_WINDOW_S);
        double first = seconds_from_first(plan, i);
        double last = first;
        size_t count = 0;
        for (i++; i < plan->count; i++) {
            double now = seconds_from_first(plan, i);
            if (floor(now / TEST_WINDOW_S) != at)
                break;
            gaps[count++] = now - last;
            last = now;
        }
        if (count < TEST_GAPS_MIN || last == first)
            continue;
        place_in_law(gaps, count, (last - first) / (double)count, 1, step);
        double statistic = anderson_darling_statistic(gaps, count);
        rejecting += anderson_darling_p_value_exponential(statistic, count) < TEST_LEVEL;
        windows++;
    }
    if (windows > 0)
        stats->windows_rejecting = (double)rejecting / (double)windows;
    free(gaps);
}

static void test_gaps(struct plan_stats *stats, double *gaps, size_t count, double step,
                      const struct plan_options *options)
{
    struct arrivals_process process = { .law = ARRIVALS_SERVEGEN };
    struct fault ignored = { 0 };
    double mean = stats->span_s / (double)count;
    double shape = 1;
    if (options->arrivals != NULL)
        arrivals_process_parse(&process, options->arrivals, &ignored);
    if (process.law == ARRIVALS_CONSTANT || process.law == ARRIVALS_ONOFF || mean == 0)
        return;
    stats->test.law = "exponential";
    if (process.law == ARRIVALS_GAMMA) {
        stats->test.law = "gamma";
        shape = 1 / (process.cv * process.cv);
    }
    stats->test.mean_given = process.law != ARRIVALS_SERVEGEN;
    if (stats->test.mean_given)
        mean = 1 / options->rate_per_s;
    place_in_law(gaps, count, mean, shape, step);
    stats->test.statistic = anderson_darling_statistic(gaps, count);
    stats->test.p_value =
        stats->test.mean_given
            ? anderson_darling_p_value(stats->test.statistic, count)
            : anderson_darling_p_value_exponential(stats->test.statistic, count);
}

/* The requests that have a time of their own, in a plan that borrows all else: a turn
 * that waits for the answer before is listed at its session's start, where nothing will
 * be sent. */
static struct plan timed_part(const struct plan *plan)
{
    struct plan timed = *plan;
    int64_t *last_ns = memory_new(plan->sessions.count + 1, sizeof *last_ns);
    timed.requests = memory_new(plan->count, sizeof *timed.requests);
    timed.count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_request *request = &plan->requests[i];
        bool listed_with_turn_before = plan_request_waits(request) &&
                                       request->due_ns == last_ns[request->session];
        if (request->session != SESSION_NONE)
            last_ns[request->session] = request->due_ns;
        if (!listed_with_turn_before)
            timed.requests[timed.count++] = *request;
    }
    free(last_ns);
    return timed;
}

static void measure_times(struct plan_stats *stats, const struct plan *plan,
                          const struct plan_options *options)
{
    stats->span_s = seconds_from_first(plan, plan->count - 1);
    stats->peak_per_s = peak_count(plan);
    for (size_t i = 1; i < plan->count; i++)
        stats->equal_times += plan->requests[i].due_ns == plan->requests[i - 1].due_ns;
    for (int i = 0; i < DISPERSION_WINDOWS; i++)
        stats->dispersion[i] = dispersion(plan, dispersion_window_s[i]);
    if (plan->count < 2)
        return;
    double *gaps = gaps_of(plan);
    measure_scatter(stats, gaps, plan->count - 1);
    double step = time_step_s(plan);
    test_gaps(stats, gaps, plan->count - 1, step, options);
    test_windows(stats, plan, step);
    free(gaps);
}

static void measure_all_lengths(struct plan_stats *stats, const struct plan *plan)
{
    double *values = memory_new(plan->count, sizeof *values);
    for (size_t i = 0; i < plan->count; i++)
        values[i] = plan->requests[i].input_tokens;
    stats->input = measure_lengths(values, plan->count);
    for (size_t i = 0; i < plan->count; i++)
        values[i] = plan->requests[i].output_tokens;
    stats->output = measure_lengths(values, plan->count);
    free(values);
}

/* Tokens in the blocks at the start of the prompt that requests before had all of. */
static double shared_of(struct plan_stats *stats, const struct plan *plan,
                        const struct plan_request *request, struct name_table *seen)
{
    struct block_cursor blocks = plan_blocks(plan, request);
    double shared = 0;
    bool leading = true;
    for (uint32_t i = 0; i < request->block_count; i++) {
        uint64_t id = block_cursor_next(&blocks);
        size_t known = seen->count;
        name_table_add(seen, (const char *)&id, sizeof id);
        leading = leading && seen->count == known;
        if (leading)
            shared += request->block_tokens;
    }
    stats->blocks += request->block_count;
    return fmin(shared, request->input_tokens);
}

static void measure_prefixes(struct plan_stats *stats, const struct plan *plan)
{
    struct name_table seen = { 0 };
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->requests[i].block_count > 0)
            stats->shared_tokens += shared_of(stats, plan, &plan->requests[i], &seen);
    }
    stats->distinct_blocks = seen.count;
    name_table_release(&seen);
}

void plan_stats_compute(struct plan_stats *stats, const struct plan *plan,
                        const struct plan_options *options)
{
    *stats = (struct plan_stats){
        .count = plan->count,
        .span_s = NAN,
        .mean_per_s = NAN,
        .peak_per_s = NAN,
        .gap_cv = NAN,
        .gap_correlation = NAN,
        .windows_rejecting = NAN,
        .dispersion = { NAN, NAN, NAN },
        .test = { .statistic = NAN, .p_value = NAN },
        .sessions = plan->sessions.count,
    };
    if (plan->has_times) {
        struct plan timed = timed_part(plan);
        measure_times(stats, &timed, options);
        stats->waiting_turns = plan->count - timed.count;
        free(timed.requests);
    }
    if (stats->span_s > 0)
        stats->mean_per_s = (double)(plan->count - 1) / stats->span_s;
    measure_all_lengths(stats, plan);
    measure_prefixes(stats, plan);
}
