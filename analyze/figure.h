/* One figure: the columns of NAME.dat and the gnuplot commands of NAME.gp, built up as
 * text. All figures share their terminals, colours, margins and axes from here. */
#ifndef TOKTRACE_FIGURE_H
#define TOKTRACE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

enum { FIGURE_PROBLEM_MAX = 160, FIGURE_LABEL_MAX = 24 };

/* Points of one curve at most. */
enum { FIGURE_POINTS_MAX = 2000 };

struct figure {
    const char *name;     /* "cdf" */
    double width_in;
    double height_in;     /* set by the figure */
    struct buffer data;   /* NAME.dat */
    struct buffer script; /* NAME.gp below the part that all figures share */
    size_t blocks;        /* of data, apart by two empty lines: gnuplot's index */
    char problem[FIGURE_PROBLEM_MAX]; /* why there is no figure; "" when there is */
};

/* Start from {0} with name and width. */
void figure_release(struct figure *figure);

/* Says why the runs cannot give this figure. */
void figure_refuse(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A remark at the head of the data: what the columns are, and their units. */
void figure_remark(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Begins a block of data with a line that says what it is; returns its index. */
size_t figure_block(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line of data; values that are not finite become "nan", which gnuplot leaves out. */
void figure_row(struct figure *figure, const double *values, size_t count);

/* Appends a line of gnuplot. */
void figure_line(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends text from outside as it may stand between quotes of gnuplot, in a remark or in
 * a page: valid UTF-8 of at most FIGURE_LABEL_MAX characters, controls and marks of
 * direction become '?', quotes and backquotes an apostrophe of print. */
void figure_append_label(struct buffer *text, const char *outside);

/* The same with another bound on the characters. */
void figure_append_text(struct buffer *text, const char *outside, size_t characters_max);

/* Least and greatest of the values that an axis has to show. */
struct figure_range {
    double low;
    double high;
};

#define FIGURE_RANGE_EMPTY { .low = 1e300, .high = -1e300 }

/* Extends the range by a finite value; with `positive` only by one above 0. */
void figure_range_add(struct figure_range *range, double value, bool positive);

/* Makes an axis ("x", "y") logarithmic over the range, with tics at 1, 2, 5 where decades
 * would be too few; an empty range counts as 1 to 10. */
void figure_log_axis(struct figure *figure, const char *axis, struct figure_range range);

/* Begins `panels` panels one above the other, with margins that do not depend on labels;
 * figure_panel begins the next one. */
void figure_panels(struct figure *figure, size_t panels, double panel_height_in);
void figure_panel(struct figure *figure, size_t panel, size_t panels, const char *x_label,
                  const char *y_label);

/* Writes DIRECTORY/NAME.dat and NAME.gp; STATUS_USAGE when they exist without `force`. */
int figure_write(struct figure *figure, const char *directory, bool force,
                 struct fault *fault);

/* Runs gnuplot on NAME.gp in the directory, for "pdf", "svg" or "png". STATUS_UNSUPPORTED
 * when there is no gnuplot, STATUS_IO when it fails. */
int figure_render(const char *directory, const char *name, const char *format,
                  struct fault *fault);

#endif
