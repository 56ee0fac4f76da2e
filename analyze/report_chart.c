#include "analyze/report_chart.h"

#include <math.h>

#include "analyze/ordered.h"

enum { WIDTH = 640, HEIGHT = 300, LEFT = 46, RIGHT = 12, TOP = 34, BOTTOM = 40 };
enum { STEPS = 200, CURVES = 5 };

static const struct {
    const char *name;
    int metric;
} curves[CURVES] = { { "TTFT", METRIC_TTFT }, { "TPOT", METRIC_TPOT }, { "ITL", SLO_ITL },
                     { "NTPOT", METRIC_NTPOT }, { "E2E", METRIC_E2E } };

struct axis {
    double low_ms;
    double high_ms;
};

static double place_x(struct axis axis, double ms)
{
    double share = log(ms / axis.low_ms) / log(axis.high_ms / axis.low_ms);
    return LEFT + (WIDTH - LEFT - RIGHT) * fmin(fmax(share, 0), 1);
}

static double place_y(double share)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
}

/* Whole decades that hold all values above 0. */
static struct axis axis_of(const struct ordered *values)
{
    double low = INFINITY;
    double high = 0;
    for (size_t i = 0; i < CURVES; i++) {
        double least = ordered_quantile(&values[i], 0.001) * 1e3;
        double most = ordered_quantile(&values[i], 1) * 1e3;
        low = least > 1e-4 && least < low ? least : low;
        high = most > high ? most : high;
    }
    if (!(low < high))
        return (struct axis){ 1, 10 };
    return (struct axis){ pow(10, floor(log10(low))), pow(10, ceil(log10(high))) };
}

static void add_axes(struct buffer *page, struct axis axis)
{
    for (double ms = axis.low_ms; ms <= axis.high_ms * 1.01; ms *= 10) {
        double x = place_x(axis, ms);
        buffer_printf(page, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" "
                      "y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                      x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, ms);
    }
    for (int i = 0; i <= 4; i++)
        buffer_printf(page, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" "
                      "y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT,
                      place_y(i / 4.0), WIDTH - RIGHT, LEFT - 6, place_y(i / 4.0) + 4,
                      i / 4.0);
    buffer_printf(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">latency "
                  "(ms)</text>\n", (WIDTH + LEFT) / 2, HEIGHT - 6);
}

static void add_curve(struct buffer *page, struct axis axis, size_t number,
                      const struct ordered *values)
{
    buffer_printf(page, "<path class=\"curve c%zu\" d=\"M%d 14h28\"/><text x=\"%d\" "
                  "y=\"18\">%s</text>\n", number + 1, LEFT + (int)number * 110,
                  LEFT + (int)number * 110 + 34, curves[number].name);
    if (values->count == 0)
        return;
    buffer_printf(page, "<path class=\"curve c%zu\" d=\"", number + 1);
    for (int i = 0; i <= STEPS; i++) {
        double p = (double)i / STEPS;
        double ms = ordered_quantile(values, p) * 1e3;
        buffer_printf(page, "%s%.1f %.1f", i > 0 ? "L" : "M",
                      place_x(axis, fmax(ms, axis.low_ms)), place_y(p));
    }
    buffer_append_text(page, "\"/>\n");
}

void report_chart_cdf(struct buffer *page, const struct collection *collection)
{
    struct ordered values[CURVES];
    for (size_t i = 0; i < CURVES; i++)
        values[i] = ordered_of(collection, curves[i].metric, BY_ARRIVAL);
    struct axis axis = axis_of(values);
    buffer_printf(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Shares of "
                  "requests and gaps with at most a latency\">\n", WIDTH, HEIGHT);
    add_axes(page, axis);
    for (size_t i = 0; i < CURVES; i++) {
        add_curve(page, axis, i, &values[i]);
        ordered_release(&values[i]);
    }
    buffer_append_text(page, "</svg>\n");
}
