/* Charts as SVG within a page of HTML: lines, bands and marks over linear or logarithmic
 * axes. Colours and dashes are classes c1 to c6 of the page's style. */
#ifndef TOKTRACE_SVG_CHART_H
#define TOKTRACE_SVG_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/buffer.h"

enum { SVG_CHART_CURVES_MAX = 8, SVG_CHART_MARKS_MAX = 2 };

struct chart_point {
    double x;
    double low; /* equal to high, but in a band */
    double high;
};

struct chart_curve {
    const char *name;    /* of the legend; NULL: in none */
    unsigned color;      /* 1 to 6 */
    bool band;           /* an area from low to high */
    bool dots;           /* points that no line joins */
    struct chart_point *points; /* owned */
    size_t count;
    size_t capacity;
};

/* A vertical line at x within a shade from low to high; both NaN: no shade. */
struct chart_mark {
    const char *name;
    double x;
    double low;
    double high;
};

/* Start from {0} with texts, which are ours (not escaped), and axes. */
struct chart {
    const char *title;
    const char *description; /* what it shows, for those who cannot see it */
    const char *x_label;
    const char *y_label;
    bool log_x;
    bool log_y;
    bool share_y; /* y is from 0 to 1 */
    struct chart_curve curves[SVG_CHART_CURVES_MAX];
    size_t curve_count;
    struct chart_mark marks[SVG_CHART_MARKS_MAX]; /* vertical lines */
    size_t mark_count;
};

/* Begins a curve; points go to the last that was begun. */
void chart_curve(struct chart *chart, const char *name, unsigned color);
void chart_band(struct chart *chart, unsigned color);
void chart_dots(struct chart *chart, const char *name, unsigned color);

/* Adds a point. One that is not finite, or not above 0 on a logarithmic axis, breaks the
 * curve. */
void chart_add(struct chart *chart, double x, double y);
void chart_add_span(struct chart *chart, double x, double low, double high);

void chart_mark(struct chart *chart, const struct chart_mark *mark);

/* Appends the chart as a figure, or a sentence where it has no point to show. */
void chart_write(const struct chart *chart, struct buffer *page);

void chart_release(struct chart *chart);

#endif
