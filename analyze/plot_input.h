/* What figures are made of: runs that were read and judged. */
#ifndef TOKTRACE_PLOT_INPUT_H
#define TOKTRACE_PLOT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/analysis.h"
#include "analyze/figure.h"
#include "analyze/queue.h"

/* Events of a run that are held in memory for the figures of the queue; 32 bytes each. */
#define PLOT_QUEUE_EVENTS_MAX UINT64_C(40000000)

struct plot_run {
    struct buffer label;  /* what figure_append_label made of its path */
    char *path;           /* borrowed */
    struct analysis analysis;
    bool queue_tried;
    struct load queue_source;
    struct queue_data queue_data;
    struct queue queue;   /* by plot_run_queue */
};

/* A load at which latencies were measured: a run, or a stage of a profile. */
struct plot_load {
    double planned_per_s;
    struct distribution ttft;
    struct distribution tpot;
    double output_per_s; /* tokens */
    double good_per_s;   /* requests within the objectives; that succeeded, without */
};

struct plot_input {
    struct plot_run *runs; /* owned */
    size_t run_count;
    struct plot_load *loads; /* owned; ascending in load */
    size_t load_count;
    size_t load_capacity;
    struct slo slo;        /* statistics of runs, for the staircase */
    struct summary_request request;
};

void plot_input_release(struct plot_input *input);

/* Reads runs, and the stages of profile directories as loads. */
int plot_input_read(struct plot_input *input, char **operands, int operand_count,
                    const struct common_options *common, struct fault *fault);

/* The client of this run as a queue, computed at the first call; NULL, with the figure
 * refused, when the run has none or too many events. */
const struct queue *plot_run_queue(struct plot_run *run, struct figure *figure);

typedef void plot_figure_fn(struct figure *figure, struct plot_input *input);

struct plot_figure {
    const char *name;
    const char *meaning;
    plot_figure_fn *make;
};

extern const struct plot_figure plot_figures[];
extern const size_t plot_figure_count;

plot_figure_fn plot_cdf, plot_tail, plot_bias, plot_itl, plot_lag, plot_queue,
    plot_service, plot_timeline, plot_gantt, plot_ntpot, plot_profile, plot_throughput;

#endif
