/* The figure of gaps between tokens: a violin for each run, and for each stage of the
 * profiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/ordered.h"
#include "analyze/plot_input.h"
#include "formats/base/memory.h"

enum { VIOLIN_BINS = 80 };

static const double ms_per_s = 1e3;

struct violin {
    struct buffer name;
    struct ordered gaps;
};

struct violins {
    struct violin *items;
    size_t count;
    size_t capacity;
};

static void violins_release(struct violins *violins)
{
    for (size_t i = 0; i < violins->count; i++) {
        buffer_release(&violins->items[i].name);
        ordered_release(&violins->items[i].gaps);
    }
    free(violins->items);
}

static struct violin *add_violin(struct violins *violins)
{
    violins->items = memory_grow(violins->items, violins->count, &violins->capacity,
                                 sizeof *violins->items);
    violins->items[violins->count] = (struct violin){ .name = BUFFER_INIT };
    return &violins->items[violins->count++];
}

static int add_stages(struct violins *violins, const struct plot_sweep *sweep,
                      struct fault *fault)
{
    int status = STATUS_OK;
    const struct latency_profile *profile = &sweep->profile;
    for (size_t i = profile->ladder; status == STATUS_OK && i < profile->count; i++) {
        struct violin *violin = add_violin(violins);
        buffer_printf(&violin->name, "%.4g/s", profile->rows[i].planned_per_s);
        status = plot_stage_gaps(&violin->gaps, sweep, i, fault);
    }
    return status;
}

static int violins_of(struct violins *violins, const struct plot_input *input,
                      struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < input->run_count; i++) {
        struct violin *violin = add_violin(violins);
        buffer_append_text(&violin->name, buffer_text(&input->runs[i].label));
        violin->gaps =
            ordered_of(&input->runs[i].analysis.collection, SLO_ITL, BY_ARRIVAL);
    }
    for (size_t i = 0; status == STATUS_OK && i < input->sweep_count; i++)
        status = add_stages(violins, &input->sweeps[i], fault);
    return status;
}

/* Where the axis may begin for these gaps: below all but a few, and above those that came
 * out of one read, apart by next to nothing, as long as these are few. */
static double lowest_ms(const struct ordered *gaps)
{
    static const double quantiles[] = { 0.0005, 0.01, 0.1, 0.5, 1 };
    enum { FEW = 3, ALL = sizeof quantiles / sizeof *quantiles };
    double highest_ms = ordered_quantile(gaps, 1) * ms_per_s;
    for (size_t i = 0; i < FEW + ALL; i++) {
        double ms = ordered_quantile(gaps, quantiles[i < FEW ? i : i - FEW]) * ms_per_s;
        if (ms > (i < FEW ? highest_ms / 1e4 : 0))
            return ms;
    }
    return NAN;
}

static struct figure_range range_of(const struct violins *violins)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    for (size_t i = 0; i < violins->count; i++) {
        const struct ordered *gaps = &violins->items[i].gaps;
        figure_range_add(&range, lowest_ms(gaps), true);
        figure_range_add(&range, ordered_quantile(gaps, 1) * ms_per_s, true);
    }
    if (range.low == range.high) {
        range.low /= 1.1;
        range.high *= 1.1;
    }
    return range;
}

/* Half-widths of a violin: the share of gaps in bins of equal width on a log scale, the
 * widest scaled to 0.4. Those below the range, which came out of one read, would stand as
 * one bar at its foot. */
static void add_shape(struct figure *figure, const struct histogram *gaps,
                      struct figure_range range)
{
    double shares[VIOLIN_BINS] = { 0 };
    double most = 0;
    double span = log(range.high / range.low);
    for (size_t i = 0; gaps->counts && i < HISTOGRAM_BUCKETS; i++) {
        double ms = histogram_bucket_middle(i) / 1e6;
        if (gaps->counts[i] == 0 || ms < range.low * (1 - HISTOGRAM_RELATIVE_ERROR))
            continue;
        double place = ms > range.low ? log(ms / range.low) / span : 0;
        size_t bin = place < 1 ? (size_t)(place * VIOLIN_BINS) : VIOLIN_BINS - 1;
        shares[bin] += (double)gaps->counts[i];
        most = shares[bin] > most ? shares[bin] : most;
    }
    for (size_t i = 0; most > 0 && i < VIOLIN_BINS; i++) {
        double ms = range.low * exp(span * ((double)i + 0.5) / VIOLIN_BINS);
        double row[] = { ms, 0.4 * shares[i] / most,
                         shares[i] / (double)gaps->moments.count };
        figure_row(figure, row, 3);
    }
}

