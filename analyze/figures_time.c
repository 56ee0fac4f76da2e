/* Figures along the time of a run: timeline, gantt. */
#include <math.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum { BINS = 200, DOTS_MAX = 1500, GANTT_ROWS = 40 };

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

static size_t bin_of(struct span span, int64_t at_ns)
{
    double place =
        (double)(at_ns - span.from_ns) / ((double)(span.to_ns - span.from_ns) + 1);
    return place <= 0 ? 0 : place >= 1 ? BINS - 1 : (size_t)(place * BINS);
}

static void add_to_bins(struct bin *bins, struct span span,
                        const struct request_sample *sample)
{
    double ttft_s;
    if (sample->due_ns == TIME_NONE)
        return;
    bins[bin_of(span, sample->due_ns)].planned++;
    if (sample->sent_ns == TIME_NONE)
        return;
    struct bin *bin = &bins[bin_of(span, sample->sent_ns)];
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

/* Requests that were sent and not yet over, at the middle of each bin. */
static void add_rates(struct figure *figure, const struct collection *collection,
                      const struct bin *bins, struct span span)
{
    int64_t *sent = memory_new(collection->count, sizeof *sent);
    int64_t *ended = memory_new(collection->count, sizeof *ended);
    size_t count = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->sent_ns == TIME_NONE || sample->end_ns == TIME_NONE)
            continue;
        sent[count] = sample->sent_ns;
        ended[count++] = sample->end_ns;
    }
    quantile_sort_int(sent, count);
    quantile_sort_int(ended, count);
    double width_ns = (double)(span.to_ns - span.from_ns) / BINS;
    for (size_t i = 0; i < BINS; i++) {
        int64_t at_ns = span.from_ns + (int64_t)(width_ns * ((double)i + 0.5));
        double flying = (double)count_up_to(sent, count, at_ns) -
                        (double)count_up_to(ended, count, at_ns);
        double row[] = { seconds_in(span, at_ns), flying,
                         bins[i].planned / width_ns * NS_PER_S,
                         bins[i].sent / width_ns * NS_PER_S,
                         bins[i].highest_ttft_s > 0 ? bins[i].highest_ttft_s * 1e3
                                                    : NAN };
        figure_row(figure, row, 5);
    }
    free(sent);
    free(ended);
}

static void add_dots(struct figure *figure, const struct collection *collection,
                     struct span span, struct figure_range *range)
{
    size_t step = collection->count / DOTS_MAX + 1;
    for (size_t i = 0; i < collection->count; i += step) {
        const struct request_sample *sample = &collection->samples[i];
        double ttft_s;
        if (!metric_value(sample, METRIC_TTFT, BY_ARRIVAL, &ttft_s))
            continue;
        double row[] = { seconds_in(span, sample->sent_ns), ttft_s * 1e3 };
        figure_row(figure, row, 2);
        figure_range_add(range, row[1], true);
    }
}

static void timeline_script(struct figure *figure, double seconds,
                            struct figure_range range)
{
    figure_panels(figure, 3, 0.9);
    figure_panel(figure, 0, 3, "time (s)", "in flight");
    figure_line(figure, "set xrange [0:%.4g]\nset yrange [0:*]", seconds);
    figure_line(figure, "plot 'timeline.dat' index 0 using 1:2 with lines lt 1 notitle");
    figure_panel(figure, 1, 3, "time (s)", "requests/s");
    figure_line(figure, "set xrange [0:%.4g]\nset yrange [0:*]", seconds);
    figure_line(figure, "plot 'timeline.dat' index 0 using 1:3 with steps lt 1 title "
                "'planned', '' index 0 using 1:4 with steps lt 2 title 'sent'");
    figure_panel(figure, 2, 3, "time (s)", "TTFT (ms)");
    figure_line(figure, "set xrange [0:%.4g]", seconds);
    figure_log_axis(figure, "y", range);
    figure_line(figure, "plot 'timeline.dat' index 1 using 1:2 with points lt 6 pt 7 "
                "ps 0.2 title 'requests', '' index 0 using 1:5 with points lt 2 ps 0.2 "
                "title 'highest'");
}

