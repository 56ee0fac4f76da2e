/* Where the panels of a figure lie, their axes, keys and curves. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/figure.h"

void figure_range_add(struct figure_range *range, double value, bool positive)
{
    if (!isfinite(value) || (positive && value <= 0))
        return;
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

/* "0.05", "200", "10k", "2M": room for a tic is short. */
static void add_tic(struct buffer *tics, double at)
{
    double size = fabs(at);
    double unit = size < 1e4 ? 1 : size < 1e6 ? 1e3 : 1e6;
    buffer_printf(tics, "%s'%g%s' %.9g", tics->len > 0 ? ", " : "", at / unit,
                  unit < 1e3   ? ""
                  : unit < 1e6 ? "k"
                               : "M",
                  at);
}

/* Of a short axis; more of them within one decade. */
static void add_tics(struct buffer *tics, double low, double high)
{
    static const double few[] = { 1, 2, 5 };
    static const double many[] = { 1, 1.5, 2, 3, 5, 7 };
    bool short_axis = high / low < 9;
    const double *steps = short_axis ? many : few;
    size_t count = short_axis ? sizeof many / sizeof *many : sizeof few / sizeof *few;
    for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++)
        for (size_t i = 0; i < count; i++) {
            double at = steps[i] * pow(10, decade);
            if (at >= low * 0.999 && at <= high * 1.001)
                add_tic(tics, at);
        }
}

/* Of an axis of decades: one tic in `step` of them, with small ones between where each
 * has one. */
static void add_decades(struct buffer *tics, double low, double high, int step)
{
    int first = (int)floor(log10(low));
    first -= first % step;
    for (int decade = first; pow(10, decade) <= high; decade += step) {
        double at = pow(10, decade);
        if (at >= low)
            add_tic(tics, at);
        for (int i = 2; step == 1 && i < 10; i++)
            if (at * i >= low && at * i <= high)
                buffer_printf(tics, "%s'' %g 1", tics->len > 0 ? ", " : "", at * i);
    }
}

void figure_log_axis(struct figure *figure, const char *axis, struct figure_range range)
{
    if (range.low > range.high)
        range = (struct figure_range){ 1, 10 };
    double low = range.low / 1.1;
    double high = range.high * 1.1;
    if (high / low < 4) {
        double middle = sqrt(low * high);
        low = middle / 2.2;
        high = middle * 2.2;
    }
    struct buffer tics = BUFFER_INIT;
    if (high / low > 200)
        add_decades(&tics, low, high, (int)ceil(log10(high / low) / 7));
    else
        add_tics(&tics, low, high);
    figure_line(figure, "set logscale %s 10", axis);
    figure_line(figure, "set %srange [%.4g:%.4g]", axis, low, high);
    figure_line(figure, "set %stics (%s)", axis, buffer_text(&tics));
    buffer_release(&tics);
}

