/* Figures of how latencies are distributed: cdf, tail, bias, itl. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/ordered.h"
#include "analyze/plot_input.h"
#include "formats/base/memory.h"

struct curve {
    const char *name;
    int metric;
};

static const struct curve curves[] = {
    { "TTFT", METRIC_TTFT }, { "TPOT", METRIC_TPOT }, { "ITL", SLO_ITL },
    { "NTPOT", METRIC_NTPOT }, { "E2E", METRIC_E2E },
};

enum { CURVES = sizeof curves / sizeof *curves, CDF_STEPS = 1000, TAIL_STEPS = 400 };

static const double ms_per_s = 1e3;

static void add_cdf(struct figure *figure, const struct ordered *ordered,
                    struct figure_range *range)
{
    size_t steps = ordered->count > CDF_STEPS ? CDF_STEPS : ordered->count - 1;
    for (size_t i = 0; ordered->count > 0 && i <= steps; i++) {
        double share = steps > 0 ? (double)i / (double)steps : 1;
        double row[] = { ordered_quantile(ordered, share) * ms_per_s, share };
        figure_row(figure, row, 2);
        figure_range_add(range, row[0], true);
    }
}

static void cdf_of_one(struct figure *figure, struct plot_run *run)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    for (size_t i = 0; i < CURVES; i++) {
        struct ordered ordered =
            ordered_of(&run->analysis.collection, curves[i].metric, BY_ARRIVAL);
        figure_block(figure, "%s", curves[i].name);
        add_cdf(figure, &ordered, &range);
        ordered_release(&ordered);
    }
    figure_panels(figure, 1, 1.6);
    figure_panel(figure, 0, 1, "latency (ms)", "share of requests, gaps");
    figure_log_axis(figure, "x", range);
    figure_line(figure, "set yrange [0:1]");
    figure_line(figure, "set key maxcols 5 samplen 1.5");
    figure_line(figure, "plot for [i=1:%d] 'cdf.dat' index i-1 using 1:2 with lines lt i "
                "title word('TTFT TPOT ITL NTPOT E2E', i)", (int)CURVES);
}

/* The titles of the runs, for `plot` of blocks first to first + runs - 1. */
static void plot_runs(struct figure *figure, const struct plot_input *input, size_t first,
                      const char *using)
{
    buffer_append_text(&figure->script, "plot");
    for (size_t i = 0; i < input->run_count; i++)
        buffer_printf(&figure->script, "%s '%s.dat' index %zu using %s with lines lt %zu "
                      "title '%s'", i > 0 ? "," : "", figure->name, first + i, using,
                      i + 1, buffer_text(&input->runs[i].label));
    buffer_append_byte(&figure->script, '\n');
}

static void cdf_of_many(struct figure *figure, struct plot_input *input)
{
    figure_panels(figure, CURVES, 1);
    for (size_t i = 0; i < CURVES; i++) {
        struct figure_range range = FIGURE_RANGE_EMPTY;
        size_t first = figure->blocks;
        for (size_t r = 0; r < input->run_count; r++) {
            struct ordered ordered = ordered_of(&input->runs[r].analysis.collection,
                                                curves[i].metric, BY_ARRIVAL);
            figure_block(figure, "%s of %s", curves[i].name,
                         buffer_text(&input->runs[r].label));
            add_cdf(figure, &ordered, &range);
            ordered_release(&ordered);
        }
        char label[32];
        snprintf(label, sizeof label, "%s (ms)", curves[i].name);
        figure_panel(figure, i, CURVES, label, "share");
        figure_log_axis(figure, "x", range);
        figure_line(figure, "set yrange [0:1]");
        plot_runs(figure, input, first, "1:2");
    }
}

void plot_cdf(struct figure *figure, struct plot_input *input)
{
    figure_remark(figure, "Distributions by arrival, of the requests that succeeded.");
    figure_remark(figure, "Columns: latency (ms), share of requests (gaps for ITL) with "
                  "at most that.");
    if (input->run_count == 1)
        cdf_of_one(figure, &input->runs[0]);
    else
        cdf_of_many(figure, input);
}

/* 1/(1-p) up to one over the number of values, and the quantile there. */
static void add_tail(struct figure *figure, const struct ordered *ordered,
                     struct figure_range *x, struct figure_range *y)
{
    double decades = ordered->count > 1 ? log10((double)ordered->count) : 0;
    for (int i = 0; ordered->count > 0 && i <= TAIL_STEPS; i++) {
        double rarity = pow(10, decades * i / TAIL_STEPS);
        double row[] = { rarity, ordered_quantile(ordered, 1 - 1 / rarity) * ms_per_s };
        figure_row(figure, row, 2);
        figure_range_add(x, row[0], true);
        figure_range_add(y, row[1], true);
    }
}