void plot_timeline(struct figure *figure, struct plot_input *input)
{
    const struct collection *collection = &input->runs[0].analysis.collection;
    struct span span = span_of(collection);
    if (span.from_ns >= span.to_ns || collection->epoch_count != 1) {
        figure_refuse(figure, "it needs one run that took some time");
        return;
    }
    struct bin *bins = memory_new(BINS, sizeof *bins);
    struct figure_range range = FIGURE_RANGE_EMPTY;
    for (size_t i = 0; i < collection->count; i++)
        add_to_bins(bins, span, &collection->samples[i]);
    for (size_t i = 0; i < BINS; i++)
        figure_range_add(&range, bins[i].highest_ttft_s * 1e3, true);
    figure_remark(figure, "Time is since the first due request. Columns of the first "
                  "block: time (s), requests in flight,");
    figure_remark(figure, "planned (1/s), sent (1/s), highest TTFT by arrival of those "
                  "sent (ms);");
    figure_remark(figure, "of the second, a sample of requests: time of sending (s), "
                  "TTFT (ms).");
    figure_block(figure, "bins");
    add_rates(figure, collection, bins, span);
    figure_block(figure, "requests");
    add_dots(figure, collection, span, &range);
    timeline_script(figure, seconds_in(span, span.to_ns), range);
    free(bins);
}

static int compare_due(const void *left, const void *right)
{
    const struct request_sample *a = *(const struct request_sample *const *)left;
    const struct request_sample *b = *(const struct request_sample *const *)right;
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void gantt_script(struct figure *figure, size_t rows)
{
    static const char *const parts[] = { "send lag", "queue + prefill", "decode",
                                         "receive lag" };
    static const int styles[] = { 2, 5, 6, 4 };
    figure_panels(figure, 1, 2.2);
    figure_panel(figure, 0, 1, "time (s)", "requests by due time");
    figure_line(figure, "set key maxcols 4 samplen 1");
    figure_line(figure, "set yrange [%zu.5:-0.5] noreverse", rows - 1);
    figure_line(figure, "set style fill solid 1 noborder");
    buffer_append_text(&figure->script, "plot");
    for (size_t i = 0; i < 4; i++)
        buffer_printf(&figure->script, "%s 'gantt.dat' index 0 using %zu:1:%zu:%zu:"
                      "($1-0.35):($1+0.35) with boxxyerror lt %d dt 1 title '%s'",
                      i > 0 ? "," : "", i + 3, i + 3, i + 4, styles[i], parts[i]);
    buffer_append_byte(&figure->script, '\n');
}

/* A window of requests around the middle of the run. */
void plot_gantt(struct figure *figure, struct plot_input *input)
{
    const struct collection *collection = &input->runs[0].analysis.collection;
    const struct request_sample **order = memory_new(collection->count, sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns != TIME_NONE && sample->sent_ns != TIME_NONE &&
            sample->arrival.last_ns != TIME_NONE)
            order[count++] = sample;
    }
    if (count == 0) {
        figure_refuse(figure, "no request has all its times");
        free(order);
        return;
    }
    qsort(order, count, sizeof *order, compare_due);
    size_t rows = count < GANTT_ROWS ? count : GANTT_ROWS;
    size_t first = (count - rows) / 2;
    struct span span = span_of(collection);
    figure_remark(figure, "Columns: place, row of the plan, then times since the first "
                  "due request (s):");
    figure_remark(figure, "due, sent, first token by arrival, last token by arrival, "
                  "last token by app.");
    figure_block(figure, "requests");
    for (size_t i = 0; i < rows; i++) {
        const struct request_sample *sample = order[first + i];
        int64_t app_ns = sample->app.last_ns != TIME_NONE ? sample->app.last_ns
                                                          : sample->arrival.last_ns;
        double row[] = { (double)i, (double)sample->row,
                         seconds_in(span, sample->due_ns),
                         seconds_in(span, sample->sent_ns),
                         seconds_in(span, sample->arrival.first_ns),
                         seconds_in(span, sample->arrival.last_ns),
                         seconds_in(span, app_ns) };
        figure_row(figure, row, 7);
    }
    gantt_script(figure, rows);
    free(order);
}
