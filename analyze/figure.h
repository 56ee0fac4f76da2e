/* One figure: the columns of NAME.dat and the gnuplot commands of NAME.gp, built up as
 * text. All figures share their terminals, colours, margins and axes from here. */
#ifndef TOKTRACE_FIGURE_H
#define TOKTRACE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

enum { FIGURE_PROBLEM_MAX = 160, FIGURE_LABEL_MAX = 24, FIGURE_NAME_MAX = 32 };
enum { FIGURE_PANELS_MAX = 8 };

/* The entries of a panel's key: how many, and the characters of the longest. */
struct figure_key {
    size_t entries;
    size_t longest;
};

struct figure {
    char name[FIGURE_NAME_MAX]; /* "cdf", "gantt-2" */
    double width_in;
    double height_in;     /* by figure_panels */
    struct buffer data;   /* NAME.dat */
    struct buffer script; /* NAME.gp below the part that all figures share */
    size_t blocks;        /* of data, apart by two empty lines: gnuplot's index */
    size_t blocks_capacity;
    size_t *rows;         /* owned; of each block, those that can be drawn */
    bool begun;           /* the last block has a line */
    size_t panels;
    size_t columns;       /* of panels */
    double panel_height_in;
    double names_in;      /* more room below each panel; set before figure_panels */
    struct figure_key keys[FIGURE_PANELS_MAX];
    size_t curves;        /* of the last panel */
    size_t all_curves;
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

/* A line of data; values that are not finite become "nan", which gnuplot leaves out. It
 * can be drawn when the first two are finite. */
void figure_row(struct figure *figure, const double *values, size_t count);

/* Ends the last block. One without a line gets a line of "nan": gnuplot would not count
 * it, and take the next for it. */
void figure_block_end(struct figure *figure);

/* Appends a line of gnuplot. */
void figure_line(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends text from outside as it may stand between quotes of gnuplot, in a remark or in
 * a page: valid UTF-8 of at most FIGURE_LABEL_MAX characters, controls and marks of
 * direction become '?', quotes and backquotes an apostrophe of print. */
void figure_append_label(struct buffer *text, const char *outside);

/* The same with another bound on the characters. */
void figure_append_text(struct buffer *text, const char *outside, size_t characters_max);

/* Characters of a label as wide as a Latin one; those of East Asia count twice. */
size_t figure_label_width(const char *label);

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

/* The range of a linear axis, with at most seven tics or so. */
void figure_linear_axis(struct figure *figure, const char *axis, double low, double high);

/* Lays out panels of equal height, each with a key above it as long as it needs (no
 * entries: none), one above the other or, in wide figures, two beside each other. Margins
 * do not depend on labels, so that figures align. */
void figure_panels(struct figure *figure, size_t panels, double panel_height_in,
                   const struct figure_key *keys);

/* Begins one of the panels, with linear axes whose ranges follow from the data. */
void figure_panel(struct figure *figure, size_t panel, const char *x_label,
                  const char *y_label);

/* Adds a curve of a block to the panel: what follows 'NAME.dat' index BLOCK in gnuplot's
 * `plot`, such as "using 1:2 with lines lt 1 notitle". Nothing when the block has no row
 * that can be drawn, which gnuplot would warn of. */
void figure_curve(struct figure *figure, size_t block, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Draws something that is not in the data, such as "x with lines title 'equal'". */
void figure_extra(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the panel; one without curves says so. */
void figure_panel_end(struct figure *figure);

/* STATUS_USAGE when DIRECTORY/NAME.SUFFIX exists: nothing is overwritten unasked. */
int figure_check_absent(const char *directory, const char *name, const char *suffix,
                        struct fault *fault);

/* Writes DIRECTORY/NAME.dat and NAME.gp over older ones. */
int figure_write(struct figure *figure, const char *directory, struct fault *fault);

/* Runs gnuplot on NAME.gp in the directory, for "pdf", "svg" or "png"; NAME.FORMAT is
 * whole or not there. STATUS_UNSUPPORTED when there is no gnuplot, STATUS_IO when it
 * fails. */
int figure_render(const char *directory, const char *name, const char *format,
                  struct fault *fault);

#endif
