/* Figures of how latencies are distributed: cdf, tail, bias. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/ordered.h"
#include "analyze/plot_input.h"

struct curve {
    const char *name;
    int metric;
};

static const struct curve curves[] = {
    { "TTFT", METRIC_TTFT },   { "TPOT", METRIC_TPOT }, { "ITL", SLO_ITL },
    { "NTPOT", METRIC_NTPOT }, { "E2E", METRIC_E2E },
};

enum { CURVES = sizeof curves / sizeof *curves, CDF_STEPS = 1000, TAIL_STEPS = 400 };

/* Fewer values than this are drawn as points too. */
enum { FEW = 5 };

static const double ms_per_s = 1e3;

static const char *line_style(const struct figure *figure, size_t block)
{
    return figure->rows[block] < FEW ? "linespoints" : "lines";
}

/* One value alone is a step. */
static void add_cdf(struct figure *figure, const struct ordered *ordered,
                    struct figure_range *range)
{
    size_t steps = ordered->count > CDF_STEPS ? CDF_STEPS
                   : ordered->count > 1       ? ordered->count - 1
                                              : 1;
    for (size_t i = 0; ordered->count > 0 && i <= steps; i++) {
        double share = (double)i / (double)steps;
        double row[] = { ordered_quantile(ordered, share) * ms_per_s, share };
        figure_row(figure, row, 2);
        figure_range_add(range, row[0], true);
    }
}

static void cdf_panel(struct figure *figure, size_t panel, const char *x_label,
                      const char *y_label, struct figure_range range)
{
    figure_panel(figure, panel, x_label, y_label);
    figure_log_axis(figure, "x", range);
    figure_line(figure, "set yrange [0:1.02]\nset ytics 0,0.25,1");
}

static void cdf_of_one(struct figure *figure, const struct plot_run *run)
{
    static const struct figure_key key = { CURVES, 5 };
    const struct collection *collection = &run->analysis.collection;
    struct figure_range range = FIGURE_RANGE_EMPTY;
    for (size_t i = 0; i < CURVES; i++) {
        struct ordered ordered = ordered_of(collection, curves[i].metric, BY_ARRIVAL);
        figure_block(figure, "%s", curves[i].name);
        add_cdf(figure, &ordered, &range);
        ordered_release(&ordered);
    }
    figure_panels(figure, 1, 1.7, &key);
    cdf_panel(figure, 0, "latency (ms)", "share of requests, gaps", range);
    for (size_t i = 0; i < CURVES; i++)
        figure_curve(figure, i, "using 1:2 with lines lt %zu title '%s'", i + 1,
                     curves[i].name);
    figure_panel_end(figure);
}

/* Blocks first, first + 1... are of the runs, in their order. */
static void add_run_curves(struct figure *figure, const struct plot_input *input,
                           size_t first)
{
    for (size_t i = 0; i < input->run_count; i++)
        figure_curve(figure, first + i, "using 1:2 with %s lt %zu title '%s'",
                     line_style(figure, first + i), i + 1,
                     buffer_text(&input->runs[i].label));
}

static void cdf_of_many(struct figure *figure, const struct plot_input *input)
{
    const struct figure_key keys[CURVES] = { plot_runs_key(input) };
    figure_panels(figure, CURVES, 1, keys);
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
        cdf_panel(figure, i, label, "share", range);
        add_run_curves(figure, input, first);
        figure_panel_end(figure);
    }
}

void plot_cdf(struct figure *figure, struct plot_input *input, size_t item)
{
    (void)item;
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
    size_t steps = ordered->count > TAIL_STEPS / 8 ? TAIL_STEPS
                   : ordered->count > 1            ? ordered->count * 8
                                                   : 0;
    for (size_t i = 0; ordered->count > 0 && i <= steps; i++) {
        double rarity = steps > 0 ? pow(10, decades * (double)i / (double)steps) : 1;
        double row[] = { rarity, ordered_quantile(ordered, 1 - 1 / rarity) * ms_per_s };
        figure_row(figure, row, 2);
        figure_range_add(x, row[0], true);
        figure_range_add(y, row[1], true);
    }
}

static void tail_panel(struct figure *figure, size_t panel, const char *name,
                       struct figure_range x, struct figure_range y)
{
    char label[32];
    snprintf(label, sizeof label, "%s (ms)", name);
    figure_panel(figure, panel, "percentile", label);
    figure_log_axis(figure, "x", x);
    figure_line(figure, "set xtics ('0' 1, '50' 2, '90' 10, '99' 100, '99.9' 1e3, "
                        "'99.99' 1e4, '99.999' 1e5, '99.9999' 1e6, '99.99999' 1e7)");
    figure_log_axis(figure, "y", y);
}

/* One step of the objectives: the p-quantile is to stay below the limit. */
struct stair {
    double p;
    double limit_ms;
};

static int compare_stairs(const void *left, const void *right)
{
    double a = ((const struct stair *)left)->p;
    double b = ((const struct stair *)right)->p;
    return (a > b) - (a < b);
}

/* The objectives on this metric's quantiles by arrival, ascending in p. A limit at a
 * higher quantile binds the lower ones too. */
