/* Figures over loads, and of what input costs: profile, throughput, ntpot. */
#include <math.h>
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/memory.h"
#include "formats/base/quantile.h"

static void latency_panel(struct figure *figure, size_t panel, const char *label,
                          struct figure_range range)
{
    figure_panel(figure, panel, 2, "offered load (requests/s)", label);
    figure_log_axis(figure, "y", range);
    figure_line(figure, "set xrange [0:*]");
    figure_line(figure, "set style fill solid 0.2 noborder");
    figure_line(figure, "plot for [i=1:3] 'profile.dat' index %zu using 1:3*i:3*i+1 with "
                "filledcurves lt i notitle, for [i=1:3] 'profile.dat' index %zu using "
                "1:3*i-1 with linespoints lt i title word('p50 p90 p99', i)",
                panel, panel);
}

static void add_latencies(struct figure *figure, const struct plot_load *load,
                          const struct distribution *latency, struct figure_range *range)
{
    static const int headlines[] = { HEADLINE_P50, HEADLINE_P90, HEADLINE_P99 };
    double row[10] = { load->planned_per_s };
    for (size_t i = 0; i < 3; i++) {
        const struct interval *interval = &latency->headline[headlines[i]];
        row[1 + 3 * i] = distribution_headline(latency, (size_t)headlines[i]) * 1e3;
        row[2 + 3 * i] = interval->low * 1e3;
        row[3 + 3 * i] = interval->high * 1e3;
        for (size_t k = 1; k <= 3; k++)
            figure_range_add(range, row[k + 3 * i], true);
    }
    figure_row(figure, row, 10);
}

void plot_profile(struct figure *figure, struct plot_input *input)
{
    struct figure_range ttft = FIGURE_RANGE_EMPTY;
    struct figure_range tpot = FIGURE_RANGE_EMPTY;
    if (input->load_count < 2) {
        figure_refuse(figure, "it needs a profile or several runs");
        return;
    }
    figure_remark(figure, "Latencies by arrival against load; first TTFT, then TPOT. "
                  "Columns: planned (1/s), then p50, p90,");
    figure_remark(figure, "p99 (ms), each followed by its interval at 95 %%: from, to.");
    figure_block(figure, "TTFT");
    for (size_t i = 0; i < input->load_count; i++)
        add_latencies(figure, &input->loads[i], &input->loads[i].ttft, &ttft);
    figure_block(figure, "TPOT");
    for (size_t i = 0; i < input->load_count; i++)
        add_latencies(figure, &input->loads[i], &input->loads[i].tpot, &tpot);
    figure_panels(figure, 2, 1.3);
    latency_panel(figure, 0, "TTFT (ms)", ttft);
    latency_panel(figure, 1, "TPOT (ms)", tpot);
}

void plot_throughput(struct figure *figure, struct plot_input *input)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    if (input->load_count < 2) {
        figure_refuse(figure, "it needs a profile or several runs");
        return;
    }
    figure_remark(figure, "In the order of load. Columns: planned (requests/s), output "
                  "(tokens/s), goodput (requests/s),");
    figure_remark(figure, "median TPOT by arrival (ms).");
    figure_block(figure, "loads");
    for (size_t i = 0; i < input->load_count; i++) {
        const struct plot_load *load = &input->loads[i];
        double row[] = { load->planned_per_s, load->output_per_s, load->good_per_s,
                         distribution_headline(&load->tpot, HEADLINE_P50) * 1e3 };
        figure_row(figure, row, 4);
        figure_range_add(&range, row[3], true);
    }
    figure_panels(figure, 3, 1);
    figure_panel(figure, 0, 3, "offered load (requests/s)", "tokens/s");
    figure_line(figure, "set xrange [0:*]\nset yrange [0:*]");
    figure_line(figure, "plot 'throughput.dat' index 0 using 1:2 with linespoints lt 1 "
                "notitle");
    figure_panel(figure, 1, 3, "offered load (requests/s)", "requests/s");
    figure_line(figure, "set xrange [0:*]\nset yrange [0:*]");
    figure_line(figure, "plot 'throughput.dat' index 0 using 1:3 with linespoints lt 3 "
                "title 'goodput', x with lines lt 7 dt 2 title 'offered'");
    figure_panel(figure, 2, 3, "median TPOT (ms)", "tokens/s");
    figure_log_axis(figure, "x", range);
    figure_line(figure, "set yrange [0:*]");
    figure_line(figure, "plot 'throughput.dat' index 0 using 4:2 with linespoints lt 1 "
                "notitle");
}

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

static void ntpot_script(struct figure *figure, bool prefill_known)
{
    figure_panels(figure, 1, 1.7);
    figure_panel(figure, 0, 1, "input tokens to compute", "ms per output token");
    figure_line(figure, "set yrange [0:*]");
    figure_line(figure, "set xtics rotate by 0 scale 0");
    figure_line(figure, "set style data histograms\nset style histogram rowstacked");
    figure_line(figure, "set boxwidth 0.75\nset style fill solid 0.8 noborder");
    figure_line(figure, "plot 'ntpot.dat' index 0 using 6:xtic(gprintf('%%.0f', $1)) "
                        "lt 1 "
                "dt 1 title 'decode',%s '' index 0 using 4 lt 2 dt 1 title '%s'",
                prefill_known ? " '' index 0 using 5 lt 3 dt 1 title 'prefill'," : "",
                prefill_known ? "queue and the rest" : "queue + prefill");
}

void plot_ntpot(struct figure *figure, struct plot_input *input)
{
    const struct analysis *analysis = &input->runs[0].analysis;
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
    for (size_t i = 0; i < count; i++) {
        const struct length_bin *bin = &bins[i];
        if (bin->count == 0)
            continue;
        double per_ms = 1e3 / bin->output;
        double rest_s = bin->total_s - bin->prefill_s - bin->decode_s;
        double row[] = { bin->input / bin->count, bin->count, bin->total_s * per_ms,
                         rest_s * per_ms, bin->prefill_s * per_ms,
                         bin->decode_s * per_ms };
        figure_row(figure, row, 6);
    }
    ntpot_script(figure, !parts->prefill.reason);
}
