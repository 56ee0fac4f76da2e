/* The figure along the time of a run. */
#include <math.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "analyze/stalls.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum { BINS_MIN = 20, BINS_MAX = 200, REQUESTS_PER_BIN = 8, DOTS_MAX = 1500 };

struct bin {
    double planned;
    double sent;
    double highest_ttft_s;
};

struct span {
    int64_t from_ns;
    int64_t to_ns;
};

static struct span span_of(const struct collection *collection)
{
    struct span span = { INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns == TIME_NONE)
            continue;
        int64_t end_ns =
            sample->end_ns > sample->due_ns ? sample->end_ns : sample->due_ns;
        span.from_ns = sample->due_ns < span.from_ns ? sample->due_ns : span.from_ns;
        span.to_ns = end_ns > span.to_ns ? end_ns : span.to_ns;
    }
    return span;
}

/* A run cut into spans of equal length. */
struct bins {
    struct bin *items;
    size_t count;
    struct span span;
};

/* Rates over a few requests would be noise. */
static size_t bins_for(size_t requests)
{
    size_t count = requests / REQUESTS_PER_BIN;
    return count < BINS_MIN ? BINS_MIN : count > BINS_MAX ? BINS_MAX : count;
}

static struct bin *bin_at(const struct bins *bins, int64_t at_ns)
{
    double place = (double)(at_ns - bins->span.from_ns) /
                   ((double)(bins->span.to_ns - bins->span.from_ns) + 1);
    size_t i = place <= 0   ? 0
               : place >= 1 ? bins->count - 1
                            : (size_t)(place * (double)bins->count);
    return &bins->items[i];
}

static void add_to_bins(const struct bins *bins, const struct request_sample *sample)
{
    double ttft_s;
    if (sample->due_ns == TIME_NONE)
        return;
    bin_at(bins, sample->due_ns)->planned++;
    if (sample->sent_ns == TIME_NONE)
        return;
    struct bin *bin = bin_at(bins, sample->sent_ns);
    bin->sent++;
    if (metric_value(sample, METRIC_TTFT, BY_ARRIVAL, &ttft_s) &&
        ttft_s > bin->highest_ttft_s)
        bin->highest_ttft_s = ttft_s;
}

static size_t count_up_to(const int64_t *sorted, size_t count, int64_t at_ns)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double seconds_in(struct span span, int64_t at_ns)
{
    return (double)(at_ns - span.from_ns) / NS_PER_S;
}

/* Moments of the requests that were sent, sorted. */
struct flights {
    int64_t *sent_ns;
    int64_t *ended_ns;
    size_t count;
};

static struct flights flights_of(const struct collection *collection)
{
    struct flights flights = {
        .sent_ns = memory_new(collection->count, sizeof *flights.sent_ns),
        .ended_ns = memory_new(collection->count, sizeof *flights.ended_ns),
    };
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->sent_ns == TIME_NONE || sample->end_ns == TIME_NONE)
            continue;
        flights.sent_ns[flights.count] = sample->sent_ns;
        flights.ended_ns[flights.count++] = sample->end_ns;
    }
    quantile_sort_int(flights.sent_ns, flights.count);
    quantile_sort_int(flights.ended_ns, flights.count);
    return flights;
}

/* What the axes have to show. */
struct timeline_ranges {
    double seconds;
    double flying;
    double rate_per_s;
    struct figure_range ttft_ms;
    struct figure_range stall_ms;
};

static double or_none(double ms)
{
    return ms > 0 ? ms : NAN;
}

/* Requests that were sent and not yet over are those at the middle of each bin. */
static void add_bins(struct figure *figure, const struct collection *collection,
                     const struct bins *bins, const struct stall_bin *stalls,
                     struct timeline_ranges *ranges)
{
    struct flights flights = flights_of(collection);
    double width_ns =
        (double)(bins->span.to_ns - bins->span.from_ns) / (double)bins->count;
    figure_block(figure, "bins");
    for (size_t i = 0; i < bins->count; i++) {
        const struct bin *bin = &bins->items[i];
        double offset_ns = width_ns * ((double)i + 0.5);
        int64_t at_ns = bins->span.from_ns + (int64_t)offset_ns;
        double row[] = { offset_ns / NS_PER_S,
                         (double)count_up_to(flights.sent_ns, flights.count, at_ns) -
                             (double)count_up_to(flights.ended_ns, flights.count, at_ns),
                         bin->planned / width_ns * NS_PER_S,
                         bin->sent / width_ns * NS_PER_S,
                         or_none(bin->highest_ttft_s * 1e3),
                         or_none((double)stalls[i].iteration_ns / 1e6) };
        figure_row(figure, row, 6);
        ranges->flying = fmax(ranges->flying, row[1]);
        ranges->rate_per_s = fmax(ranges->rate_per_s, fmax(row[2], row[3]));
        figure_range_add(&ranges->ttft_ms, row[4], true);
        figure_range_add(&ranges->stall_ms, row[5], true);
    }
    free(flights.sent_ns);
    free(flights.ended_ns);
}

static void add_dots(struct figure *figure, const struct collection *collection,
                     const struct span *span, struct figure_range *range)
{
    size_t step = collection->count / DOTS_MAX + 1;
    figure_block(figure, "requests");
    for (size_t i = 0; i < collection->count; i += step) {
        const struct request_sample *sample = &collection->samples[i];
        double ttft_s;
        if (!metric_value(sample, METRIC_TTFT, BY_ARRIVAL, &ttft_s))
            continue;
        double row[] = { seconds_in(*span, sample->sent_ns), ttft_s * 1e3 };
        figure_row(figure, row, 2);
        figure_range_add(range, row[1], true);
    }
}