static size_t stairs_of(const struct slo *slo, int metric,
                        struct stair stairs[SLO_TERMS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < slo->count; i++) {
        const struct slo_term *term = &slo->terms[i];
        if (term->metric == metric && term->statistic != SLO_MEAN &&
            term->flavour == BY_ARRIVAL)
            stairs[count++] = (struct stair){
                .p = term->statistic == SLO_QUANTILE ? term->p : 1,
                .limit_ms = term->limit_s * ms_per_s,
            };
    }
    qsort(stairs, count, sizeof *stairs, compare_stairs);
    for (size_t i = count; i > 1; i--)
        stairs[i - 2].limit_ms = fmin(stairs[i - 2].limit_ms, stairs[i - 1].limit_ms);
    return count;
}

static void add_staircase(struct figure *figure, const struct slo *slo, int metric,
                          const struct figure_range *x, struct figure_range *y)
{
    struct stair stairs[SLO_TERMS_MAX];
    size_t count = stairs_of(slo, metric, stairs);
    double from = 1;
    for (size_t i = 0; i < count; i++) {
        double end = stairs[i].p < 1 ? 1 / (1 - stairs[i].p) : fmax(x->high, 10);
        double begin_row[] = { from, stairs[i].limit_ms };
        double end_row[] = { end, stairs[i].limit_ms };
        figure_row(figure, begin_row, 2);
        figure_row(figure, end_row, 2);
        figure_range_add(y, stairs[i].limit_ms, true);
        from = end;
    }
}

static void tail_of_metric(struct figure *figure, const struct plot_input *input,
                           size_t panel)
{
    const struct curve *curve = &curves[panel];
    struct figure_range x = FIGURE_RANGE_EMPTY;
    struct figure_range y = FIGURE_RANGE_EMPTY;
    size_t first = figure->blocks;
    for (size_t r = 0; r < input->run_count; r++) {
        struct ordered ordered =
            ordered_of(&input->runs[r].analysis.collection, curve->metric, BY_ARRIVAL);
        figure_block(figure, "%s of %s", curve->name, buffer_text(&input->runs[r].label));
        add_tail(figure, &ordered, &x, &y);
        ordered_release(&ordered);
    }
    size_t stairs = figure_block(figure, "%s objectives", curve->name);
    add_staircase(figure, &input->slo, curve->metric, &x, &y);
    tail_panel(figure, panel, curve->name, x, y);
    add_run_curves(figure, input, first);
    figure_curve(figure, stairs, "using 1:2 with lines lt 7 lw 2.5 title 'objective'");
    figure_panel_end(figure);
}

/* Of all runs; with an entry for objectives where a metric has some. */
static struct figure_key tail_key(const struct plot_input *input, size_t panel)
{
    static const struct figure_key none = { 0, 0 };
    struct stair stairs[SLO_TERMS_MAX];
    struct figure_key key = plot_runs_key(input);
    if (stairs_of(&input->slo, curves[panel].metric, stairs) == 0)
        return panel == 0 ? key : none;
    key.entries++;
    key.longest = key.longest > 9 ? key.longest : 9;
    return key;
}

void plot_tail(struct figure *figure, struct plot_input *input, size_t item)
{
    (void)item;
    struct figure_key keys[CURVES];
    figure_remark(figure, "Tails by arrival, of the requests that succeeded. Columns: "
                          "1/(1-p), p-quantile (ms).");
    figure_remark(figure, "Objectives are steps: up to 1/(1-p), latency is to stay below "
                          "(ms).");
    for (size_t i = 0; i < CURVES; i++)
        keys[i] = tail_key(input, i);
    figure_panels(figure, CURVES, 1, keys);
    for (size_t i = 0; i < CURVES; i++)
        tail_of_metric(figure, input, i);
}

void plot_bias(struct figure *figure, struct plot_input *input, size_t item)
{
    static const struct curve shown[] = { { "TTFT", METRIC_TTFT },
                                          { "TPOT", METRIC_TPOT },
                                          { "ITL", SLO_ITL } };
    static const char *const flavours[] = { "by arrival", "by app", "from due" };
    static const struct figure_key keys[3] = { { 3, 10 }, { 0, 0 }, { 0, 0 } };
    const struct collection *collection = &input->runs[item].analysis.collection;
    figure_remark(figure, "The same tokens by when they reached the host, by when the "
                          "client had them in hand,");
    figure_remark(figure, "and counted from when their request was due. Columns: "
                          "1/(1-p), p-quantile (ms).");
    figure_panels(figure, 3, 1, keys);
    for (size_t i = 0; i < 3; i++) {
        struct figure_range x = FIGURE_RANGE_EMPTY;
        struct figure_range y = FIGURE_RANGE_EMPTY;
        size_t first = figure->blocks;
        size_t count = shown[i].metric == METRIC_TTFT ? 3 : 2; /* only it has an origin */
        for (size_t flavour = 0; flavour < count; flavour++) {
            struct ordered ordered =
                ordered_of(collection, shown[i].metric, (enum flavour)flavour);
            figure_block(figure, "%s %s", shown[i].name, flavours[flavour]);
            add_tail(figure, &ordered, &x, &y);
            ordered_release(&ordered);
        }
        tail_panel(figure, i, shown[i].name, x, y);
        for (size_t flavour = 0; flavour < count; flavour++)
            figure_curve(figure, first + flavour, "using 1:2 with %s lt %zu title '%s'",
                         line_style(figure, first + flavour), flavour + 1,
                         flavours[flavour]);
        figure_panel_end(figure);
    }
}
