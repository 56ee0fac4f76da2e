/* Figures over loads: profile, throughput. */
#include <math.h>
#include <stdio.h>

#include "analyze/plot_input.h"

enum { CURVE_STEPS = 100, PERCENTILES = 3 };

static const int headlines[PERCENTILES] = { HEADLINE_P50, HEADLINE_P90, HEADLINE_P99 };
static const double ms_per_s = 1e3;

/* The figure profile: its blocks, and the ranges of its panels. */
struct profile_figure {
    const struct plot_sweep *sweep;
    double highest_per_s;
    bool repeated; /* some load was measured more than once */
    bool knee;     /* is known, with an interval */
    bool evidence; /* every load says something of the server */
    size_t ttft;
    size_t tpot;
    size_t mean;
    size_t curve;
    struct figure_range ttft_ms;
    struct figure_range tpot_ms;
    struct figure_range mean_ms;
};

static void add_interval(double *row, double value_s, const struct interval *interval,
                         struct figure_range *range)
{
    row[0] = value_s * ms_per_s;
    row[1] = interval->known ? interval->low * ms_per_s : NAN;
    row[2] = interval->known ? interval->high * ms_per_s : NAN;
    for (size_t i = 0; i < 3; i++)
        figure_range_add(range, row[i], true);
}

static size_t add_percentiles(struct figure *figure, const struct plot_sweep *sweep,
                              enum metric metric, struct figure_range *range)
{
    size_t block = figure_block(figure, metric == METRIC_TTFT ? "TTFT" : "TPOT");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct plot_load *load = &sweep->loads[i];
        const struct distribution *latency = &load->latencies->metrics[metric];
        double row[2 + 3 * PERCENTILES] = { load->planned_per_s };
        for (size_t k = 0; k < PERCENTILES; k++)
            add_interval(&row[1 + 3 * k],
                         distribution_headline(latency, (size_t)headlines[k]),
                         &latency->headline[headlines[k]], range);
        row[1 + 3 * PERCENTILES] = load->usable;
        figure_row(figure, row, 2 + 3 * PERCENTILES);
    }
    return block;
}

static size_t add_means(struct figure *figure, const struct plot_sweep *sweep,
                        struct figure_range *range)
{
    size_t block = figure_block(figure, "mean");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct plot_load *load = &sweep->loads[i];
        double row[5] = { load->planned_per_s };
        add_interval(&row[1], load->mean_s.value, &load->mean_s.interval, range);
        row[4] = load->usable;
        figure_row(figure, row, 5);
    }
    return block;
}

/* Nothing for plain runs, and where no curve fits. */
static size_t add_curve(struct figure *figure, const struct plot_sweep *sweep,
                        double highest_per_s)
{
    const struct knee_curve *curve = &sweep->profile.knee.curve;
    bool fitted = sweep->path && isfinite(curve->a_s);
    size_t block = figure_block(figure, "fit");
    if (fitted)
        figure_remark(figure, "a %.6g ms, b %.6g ms, capacity c %.6g/s",
                      curve->a_s * ms_per_s, curve->b_s * ms_per_s, curve->c_per_s);
    for (int i = 1; fitted && i <= CURVE_STEPS; i++) {
        double rate_per_s = highest_per_s * i / CURVE_STEPS;
        double row[] = { rate_per_s, knee_curve_s(curve, rate_per_s) * ms_per_s };
        figure_row(figure, row, 2);
    }
    return block;
}

static bool knee_is_known(const struct plot_sweep *sweep)
{
    const struct knee_finding *knee = &sweep->profile.knee.together;
    return sweep->path && isfinite(knee->knee_per_s) && knee->interval.known;
}

static void add_knee(struct figure *figure, const struct plot_sweep *sweep)
{
    const struct knee_finding *knee = &sweep->profile.knee.together;
    double row[] = { knee->knee_per_s, knee->interval.low, knee->interval.high };
    figure_block(figure, "knee");
    if (knee_is_known(sweep))
        figure_row(figure, row, 3);
}

/* Bands would run up and down where a load was measured more than once. */
static bool has_repetitions(const struct plot_sweep *sweep)
{
    for (size_t i = 1; i < sweep->count; i++)
        if (sweep->loads[i].planned_per_s <= sweep->loads[i - 1].planned_per_s * 1.001)
            return true;
    return false;
}

