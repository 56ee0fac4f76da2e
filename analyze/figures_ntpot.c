/* The figure of what NTPOT is made of. */
#include <math.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

enum { LENGTH_BINS = 8 };

/* Of requests whose inputs are of like length. */
struct length_bin {
    double input;
    double output;
    double total_s;
    double prefill_s;
    double decode_s;
    double count;
};

/* Input tokens of a request that has all that the parts need. */
static bool parts_input(const struct request_sample *sample, double *input,
                        double *total_s)
{
    return sample->outcome == OUTCOME_OK && sample->output_tokens > 0 &&
           metric_uncached_input(sample, input) &&
           metric_choices_e2e(sample, BY_ARRIVAL, total_s);
}

static void add_parts(struct length_bin *bin, const struct request_sample *sample,
                      const struct ntpot_parts *parts)
{
    double input;
    double total_s;
    double tpot_s;
    if (!parts_input(sample, &input, &total_s))
        return;
    if (!metric_value(sample, METRIC_TPOT, BY_ARRIVAL, &tpot_s))
        tpot_s = parts->decode_s;
    if (isnan(tpot_s))
        return;
    bin->count++;
    bin->input += input;
    bin->output += sample->output_tokens;
    bin->total_s += total_s;
    bin->prefill_s +=
        parts->prefill.reason ? 0 : input * parts->prefill.slope * sample->choices;
    bin->decode_s += sample->output_tokens * tpot_s;
}

/* Ends of bins with like numbers of requests; returns how many bins. */
static size_t length_ends(const struct collection *collection, double *ends)
{
    double *inputs = memory_new(collection->count, sizeof *inputs);
    double total_s;
    size_t count = 0;
    size_t bins = 0;
    for (size_t i = 0; i < collection->count; i++)
        count += parts_input(&collection->samples[i], &inputs[count], &total_s);
    quantile_sort(inputs, count);
    for (size_t i = 1; count > 0 && i <= LENGTH_BINS; i++) {
        double end = quantile_of_sorted(inputs, count, (double)i / LENGTH_BINS);
        if (bins == 0 || end > ends[bins - 1])
            ends[bins++] = end;
    }
    free(inputs);
    return bins;
}

/* "153", "1.9k", "131k", "2.1M". */
static void append_tokens(struct buffer *text, double tokens)
{
    if (tokens < 999.5)
        buffer_printf(text, "%.0f", tokens);
    else if (tokens < 999500)
        buffer_printf(text, tokens < 9950 ? "%.1fk" : "%.0fk", tokens / 1e3);
    else
        buffer_printf(text, "%.1fM", tokens / 1e6);
}

/* Bars beside each other, named by their mean input. */
static void set_lengths(struct figure *figure, const struct length_bin *bins,
                        size_t count)
{
    size_t place = 0;
    buffer_append_text(&figure->script, "set xtics scale 0 (");
    for (size_t i = 0; i < count; i++) {
        if (bins[i].count == 0)
            continue;
        buffer_append_text(&figure->script, place > 0 ? ", '" : "'");
        append_tokens(&figure->script, bins[i].input / bins[i].count);
        buffer_printf(&figure->script, "' %zu", place++);
    }
    buffer_append_text(&figure->script, ")\n");
    figure_line(figure, "set xrange [-0.6:%zu-0.4]", place);
}

/* Colours that are apart in grey too. */
static void ntpot_script(struct figure *figure, const struct length_bin *bins,
                         size_t count, bool prefill_known, struct figure_range range)
{
    const struct figure_key key = { prefill_known ? 3 : 2, 15 };
    figure_panels(figure, 1, 1.7, &key);
    figure_panel(figure, 0, "input tokens to compute", "ms per output token");
    figure_linear_axis(figure, "y", range.low, range.high * 1.05);
    set_lengths(figure, bins, count);
    figure_line(figure, "set style data histograms\nset style histogram rowstacked");
    figure_line(figure, "set boxwidth 0.75\nset style fill solid 1 noborder");
    figure_curve(figure, 0, "using 6 lt 1 dt 1 title 'decode'");
    if (prefill_known)
        figure_curve(figure, 0, "using 5 lt 5 dt 1 fs solid 0.5 title 'prefill'");
    figure_curve(figure, 0, "using 4 lt 6 dt 1 title '%s'",
                 prefill_known ? "queue, rest" : "queue + prefill");
    figure_panel_end(figure);
}

void plot_ntpot(struct figure *figure, struct plot_input *input, size_t item)
{
    const struct analysis *analysis = &input->runs[item].analysis;
    const struct collection *collection = &analysis->collection;
    const struct ntpot_parts *parts = &analysis->summary.parts;
    struct length_bin bins[LENGTH_BINS] = { 0 };
    double ends[LENGTH_BINS];
    size_t count = length_ends(collection, ends);
    if (count == 0) {
        figure_refuse(figure, "no request with a known number of input tokens");
        return;
    }
    for (size_t i = 0; i < collection->count; i++) {
        double tokens;
        size_t bin = 0;
        if (!metric_uncached_input(&collection->samples[i], &tokens))
            continue;
        while (bin + 1 < count && tokens > ends[bin])
            bin++;
        add_parts(&bins[bin], &collection->samples[i], parts);
    }
    figure_remark(figure, "Parts of NTPOT by arrival, requests in bins of input length. "
                          "Columns: mean input tokens to compute,");
    figure_remark(figure, "requests, NTPOT (ms per output token), of this: queue and the "
                          "rest, prefill, decode.");
    if (parts->prefill.reason)
        figure_remark(figure, "Prefill is not identifiable: it is in the fourth column.");
    figure_block(figure, "lengths");
    struct figure_range range = { 0, 0 }; /* of the stacks, which may go below 0 */
    for (size_t i = 0; i < count; i++) {
        const struct length_bin *bin = &bins[i];
        if (bin->count == 0)
            continue;
        double per_ms = 1e3 / bin->output;
        double rest_s = bin->total_s - bin->prefill_s - bin->decode_s;
        double row[] = { bin->input / bin->count, bin->count,
                         bin->total_s * per_ms,   rest_s * per_ms,
                         bin->prefill_s * per_ms, bin->decode_s * per_ms };
        figure_row(figure, row, 6);
        figure_range_add(&range, row[3], false);
        figure_range_add(&range, fmax(row[3], 0) + row[4] + row[5], false);
    }
    ntpot_script(figure, bins, count, !parts->prefill.reason, range);
}
