#include "analyze/svg_chart.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

/* Of the drawing, in its own units: 1 is a pixel on a telephone. */
enum { WIDTH = 340, HEIGHT = 240, LEFT = 52, RIGHT = 18, TOP = 8, BOTTOM = 36 };
enum { LEGEND_LINE = 16, LEGEND_SAMPLE = 24, CHARACTER = 7, TICS_MAX = 6 };

struct axis {
    double low;
    double high;
    bool log;
    double from; /* pixel of low */
    double to;   /* pixel of high */
};

void chart_release(struct chart *chart)
{
    for (size_t i = 0; i < chart->curve_count; i++)
        free(chart->curves[i].points);
    chart->curve_count = 0;
}

void chart_curve(struct chart *chart, const char *name, unsigned color)
{
    assert(chart->curve_count < SVG_CHART_CURVES_MAX);
    chart->curves[chart->curve_count++] =
        (struct chart_curve){ .name = name, .color = color };
}

void chart_band(struct chart *chart, unsigned color)
{
    chart_curve(chart, NULL, color);
    chart->curves[chart->curve_count - 1].band = true;
}

void chart_dots(struct chart *chart, const char *name, unsigned color)
{
    chart_curve(chart, name, color);
    chart->curves[chart->curve_count - 1].dots = true;
}

void chart_add_span(struct chart *chart, double x, double low, double high)
{
    struct chart_curve *curve = &chart->curves[chart->curve_count - 1];
    curve->points =
        memory_grow(curve->points, curve->count, &curve->capacity, sizeof *curve->points);
    curve->points[curve->count++] = (struct chart_point){ x, low, high };
}

void chart_add(struct chart *chart, double x, double y)
{
    chart_add_span(chart, x, y, y);
}

void chart_mark(struct chart *chart, const struct chart_mark *mark)
{
    assert(chart->mark_count < SVG_CHART_MARKS_MAX);
    if (isfinite(mark->x))
        chart->marks[chart->mark_count++] = *mark;
}

static bool is_shown(double value, bool log)
{
    return isfinite(value) && (!log || value > 0);
}

static bool point_is_shown(const struct chart *chart, const struct chart_point *point)
{
    return is_shown(point->x, chart->log_x) && is_shown(point->low, chart->log_y) &&
           is_shown(point->high, chart->log_y);
}

