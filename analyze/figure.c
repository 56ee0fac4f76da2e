#include "analyze/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/utf8.h"

void figure_release(struct figure *figure)
{
    buffer_release(&figure->data);
    buffer_release(&figure->script);
}

void figure_refuse(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(figure->problem, sizeof figure->problem, format, arguments);
    va_end(arguments);
}

static void append_line(struct buffer *buffer, const char *before, const char *format,
                        va_list arguments)
{
    char *line = NULL;
    if (vasprintf(&line, format, arguments) < 0)
        abort();
    buffer_append_text(buffer, before);
    buffer_append_text(buffer, line);
    buffer_append_byte(buffer, '\n');
    free(line);
}

void figure_remark(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(&figure->data, "# ", format, arguments);
    va_end(arguments);
}

size_t figure_block(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    buffer_append_text(&figure->data, figure->blocks > 0 ? "\n\n" : "\n");
    append_line(&figure->data, "# ", format, arguments);
    va_end(arguments);
    return figure->blocks++;
}

void figure_row(struct figure *figure, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_append_text(&figure->data, i > 0 ? " " : "");
        if (isfinite(values[i]))
            buffer_printf(&figure->data, "%.9g", values[i]);
        else
            buffer_append_text(&figure->data, "nan");
    }
    buffer_append_byte(&figure->data, '\n');
}

void figure_line(struct figure *figure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(&figure->script, "", format, arguments);
    va_end(arguments);
}

void figure_append_label(struct buffer *text, const char *outside)
{
    figure_append_text(text, outside, FIGURE_LABEL_MAX);
}

void figure_append_text(struct buffer *text, const char *outside, size_t characters_max)
{
    size_t characters = 0;
    while (*outside && characters < characters_max) {
        size_t len = utf8_sequence_len(outside, strnlen(outside, UTF8_SEQUENCE_MAX));
        uint32_t point = utf8_point(outside, len);
        if (utf8_point_steers(point))
            buffer_append_byte(text, '?');
        else if (point == '\'' || point == '`' || point == '"')
            buffer_append_text(text, "’");
        else
            buffer_append(text, outside, len);
        outside += len > 0 ? len : 1;
        characters++;
    }
    if (*outside)
        buffer_append_text(text, "…");
}

void figure_range_add(struct figure_range *range, double value, bool positive)
{
    if (!isfinite(value) || (positive && value <= 0))
        return;
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

/* Tics of a short axis, inside its range. */
static void add_tics(struct buffer *tics, double low, double high)
{
    static const double steps[] = { 1, 2, 5 };
    for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++)
        for (size_t i = 0; i < 3; i++) {
            double at = steps[i] * pow(10, decade);
            if (at >= low * 0.999 && at <= high * 1.001)
                buffer_printf(tics, "%s'%g' %g", tics->len > 0 ? ", " : "", at, at);
        }
}

/* Not below a thousandth: a gnuplot label such as 1e-05 is not for people. */
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
    figure_line(figure, "set logscale %s 10", axis);
    figure_line(figure, "set %srange [%.4g:%.4g]", axis, low, high);
    if (high / low > 200) {
        double step = pow(10, ceil(log10(high / low) / 7));
        figure_line(figure, "set %stics %g", axis, step);
        figure_line(figure, "set m%stics %d", axis, 10);
        return;
    }
    struct buffer tics = BUFFER_INIT;
    add_tics(&tics, low, high);
    figure_line(figure, "set %stics (%s)", axis, buffer_text(&tics));
    buffer_release(&tics);
}

/* Room around a panel, inches: labels and tics below and to the left, the key above. */
static const double left_in = 0.58;
static const double right_in = 0.12;
static const double bottom_in = 0.42;
static const double top_in = 0.34;

void figure_panels(struct figure *figure, size_t panels, double panel_height_in)
{
    figure->height_in = (double)panels * (panel_height_in + bottom_in + top_in);
    if (panels > 1)
        figure_line(figure, "set multiplot");
}

void figure_panel(struct figure *figure, size_t panel, size_t panels, const char *x_label,
                  const char *y_label)
{
    double share = 1.0 / (double)panels;
    double low = 1 - share * (double)(panel + 1);
    figure_line(figure, "unset logscale");
    figure_line(figure, "set xrange [*:*]");
    figure_line(figure, "set yrange [*:*]");
    figure_line(figure, "set xtics autofreq");
    figure_line(figure, "set ytics autofreq");
    figure_line(figure, "set lmargin at screen %.4f", left_in / figure->width_in);
    figure_line(figure, "set rmargin at screen %.4f", 1 - right_in / figure->width_in);
    figure_line(figure, "set bmargin at screen %.4f",
                low + bottom_in / figure->height_in);
    figure_line(figure, "set tmargin at screen %.4f",
                low + share - top_in / figure->height_in);
    figure_line(figure, "set xlabel '%s'", x_label);
    /* Not gnuplot's own place, which lies on tics that are given one by one. */
    figure_line(figure, "set label 1 '%s' at screen %.4f, graph 0.5 center rotate",
                y_label, 0.11 / figure->width_in);
}