/* The step of 1, 2 or 5 times a power of ten that takes at most so many tics. */
static double tic_step(double span, int tics)
{
    double decade = pow(10, floor(log10(span / tics)));
    double least = span / tics / decade;
    return decade * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

void figure_linear_axis(struct figure *figure, const char *axis, double low, double high)
{
    enum { TICS = 7 };
    struct buffer tics = BUFFER_INIT;
    if (!(high > low))
        high = low + 1;
    double step = tic_step(high - low, TICS);
    for (double place = ceil(low / step); place * step <= high + step / 1e6; place++)
        add_tic(&tics, place * step + 0.0); /* -0 becomes 0 */
    figure_line(figure, "set %srange [%.9g:%.9g]", axis, low, high);
    figure_line(figure, "set %stics (%s)", axis, buffer_text(&tics));
    buffer_release(&tics);
}

/* Room around a panel, inches: labels and tics below and to the left, the key above. */
static const double left_in = 0.62;
static const double right_in = 0.14;
static const double bottom_in = 0.4;
static const double top_in = 0.12;
static const double key_row_in = 0.13;

/* gnuplot's width of a character of 8 points in its key, and what it puts around the
 * title of an entry: the sample, and a character on each side. */
static const double character_in = 0.0618;
enum { KEY_SAMPLE = 2, KEY_AROUND = KEY_SAMPLE + 3 };

enum { TWO_COLUMNS_FROM_IN = 5 };

static double panel_width_in(const struct figure *figure)
{
    return figure->width_in / (double)figure->columns - left_in - right_in;
}

/* Titles are narrower than gnuplot takes them for: so many characters. */
static size_t key_slack(const struct figure_key *key)
{
    return key->longest / 8;
}

/* In SVG gnuplot takes a character for 0.7 of the font's size, not for 0.556. */
static size_t key_slack_svg(const struct figure_key *key)
{
    size_t characters = key->longest + KEY_AROUND - KEY_SAMPLE - key_slack(key);
    return key_slack(key) + characters * 21 / 100;
}

static size_t key_columns(const struct figure *figure, const struct figure_key *key)
{
    double entry_in = (double)(key->longest + KEY_AROUND - key_slack(key)) * character_in;
    size_t columns = (size_t)(panel_width_in(figure) / entry_in);
    columns = columns > key->entries ? key->entries : columns;
    return columns > 0 ? columns : 1;
}

static double key_height_in(const struct figure *figure, const struct figure_key *key)
{
    size_t columns = key_columns(figure, key);
    return key_row_in * (double)((key->entries + columns - 1) / columns);
}

/* Of a row of panels: room for the longest of their keys. */
static double row_top_in(const struct figure *figure, size_t row)
{
    double highest_in = 0;
    for (size_t i = row * figure->columns; i < (row + 1) * figure->columns; i++)
        if (i < figure->panels)
            highest_in = fmax(highest_in, key_height_in(figure, &figure->keys[i]));
    return top_in + highest_in;
}

/* The bottom edge of a row's panels, from the top of the figure. */
static double row_edge_in(const struct figure *figure, size_t row)
{
    double edge_in = 0;
    for (size_t i = 0; i <= row; i++)
        edge_in += (i > 0 ? bottom_in + figure->names_in : 0) + row_top_in(figure, i) +
                   figure->panel_height_in;
    return edge_in;
}

void figure_panels(struct figure *figure, size_t panels, double panel_height_in,
                   const struct figure_key *keys)
{
    figure->panels = panels;
    figure->columns = panels > 1 && figure->width_in >= TWO_COLUMNS_FROM_IN ? 2 : 1;
    figure->panel_height_in = panel_height_in;
    for (size_t i = 0; i < panels; i++)
        figure->keys[i] = keys[i];
    size_t rows = (panels + figure->columns - 1) / figure->columns;
    figure->height_in = row_edge_in(figure, rows - 1) + bottom_in + figure->names_in;
    if (panels > 1)
        figure_line(figure, "set multiplot");
}

static void set_margins(struct figure *figure, size_t panel)
{
    double cell_in = figure->width_in / (double)figure->columns;
    double begin_in = cell_in * (double)(panel % figure->columns);
    double edge_in = row_edge_in(figure, panel / figure->columns);
    double top_edge_in = edge_in - figure->panel_height_in;
    figure_line(figure, "set lmargin at screen %.4f",
                (begin_in + left_in) / figure->width_in);
    figure_line(figure, "set rmargin at screen %.4f",
                (begin_in + cell_in - right_in) / figure->width_in);
    figure_line(figure, "set bmargin at screen %.4f", 1 - edge_in / figure->height_in);
    figure_line(figure, "set tmargin at screen %.4f",
                1 - top_edge_in / figure->height_in);
}

/* At places of our own: gnuplot's depend on tics, and lie on those given one by one. */
static void set_labels(struct figure *figure, size_t panel, const char *x_label,
                       const char *y_label)
{
    double cell_in = figure->width_in / (double)figure->columns;
    double begin_in = cell_in * (double)(panel % figure->columns);
    double edge_in = row_edge_in(figure, panel / figure->columns);
    figure_line(figure, "set label 1 '%s' at screen %.4f, graph 0.5 center rotate",
                y_label, (begin_in + 0.09) / figure->width_in);
    figure_line(figure, "set label 2 '%s' at graph 0.5, screen %.4f center", x_label,
                1 - (edge_in + 0.3) / figure->height_in);
}

void figure_panel(struct figure *figure, size_t panel, const char *x_label,
                  const char *y_label)
{
    const struct figure_key *key = &figure->keys[panel];
    figure_line(figure, "unset logscale");
    figure_line(figure, "unset label");
    figure_line(figure, "set xrange [*:*]");
    figure_line(figure, "set yrange [*:*]");
    figure_line(figure, "set xtics nomirror autofreq");
    figure_line(figure, "set ytics nomirror autofreq");
    set_margins(figure, panel);
    set_labels(figure, panel, x_label, y_label);
    if (key->entries > 0)
        figure_line(figure,
                    "set key samplen %d*sample maxcols %zu width (format eq "
                    "'svg' ? -%zu : -%zu)",
                    KEY_SAMPLE, key_columns(figure, key), key_slack_svg(key),
                    key_slack(key));
    else
        figure_line(figure, "set key off");
    figure->curves = 0;
}

static void append_curve(struct figure *figure, const char *data, const char *format,
                         va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    buffer_append_text(&figure->script, figure->curves++ > 0 ? ", \\\n    " : "plot ");
    buffer_printf(&figure->script, "%s%s", data, text);
    free(text);
}

void figure_curve(struct figure *figure, size_t block, const char *format, ...)
{
    char data[FIGURE_NAME_MAX + 48];
    va_list arguments;
    if (figure->rows[block] == 0)
        return;
    va_start(arguments, format);
    snprintf(data, sizeof data, "'%s.dat' index %zu ", figure->name, block);
    append_curve(figure, data, format, arguments);
    va_end(arguments);
    figure->all_curves++;
}

void figure_extra(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_curve(figure, "", format, arguments);
    va_end(arguments);
}

void figure_panel_end(struct figure *figure)
{
    if (figure->curves == 0) {
        figure_line(figure, "set label 3 'no values' at graph 0.5, graph 0.5 center");
        figure_line(figure, "set xrange [1:10]\nset yrange [1:10]");
        figure_line(figure, "unset xtics\nunset ytics");
        buffer_append_text(&figure->script, "plot NaN notitle");
    }
    buffer_append_byte(&figure->script, '\n');
}