static void add_silences(struct figure *figure, const struct bins *bins,
                         const struct stall_bin *stalls, struct figure_range *range)
{
    figure_block(figure, "silences");
    for (size_t i = 0; i < bins->count; i++) {
        double from_s = seconds_in(bins->span, stalls[i].silence_from_ns);
        double row[] = { from_s, from_s + (double)stalls[i].silence_ns / NS_PER_S,
                         (double)stalls[i].silence_ns / 1e6 };
        if (stalls[i].silence_ns > 0)
            figure_row(figure, row, 3);
        figure_range_add(range, row[2], true);
    }
}

static void begin_panel(struct figure *figure, size_t panel, const char *label,
                        double seconds, double highest)
{
    figure_panel(figure, panel, "time (s)", label);
    figure_linear_axis(figure, "x", 0, seconds);
    figure_linear_axis(figure, "y", 0, highest * 1.05);
}

static void timeline_script(struct figure *figure, const struct timeline_ranges *ranges,
                            bool loops)
{
    enum { BLOCK_BINS, BLOCK_REQUESTS, BLOCK_SILENCES };
    static const struct figure_key keys[] = { { 0, 0 }, { 2, 7 }, { 2, 8 }, { 2, 11 } };
    figure_panels(figure, 4, 0.85, keys);
    begin_panel(figure, 0, "in flight", ranges->seconds, ranges->flying);
    figure_curve(figure, BLOCK_BINS, "using 1:2 with lines lt 1 notitle");
    figure_panel_end(figure);
    begin_panel(figure, 1, "requests/s", ranges->seconds, ranges->rate_per_s);
    figure_curve(figure, BLOCK_BINS, "using 1:3 with histeps lt 1 title 'planned'");
    figure_curve(figure, BLOCK_BINS, "using 1:4 with histeps lt 2 title 'sent'");
    figure_panel_end(figure);
    begin_panel(figure, 2, "TTFT (ms)", ranges->seconds, 0);
    figure_log_axis(figure, "y", ranges->ttft_ms);
    figure_curve(figure, BLOCK_REQUESTS,
                 "using 1:2 with points lt 6 pt 7 ps 0.2*mark "
                 "title 'requests'");
    if (ranges->ttft_ms.low <= ranges->ttft_ms.high)
        figure_curve(figure, BLOCK_BINS,
                     "using 1:5 with points lt 2 pt 4 ps 0.4*mark "
                     "title 'highest'");
    figure_panel_end(figure);
    begin_panel(figure, 3, "stall (ms)", ranges->seconds, 0);
    figure_log_axis(figure, "y", ranges->stall_ms);
    figure_curve(figure, BLOCK_SILENCES,
                 "using 1:3:($2-$1):(0) with vectors nohead lt 2 "
                 "dt 1 lw 2 title 'answer'");
    figure_curve(figure, BLOCK_SILENCES,
                 "using 2:3 with points lt 2 ps 0.2*mark "
                 "notitle");
    if (loops)
        figure_curve(figure, BLOCK_BINS,
                     "using 1:6 with histeps lt 1 dt (4,2) title "
                     "'client loop'");
    figure_panel_end(figure);
}

static void describe_timeline(struct figure *figure)
{
    figure_remark(figure, "Time is since the first due request. Columns of bins: time "
                          "(s), requests in flight, planned (1/s),");
    figure_remark(figure, "sent (1/s), highest TTFT by arrival of those sent (ms), "
                          "longest iteration of a client's loop (ms).");
    figure_remark(figure, "Of requests, a sample: time of sending (s), TTFT (ms).");
    figure_remark(figure, "Of silences, the longest that ends in each bin: from (s), to "
                          "(s), time without a token of an answer");
    figure_remark(figure, "that had begun (ms), by arrival; where it failed, up to its "
                          "end.");
}

static bool has_loops(const struct stall_bin *stalls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stalls[i].iteration_ns > 0)
            return true;
    return false;
}

static void add_timeline(struct figure *figure, const struct collection *collection,
                         const struct bins *bins, const struct stall_bin *stalls)
{
    struct timeline_ranges ranges = {
        .seconds = seconds_in(bins->span, bins->span.to_ns),
        .ttft_ms = FIGURE_RANGE_EMPTY,
        .stall_ms = FIGURE_RANGE_EMPTY,
    };
    for (size_t i = 0; i < collection->count; i++)
        add_to_bins(bins, &collection->samples[i]);
    describe_timeline(figure);
    add_bins(figure, collection, bins, stalls, &ranges);
    add_dots(figure, collection, &bins->span, &ranges.ttft_ms);
    add_silences(figure, bins, stalls, &ranges.stall_ms);
    timeline_script(figure, &ranges, has_loops(stalls, bins->count));
}

void plot_timeline(struct figure *figure, struct plot_input *input, size_t item)
{
    const struct plot_run *run = &input->runs[item];
    const struct collection *collection = &run->analysis.collection;
    struct fault fault = { 0 };
    struct bins bins = { .count = bins_for(collection->count),
                         .span = span_of(collection) };
    if (bins.span.from_ns >= bins.span.to_ns || collection->epoch_count != 1) {
        figure_refuse(figure, "it needs one run, with one clock, that took some time");
        return;
    }
    bins.items = memory_new(bins.count, sizeof *bins.items);
    struct stall_bin *stalls = memory_new(bins.count, sizeof *stalls);
    if (stalls_read(stalls, bins.count, bins.span.from_ns, bins.span.to_ns, run->path,
                    &fault) < 0)
        figure_refuse(figure, "%s", fault.text);
    else
        add_timeline(figure, collection, &bins, stalls);
    free(stalls);
    free(bins.items);
}
