/* What figures are made of: runs that were read and judged, and sweeps over loads. */
#ifndef TOKTRACE_PLOT_INPUT_H
#define TOKTRACE_PLOT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/analysis.h"
#include "analyze/figure.h"
#include "analyze/latency_profile.h"
#include "analyze/ordered.h"
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
    bool usable; /* says something of the server; of plain runs always */
    const struct latencies *latencies; /* borrowed; by arrival */
    struct stage_estimate mean_s; /* from sent to end; no interval for plain runs */
    double output_per_s; /* tokens */
    double good_per_s;   /* requests within the objectives; that succeeded, without */
};

/* A profile without its ladder, or all plain runs together. */
struct plot_sweep {
    struct buffer label;
    char *path; /* borrowed; NULL for plain runs */
    struct latency_profile profile; /* {0} for plain runs */
    struct plot_load *loads; /* owned; ascending in load */
    size_t count;
};

struct plot_input {
    struct plot_run *runs; /* owned */
    size_t run_count;
    struct plot_sweep *sweeps; /* owned; of at least two loads each */
    size_t sweep_count;
    /* Set these before reading. */
    struct buffer objectives; /* all, for profiles; "": as each was run */
    struct slo slo;           /* statistics of runs, for the staircase */
    struct summary_request request;
};

void plot_input_release(struct plot_input *input);

/* Reads runs and profile directories. */
int plot_input_read(struct plot_input *input, char **operands, int operand_count,
                    const struct common_options *common, struct fault *fault);

/* The client of this run as a queue, computed at the first call; NULL, with the figure
 * refused, when the run has none or too many events. */
const struct queue *plot_run_queue(struct plot_run *run, struct figure *figure);

/* Gaps between the token events, by arrival, of the requests due in the steady part of
 * stage `row` of a sweep's profile; reads its logs. Release in any case. */
int plot_stage_gaps(struct ordered *gaps, const struct plot_sweep *sweep, size_t row,
                    struct fault *fault);

/* The key that names all runs. */
struct figure_key plot_runs_key(const struct plot_input *input);

/* What a figure is made of. */
enum plot_subject {
    PLOT_ALL_RUNS,
    PLOT_EACH_RUN,   /* one figure per run */
    PLOT_EACH_SWEEP, /* one figure per sweep */
    PLOT_EVERYTHING, /* runs and the stages of profiles */
};

/* `item`: which run, or which sweep, for those of which there is one figure each. */
typedef void plot_figure_fn(struct figure *figure, struct plot_input *input, size_t item);

struct plot_figure {
    const char *name;
    enum plot_subject subject;
    plot_figure_fn *make;
};

plot_figure_fn plot_cdf, plot_tail, plot_bias, plot_itl, plot_lag, plot_queue,
    plot_service, plot_timeline, plot_gantt, plot_ntpot, plot_profile, plot_throughput;

#endif