static void widen(struct axis *axis, double value)
{
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

/* 1, 2 or 5 times a power of ten, such that the range has at most TICS_MAX of it. */
static double step_of(double range)
{
    double step = pow(10, floor(log10(range / TICS_MAX)));
    static const double factors[] = { 1, 2, 5, 10 };
    for (size_t i = 0; i < 4; i++)
        if (range / (step * factors[i]) <= TICS_MAX)
            return step * factors[i];
    return step * 10;
}

/* Ends the axis on tics; one value gets some room. */
static void round_out(struct axis *axis)
{
    if (axis->log) {
        axis->low = pow(10, floor(log10(axis->low) + 1e-9));
        axis->high = pow(10, ceil(log10(axis->high) - 1e-9));
        if (axis->low == axis->high)
            axis->high *= 10;
        return;
    }
    axis->low = fmin(axis->low, 0);
    if (axis->low == axis->high)
        axis->high = axis->low + 1;
    double step = step_of(axis->high - axis->low);
    axis->high = step * ceil(axis->high / step - 1e-9);
}

/* False when there is nothing to show. */
static bool find_axes(const struct chart *chart, struct axis *x, struct axis *y)
{
    size_t shown = 0;
    for (size_t i = 0; i < chart->curve_count; i++)
        for (size_t j = 0; j < chart->curves[i].count; j++) {
            const struct chart_point *point = &chart->curves[i].points[j];
            if (!point_is_shown(chart, point))
                continue;
            widen(x, point->x);
            widen(y, point->low);
            widen(y, point->high);
            shown++;
        }
    if (shown == 0)
        return false;
    for (size_t i = 0; i < chart->mark_count; i++)
        widen(x, chart->marks[i].x);
    if (chart->share_y)
        widen(y, 1);
    round_out(x);
    round_out(y);
    return true;
}

static double place(const struct axis *axis, double value)
{
    double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                             : (value - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * share;
}

static void append_number(struct buffer *page, double value)
{
    if (fabs(value) >= 1e6 || (value != 0 && fabs(value) < 1e-3))
        buffer_printf(page, "%.3g", value);
    else if (fabs(value) >= 1e4)
        buffer_printf(page, "%.4gk", value / 1e3);
    else
        buffer_printf(page, "%.4g", value);
}

static void append_tic(struct buffer *page, const struct axis *x, const struct axis *y,
                       bool along_x, double value)
{
    double at = place(along_x ? x : y, value);
    if (along_x)
        buffer_printf(page,
                      "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" "
                      "y=\"%.1f\" text-anchor=\"middle\">",
                      at, y->to, y->from, at, y->from + 15);
    else
        buffer_printf(page,
                      "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" "
                      "y=\"%.1f\" text-anchor=\"end\">",
                      x->from, at, x->to, x->from - 5, at + 4);
    append_number(page, value);
    buffer_append_text(page, "</text>\n");
}

static void append_tics(struct buffer *page, const struct axis *x, const struct axis *y,
                        bool along_x)
{
    const struct axis *axis = along_x ? x : y;
    if (axis->log) {
        double decades = round(log10(axis->high / axis->low));
        double factor = pow(10, ceil(decades / TICS_MAX));
        for (double tic = axis->low; tic <= axis->high * 1.001; tic *= factor)
            append_tic(page, x, y, along_x, tic);
        double last = decades <= 2 ? axis->high * 0.999 : 0;
        for (double tic = axis->low; tic < last; tic *= 10) {
            append_tic(page, x, y, along_x, 2 * tic);
            append_tic(page, x, y, along_x, 5 * tic);
        }
        return;
    }
    double step = step_of(axis->high - axis->low);
    for (double n = ceil(axis->low / step); n * step <= axis->high * 1.001; n++)
        append_tic(page, x, y, along_x, n * step);
}

static const char *class_of(const struct chart_curve *curve)
{
    return curve->dots ? "dots" : "curve";
}

static void append_curve(struct buffer *page, const struct chart *chart,
                         const struct chart_curve *curve, const struct axis *x,
                         const struct axis *y)
{
    bool drawing = false;
    buffer_printf(page, "<path class=\"%s c%u\" d=\"", class_of(curve), curve->color);
    for (size_t i = 0; i < curve->count; i++) {
        const struct chart_point *point = &curve->points[i];
        bool shown = point_is_shown(chart, point);
        if (shown)
            buffer_printf(page, "%c%.1f %.1f", drawing ? 'L' : 'M', place(x, point->x),
                          place(y, point->high));
        /* A point by itself is a dot: the ends of lines are round. */
        if (shown && !drawing)
            buffer_append_text(page, "h0");
        drawing = shown && !curve->dots;
    }
    buffer_append_text(page, "\"/>\n");
}

/* Forth along the upper ends, back along the lower. */
static void append_area(struct buffer *page, const struct chart_point *points,
                        size_t count, const struct axis *x, const struct axis *y)
{
    for (size_t i = 0; i < 2 * count; i++) {
        bool back = i >= count;
        const struct chart_point *point = &points[back ? 2 * count - 1 - i : i];
        buffer_printf(page, "%c%.1f %.1f", i > 0 ? 'L' : 'M', place(x, point->x),
                      place(y, back ? point->low : point->high));
    }
}

static void append_band(struct buffer *page, const struct chart *chart,
                        const struct chart_curve *curve, const struct axis *x,
                        const struct axis *y)
{
    buffer_printf(page, "<path class=\"band c%u\" d=\"", curve->color);
    for (size_t from = 0, to; from < curve->count; from = to + 1) {
        for (to = from; to < curve->count; to++)
            if (!point_is_shown(chart, &curve->points[to]))
                break;
        append_area(page, curve->points + from, to - from, x, y);
    }
    buffer_append_text(page, "\"/>\n");
}

/* Names with samples of their lines, below each other where they do not fit side by side.
 * Returns the height. */
static double append_legend(struct buffer *page, const struct chart *chart)
{
    double at_x = LEFT;
    double at_y = TOP + 8;
    bool any = false;
    for (size_t i = 0; i < chart->curve_count; i++) {
        const struct chart_curve *curve = &chart->curves[i];
        if (!curve->name)
            continue;
        double width = LEGEND_SAMPLE + 16 + CHARACTER * (double)strlen(curve->name);
        if (any && at_x + width > WIDTH) {
            at_x = LEFT;
            at_y += LEGEND_LINE;
        }
        buffer_printf(page,
                      "<path class=\"%s c%u\" d=\"M%.1f %.1fh%d\"/><text "
                      "x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                      class_of(curve), curve->color,
                      curve->dots ? at_x + LEGEND_SAMPLE - 4 : at_x, at_y,
                      curve->dots ? 0 : LEGEND_SAMPLE, at_x + LEGEND_SAMPLE + 4, at_y + 4,
                      curve->name);
        at_x += width;
        any = true;
    }
    return any ? at_y - TOP + LEGEND_LINE : 0;
}

static void append_shade(struct buffer *page, const struct chart_mark *mark,
                         const struct axis *x, const struct axis *y)
{
    double from = place(x, fmax(mark->low, x->low));
    double to = place(x, fmin(mark->high, x->high));
    if (from < to)
        buffer_printf(page,
                      "<path class=\"band c6\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fz\"/>\n",
                      from, y->to, to, y->from, from);
}

static void append_marks(struct buffer *page, const struct chart *chart,
                         const struct axis *x, const struct axis *y)
{
    for (size_t i = 0; i < chart->mark_count; i++) {
        const struct chart_mark *mark = &chart->marks[i];
        double at = place(x, mark->x);
        bool left = at > WIDTH * 0.6;
        if (isfinite(mark->low) && isfinite(mark->high))
            append_shade(page, mark, x, y);
        buffer_printf(page,
                      "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" "
                      "y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                      at, y->to, y->from, left ? at - 4 : at + 4, y->to + 12,
                      left ? "end" : "start", mark->name);
    }
}

static void append_frame(struct buffer *page, const struct chart *chart,
                         const struct axis *x, const struct axis *y)
{
    append_tics(page, x, y, true);
    append_tics(page, x, y, false);
    buffer_printf(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                  (x->from + x->to) / 2, HEIGHT - 4, chart->x_label);
    buffer_printf(page,
                  "<text x=\"11\" y=\"%.1f\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 11 %.1f)\">%s</text>\n",
                  (y->from + y->to) / 2, (y->from + y->to) / 2, chart->y_label);
}

void chart_write(const struct chart *chart, struct buffer *page)
{
    struct axis x = { INFINITY, -INFINITY, chart->log_x, LEFT, WIDTH - RIGHT };
    struct axis y = { INFINITY, -INFINITY, chart->log_y, HEIGHT - BOTTOM, TOP };
    buffer_printf(page, "<figure><figcaption>%s</figcaption>\n", chart->title);
    if (!find_axes(chart, &x, &y)) {
        buffer_append_text(page, "<p>Nothing to show: no request has such times.</p>"
                                 "</figure>\n");
        return;
    }
    buffer_printf(page,
                  "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                  "<title>%s</title><desc>%s</desc>\n",
                  WIDTH, HEIGHT, chart->title, chart->title, chart->description);
    y.to += append_legend(page, chart);
    append_frame(page, chart, &x, &y);
    for (size_t i = 0; i < chart->curve_count; i++)
        if (chart->curves[i].band)
            append_band(page, chart, &chart->curves[i], &x, &y);
    for (size_t i = 0; i < chart->curve_count; i++)
        if (!chart->curves[i].band)
            append_curve(page, chart, &chart->curves[i], &x, &y);
    append_marks(page, chart, &x, &y);
    buffer_append_text(page, "</svg></figure>\n");
}