static void begin_panel(struct figure *figure, const struct profile_figure *profile,
                        size_t panel, const char *label, struct figure_range range_ms)
{
    const struct knee_finding *knee = &profile->sweep->profile.knee.together;
    double end_per_s = profile->highest_per_s * 1.04;
    figure_panel(figure, panel, "offered load (requests/s)", label);
    figure_log_axis(figure, "y", range_ms);
    figure_linear_axis(figure, "x", 0, end_per_s);
    if (!profile->knee)
        return;
    figure_line(figure,
                "set object 1 rectangle from %.6g, graph 0 to %.6g, graph 1 "
                "behind fillcolor rgb '#000000' fillstyle solid 0.15 noborder",
                fmax(knee->interval.low, 0), fmin(knee->interval.high, end_per_s));
    figure_line(figure,
                "set arrow 1 from %.6g, graph 0 to %.6g, graph 1 nohead back lt "
                "7 dt 1 lw 1",
                knee->knee_per_s, knee->knee_per_s);
}

static void percentile_panel(struct figure *figure, const struct profile_figure *profile,
                             size_t block)
{
    figure_line(figure, "set style fill solid 0.25 noborder");
    for (int i = 0; i < PERCENTILES; i++) {
        int at = 2 + 3 * i;
        if (profile->repeated)
            figure_curve(figure, block,
                         "using 1:%d:%d:%d with yerrorbars lt %d dt 1 "
                         "notitle",
                         at, at + 1, at + 2, i + 1);
        else
            figure_curve(figure, block, "using 1:%d:%d with filledcurves lt %d notitle",
                         at + 1, at + 2, i + 1);
    }
    for (int i = 0; i < PERCENTILES; i++)
        figure_curve(figure, block,
                     "using 1:%d with %s lt %d title word('p50 p90 p99', "
                     "%d)",
                     2 + 3 * i, profile->repeated ? "points" : "linespoints", i + 1,
                     i + 1);
    if (profile->knee && figure->curves > 0)
        figure_extra(figure, "keyentry with filledcurves fillcolor rgb '#000000' "
                             "fillstyle solid 0.15 title 'knee'");
    figure_panel_end(figure);
}

static void mean_panel(struct figure *figure, const struct profile_figure *profile)
{
    figure_curve(figure, profile->mean,
                 "using 1:($5 > 0 ? $2 : NaN):3:4 with "
                 "yerrorbars lt 1 dt 1 title 'mean'");
    if (!profile->evidence)
        figure_curve(figure, profile->mean,
                     "using 1:($5 > 0 ? NaN : $2) with points lt "
                     "1 pt 6 title 'no evidence'");
    figure_curve(figure, profile->curve, "using 1:2 with lines lt 2 title 'M/G/1 fit'");
    figure_panel_end(figure);
}

static bool all_usable(const struct plot_sweep *sweep)
{
    size_t usable = 0;
    for (size_t i = 0; i < sweep->count; i++)
        usable += sweep->loads[i].usable;
    return usable == sweep->count;
}

static void describe_profile(struct figure *figure)
{
    figure_remark(figure, "Latencies by arrival against load. Columns of TTFT and TPOT: "
                          "planned load (1/s), p50 (ms), its");
    figure_remark(figure, "interval at 95 %% from, to; likewise p90; p99; 1 where the "
                          "stage says something of the server, else 0.");
    figure_remark(figure, "Of mean: planned load (1/s), mean time from sent to end (ms), "
                          "its interval from, to; 1 or 0 as before.");
    figure_remark(figure, "Of fit: load (1/s), mean (ms) by a + b x / (c - x), fitted to "
                          "the means for stages of their length.");
    figure_remark(figure, "Of knee: the load beyond which the server falls behind (1/s), "
                          "its interval at 95 %% from, to.");
}