static void add_quantiles(struct figure *figure, const struct violins *violins)
{
    for (size_t i = 0; i < violins->count; i++) {
        const struct ordered *gaps = &violins->items[i].gaps;
        double row[] = { (double)i + 1, ordered_quantile(gaps, 0.5) * ms_per_s,
                         ordered_quantile(gaps, 0.99) * ms_per_s };
        figure_row(figure, row, 3);
    }
}

/* Inches of a line of text, and of a character. */
static const double line_in = 0.13;
static const double character_in = 0.06;

/* Names stand upright where they would meet, in room below the panel. */
static bool name_panel(struct figure *figure, const struct violins *violins)
{
    static const struct figure_key key = { 2, 6 };
    size_t longest = 0;
    for (size_t i = 0; i < violins->count; i++) {
        size_t width = figure_label_width(buffer_text(&violins->items[i].name));
        longest = width > longest ? width : longest;
    }
    double name_in = (double)longest * character_in;
    double place_in = (figure->width_in - 1) / (double)violins->count;
    bool upright = name_in + character_in > place_in;
    figure->names_in = upright ? name_in - 0.2 : 0;
    figure_panels(figure, 1, 1.7, &key);
    return upright;
}

/* As many as there is room for. In a tic "%" begins a format. */
static void set_names(struct figure *figure, const struct violins *violins, bool upright)
{
    double place_in = (figure->width_in - 1) / (double)violins->count;
    size_t step = (size_t)(line_in / place_in) + 1;
    struct buffer *script = &figure->script;
    if (upright)
        figure_line(figure, "set xtics rotate by 90 right offset 0,0");
    buffer_append_text(script, "set xtics (");
    for (size_t i = 0; i < violins->count; i += step) {
        buffer_append_text(script, i > 0 ? ", '" : "'");
        for (const char *at = buffer_text(&violins->items[i].name); *at; at++) {
            buffer_append_text(script, *at == '%' ? "%" : "");
            buffer_append_byte(script, *at);
        }
        buffer_printf(script, "' %zu", i + 1);
    }
    buffer_append_text(script, ")\n");
}

static void itl_script(struct figure *figure, const struct violins *violins,
                       struct figure_range range)
{
    double half = pow(range.high / range.low, 0.5 / VIOLIN_BINS);
    bool upright = name_panel(figure, violins);
    figure_panel(figure, 0, "", "gap between token events (ms)");
    figure_log_axis(figure, "y", range);
    figure_line(figure, "set xrange [0.4:%zu.6]", violins->count);
    set_names(figure, violins, upright);
    figure_line(figure, "set style fill solid 0.5 noborder");
    for (size_t i = 0; i < violins->count; i++)
        figure_curve(figure, i,
                     "using (%zu):1:(%zu-$2):(%zu+$2):($1/%.6g):($1*%.6g) "
                     "with boxxyerror lt 6 dt 1 notitle",
                     i + 1, i + 1, i + 1, half, half);
    figure_curve(figure, violins->count,
                 "using 1:2 with points lt 7 ps 0.6*mark "
                 "title 'median'");
    figure_curve(figure, violins->count,
                 "using 1:3 with points lt 7 pt 9 ps "
                 "0.6*mark title 'p99'");
    figure_panel_end(figure);
}

void plot_itl(struct figure *figure, struct plot_input *input, size_t item)
{
    (void)item;
    struct violins violins = { 0 };
    struct fault fault = { 0 };
    if (violins_of(&violins, input, &fault) < 0) {
        figure_refuse(figure, "%s", fault.text);
        goto done;
    }
    struct figure_range range = range_of(&violins);
    if (range.low > range.high) {
        figure_refuse(figure, "no gaps between tokens");
        goto done;
    }
    figure_remark(figure, "Gaps between token events by arrival, of the requests that "
                          "succeeded; a block for each run, then");
    figure_remark(figure, "for each stage of a profile, of its steady part. Columns: gap "
                          "(ms), half-width of the violin,");
    figure_remark(figure, "share of the gaps in this bin; shorter ones are left out. "
                          "Last block: place, median (ms), p99 (ms).");
    for (size_t i = 0; i < violins.count; i++) {
        figure_block(figure, "%s", buffer_text(&violins.items[i].name));
        add_shape(figure, &violins.items[i].gaps.histogram, range);
    }
    figure_block(figure, "quantiles");
    add_quantiles(figure, &violins);
    itl_script(figure, &violins, range);
done:
    violins_release(&violins);
}