static void percentile_tics(struct figure *figure)
{
    figure_line(figure, "set xtics ('0' 1, '50' 2, '90' 10, '99' 100, '99.9' 1e3, "
                "'99.99' 1e4, '99.999' 1e5, '99.9999' 1e6, '99.99999' 1e7)");
}

/* The objectives on this metric's quantiles, as steps. Returns whether there are any. */
static bool add_staircase(struct figure *figure, const struct slo *slo, int metric,
                          const struct figure_range *x, struct figure_range *y)
{
    bool any = false;
    for (size_t i = 0; i < slo->count; i++) {
        const struct slo_term *term = &slo->terms[i];
        if (term->metric != metric || term->statistic == SLO_MEAN)
            continue;
        if (!any)
            figure_block(figure, "objectives");
        any = true;
        double p = term->statistic == SLO_QUANTILE ? term->p : 1;
        double end = p < 1 ? 1 / (1 - p) : x->high;
        double rows[2][2] = { { 1, term->limit_s * ms_per_s },
                              { end, term->limit_s * ms_per_s } };
        figure_row(figure, rows[0], 2);
        figure_row(figure, rows[1], 2);
        buffer_append_byte(&figure->data, '\n');
        figure_range_add(y, rows[0][1], true);
    }
    return any;
}

void plot_tail(struct figure *figure, struct plot_input *input)
{
    figure_remark(figure, "Tails by arrival. Columns: 1/(1-p), p-quantile (ms).");
    figure_panels(figure, CURVES, 1);
    for (size_t i = 0; i < CURVES; i++) {
        struct figure_range x = FIGURE_RANGE_EMPTY;
        struct figure_range y = FIGURE_RANGE_EMPTY;
        size_t first = figure->blocks;
        for (size_t r = 0; r < input->run_count; r++) {
            struct ordered ordered = ordered_of(&input->runs[r].analysis.collection,
                                                curves[i].metric, BY_ARRIVAL);
            figure_block(figure, "%s of %s", curves[i].name,
                         buffer_text(&input->runs[r].label));
            add_tail(figure, &ordered, &x, &y);
            ordered_release(&ordered);
        }
        bool stairs = add_staircase(figure, &input->slo, curves[i].metric, &x, &y);
        char label[32];
        snprintf(label, sizeof label, "%s (ms)", curves[i].name);
        figure_panel(figure, i, CURVES, "percentile", label);
        figure_log_axis(figure, "x", x);
        percentile_tics(figure);
        figure_log_axis(figure, "y", y);
        plot_runs(figure, input, first, "1:2");
        if (stairs) {
            figure->script.len--;
            figure_line(figure, ", 'tail.dat' index %zu using 1:2 with lines lt 7 lw 2.5 "
                        "title 'objective'", figure->blocks - 1);
        }
    }
}

void plot_bias(struct figure *figure, struct plot_input *input)
{
    static const struct curve shown[] = { { "TTFT", METRIC_TTFT },
                                          { "TPOT", METRIC_TPOT },
                                          { "ITL", SLO_ITL } };
    static const char *const flavours[] = { "by arrival", "by app", "from due" };
    struct plot_run *run = &input->runs[0];
    figure_remark(figure, "The same tokens by when they reached the host, by when the "
                  "client had them in hand,");
    figure_remark(figure, "and counted from when their request was due. "
                          "Columns: 1/(1-p), "
                  "p-quantile (ms).");
    figure_panels(figure, 3, 1);
    for (size_t i = 0; i < 3; i++) {
        struct figure_range x = FIGURE_RANGE_EMPTY;
        struct figure_range y = FIGURE_RANGE_EMPTY;
        size_t first = figure->blocks;
        int count = shown[i].metric == METRIC_TTFT ? 3 : 2; /* only it has an origin */
        for (int flavour = 0; flavour < count; flavour++) {
            struct ordered ordered = ordered_of(&run->analysis.collection,
                                                shown[i].metric, (enum flavour)flavour);
            figure_block(figure, "%s %s", shown[i].name, flavours[flavour]);
            add_tail(figure, &ordered, &x, &y);
            ordered_release(&ordered);
        }
        char label[32];
        snprintf(label, sizeof label, "%s (ms)", shown[i].name);
        figure_panel(figure, i, 3, "percentile", label);
        figure_log_axis(figure, "x", x);
        percentile_tics(figure);
        figure_log_axis(figure, "y", y);
        figure_line(figure, "plot for [i=1:%d] 'bias.dat' index %zu+i-1 using 1:2 with "
                    "lines lt i title word('arrival app due', i)", count, first);
    }
}