void plot_profile(struct figure *figure, struct plot_input *input, size_t item)
{
    const struct plot_sweep *sweep = &input->sweeps[item];
    const struct figure_key keys[] = {
        { 4, 4 },
        { 0, 0 },
        { all_usable(sweep) ? 2 : 3, all_usable(sweep) ? 9 : 11 },
    };
    struct profile_figure profile = {
        .sweep = sweep,
        .repeated = has_repetitions(sweep),
        .knee = knee_is_known(sweep),
        .evidence = all_usable(sweep),
        .ttft_ms = FIGURE_RANGE_EMPTY,
        .tpot_ms = FIGURE_RANGE_EMPTY,
        .mean_ms = FIGURE_RANGE_EMPTY,
    };
    if (sweep->count < 2) {
        figure_refuse(figure, "it needs two loads or more");
        return;
    }
    profile.highest_per_s = sweep->loads[sweep->count - 1].planned_per_s;
    describe_profile(figure);
    profile.ttft = add_percentiles(figure, sweep, METRIC_TTFT, &profile.ttft_ms);
    profile.tpot = add_percentiles(figure, sweep, METRIC_TPOT, &profile.tpot_ms);
    profile.mean = add_means(figure, sweep, &profile.mean_ms);
    profile.curve = add_curve(figure, sweep, profile.highest_per_s);
    add_knee(figure, sweep);
    figure_panels(figure, 3, 1.2, keys);
    begin_panel(figure, &profile, 0, "TTFT (ms)", profile.ttft_ms);
    percentile_panel(figure, &profile, profile.ttft);
    begin_panel(figure, &profile, 1, "TPOT (ms)", profile.tpot_ms);
    percentile_panel(figure, &profile, profile.tpot);
    begin_panel(figure, &profile, 2, "mean sent to end (ms)", profile.mean_ms);
    mean_panel(figure, &profile);
}

/* Highest values of the figure throughput. */
struct throughput_ranges {
    double load_per_s;
    double output_per_s;
    double good_per_s;
    struct figure_range tpot_ms;
};

static struct throughput_ranges add_throughputs(struct figure *figure,
                                                const struct plot_sweep *sweep)
{
    struct throughput_ranges ranges = { .tpot_ms = FIGURE_RANGE_EMPTY };
    figure_remark(figure, "In the order of load. Columns: planned load (requests/s), "
                          "output (tokens/s), goodput (requests/s),");
    figure_remark(figure, "median TPOT by arrival (ms).");
    figure_block(figure, "loads");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct plot_load *load = &sweep->loads[i];
        const struct distribution *tpot = &load->latencies->metrics[METRIC_TPOT];
        double row[] = { load->planned_per_s, load->output_per_s, load->good_per_s,
                         distribution_headline(tpot, HEADLINE_P50) * ms_per_s };
        figure_row(figure, row, 4);
        ranges.load_per_s = fmax(ranges.load_per_s, row[0]);
        ranges.output_per_s = fmax(ranges.output_per_s, row[1]);
        ranges.good_per_s = fmax(ranges.good_per_s, row[2]);
        figure_range_add(&ranges.tpot_ms, row[3], true);
    }
    return ranges;
}

static void throughput_axes(struct figure *figure, double load_per_s, double highest)
{
    figure_linear_axis(figure, "x", 0, load_per_s * 1.04);
    figure_linear_axis(figure, "y", 0, highest * 1.05);
}

void plot_throughput(struct figure *figure, struct plot_input *input, size_t item)
{
    static const struct figure_key keys[] = { { 0, 0 }, { 2, 7 }, { 0, 0 } };
    const struct plot_sweep *sweep = &input->sweeps[item];
    if (sweep->count < 2) {
        figure_refuse(figure, "it needs two loads or more");
        return;
    }
    struct throughput_ranges ranges = add_throughputs(figure, sweep);
    figure_panels(figure, 3, 1, keys);
    figure_panel(figure, 0, "offered load (requests/s)", "tokens/s");
    throughput_axes(figure, ranges.load_per_s, ranges.output_per_s);
    figure_curve(figure, 0, "using 1:2 with linespoints lt 1 notitle");
    figure_panel_end(figure);
    figure_panel(figure, 1, "offered load (requests/s)", "requests/s");
    throughput_axes(figure, ranges.load_per_s, ranges.load_per_s);
    if (ranges.good_per_s > 0)
        figure_curve(figure, 0, "using 1:3 with linespoints lt 3 title 'goodput'");
    figure_curve(figure, 0, "using 1:1 with lines lt 7 dt 2 title 'offered'");
    figure_panel_end(figure);
    figure_panel(figure, 2, "median TPOT (ms)", "tokens/s");
    figure_log_axis(figure, "x", ranges.tpot_ms);
    figure_linear_axis(figure, "y", 0, ranges.output_per_s * 1.05);
    if (ranges.tpot_ms.low <= ranges.tpot_ms.high)
        figure_curve(figure, 0, "using 4:2 with linespoints lt 1 notitle");
    figure_panel_end(figure);
}