enum { VIOLIN_BINS = 80 };

/* Half-widths of a violin: the share of gaps in bins of equal width on a log scale, the
 * widest scaled to 0.4. */
static void add_violin(struct figure *figure, const struct histogram *gaps,
                       struct figure_range range)
{
    double shares[VIOLIN_BINS] = { 0 };
    double most = 0;
    double span = log(range.high / range.low);
    for (size_t i = 0; gaps->counts && i < HISTOGRAM_BUCKETS; i++) {
        double ms = histogram_bucket_middle(i) / 1e6;
        if (gaps->counts[i] == 0)
            continue;
        double place = ms > range.low ? log(ms / range.low) / span : 0;
        size_t bin = place < 1 ? (size_t)(place * VIOLIN_BINS) : VIOLIN_BINS - 1;
        shares[bin] += (double)gaps->counts[i];
        most = shares[bin] > most ? shares[bin] : most;
    }
    for (size_t i = 0; i < VIOLIN_BINS; i++) {
        double ms = range.low * exp(span * ((double)i + 0.5) / VIOLIN_BINS);
        double row[] = { ms, most > 0 ? 0.4 * shares[i] / most : 0,
                         most > 0 ? shares[i] / (double)gaps->moments.count : 0 };
        figure_row(figure, row, 3);
    }
}

static void itl_marks(struct figure *figure, struct ordered *gaps, size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        double row[] = { (double)i + 1, ordered_quantile(&gaps[i], 0.5) * ms_per_s,
                         ordered_quantile(&gaps[i], 0.99) * ms_per_s };
        figure_row(figure, row, 3);
    }
}

static void itl_script(struct figure *figure, const struct plot_input *input,
                       struct figure_range range)
{
    size_t runs = input->run_count;
    double half = pow(range.high / range.low, 0.5 / VIOLIN_BINS);
    figure_panels(figure, 1, 1.6);
    figure_panel(figure, 0, 1, "", "gap between token events (ms)");
    figure_log_axis(figure, "y", range);
    figure_line(figure, "set xrange [0.4:%zu.6]", runs);
    buffer_append_text(&figure->script, "set xtics (");
    for (size_t i = 0; i < runs; i++)
        buffer_printf(&figure->script, "%s'%s' %zu", i > 0 ? ", " : "",
                      buffer_text(&input->runs[i].label), i + 1);
    buffer_append_text(&figure->script, ")\nset style fill solid 0.4 noborder\nplot ");
    for (size_t i = 0; i < runs; i++)
        buffer_printf(&figure->script, "'itl.dat' index %zu "
                      "using (%zu):1:(%zu-$2):(%zu+$2):"
                      "($1/%.6g):($1*%.6g) with boxxyerror lt %zu dt 1 notitle, ",
                      i, i + 1, i + 1, i + 1, half, half, i + 1);
    figure_line(figure, "'itl.dat' index %zu using 1:2 with points lt 7 ps 0.6 title "
                "'median', '' index %zu using 1:3 with points lt 7 pt 9 ps 0.6 title "
                "'p99'", runs, runs);
}

void plot_itl(struct figure *figure, struct plot_input *input)
{
    struct figure_range range = FIGURE_RANGE_EMPTY;
    struct ordered *gaps = memory_new(input->run_count, sizeof *gaps);
    for (size_t i = 0; i < input->run_count; i++) {
        gaps[i] = ordered_of(&input->runs[i].analysis.collection, SLO_ITL, BY_ARRIVAL);
        figure_range_add(&range, ordered_quantile(&gaps[i], 0.0005) * ms_per_s, true);
        figure_range_add(&range, ordered_quantile(&gaps[i], 1) * ms_per_s, true);
    }
    if (range.low >= range.high) {
        figure_refuse(figure, "no gaps between tokens");
    } else {
        figure_remark(figure, "Gaps between token events by arrival. Columns: gap (ms), "
                      "half-width of the violin,");
        figure_remark(figure, "share of the gaps in this bin. Last block: place, median "
                      "(ms), p99 (ms).");
        for (size_t i = 0; i < input->run_count; i++) {
            figure_block(figure, "%s", buffer_text(&input->runs[i].label));
            add_violin(figure, &gaps[i].histogram, range);
        }
        figure_block(figure, "quantiles");
        itl_marks(figure, gaps, input->run_count);
        itl_script(figure, input, range);
    }
    for (size_t i = 0; i < input->run_count; i++)
        ordered_release(&gaps[i]);
    free(gaps);
}
