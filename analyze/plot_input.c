#include "analyze/plot_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lindley.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/terminal.h"
#include "formats/profile_manifest.h"
#include "formats/run_directory.h"

void plot_input_release(struct plot_input *input)
{
    for (size_t i = 0; i < input->run_count; i++) {
        struct plot_run *run = &input->runs[i];
        buffer_release(&run->label);
        queue_release(&run->queue);
        queue_data_release(&run->queue_data);
        load_release(&run->queue_source);
        analysis_release(&run->analysis);
    }
    for (size_t i = 0; i < input->sweep_count; i++) {
        buffer_release(&input->sweeps[i].label);
        latency_profile_release(&input->sweeps[i].profile);
        free(input->sweeps[i].loads);
    }
    free(input->runs);
    free(input->sweeps);
    buffer_release(&input->objectives);
}

static int read_run(struct plot_input *input, char *path,
                    const struct common_options *common, struct fault *fault)
{
    struct plot_run *run = &input->runs[input->run_count++];
    run->path = path;
    figure_append_label(&run->label, run_directory_name(path));
    return analysis_run(&run->analysis, &run->path, 1, &input->request, WINDOW_ALL,
                        common, fault);
}

static struct plot_load load_of_stage(const struct stage_row *row)
{
    const struct timeline *timeline = &row->steady.timeline;
    return (struct plot_load){
        .planned_per_s = row->planned_per_s,
        .usable = row->evidence.use == STAGE_USABLE,
        .latencies = &row->steady.latency[BY_ARRIVAL],
        .mean_s = stage_latency(&row->evidence),
        .output_per_s = timeline->output_per_s,
        .good_per_s = timeline->good_per_s,
    };
}

static struct plot_load load_of_run(const struct summary *summary)
{
    const struct latencies *latencies = &summary->latency[BY_ARRIVAL];
    return (struct plot_load){
        .planned_per_s = summary->timeline.planned_per_s,
        .usable = true,
        .latencies = latencies,
        .mean_s = { latencies->metrics[METRIC_E2E].mean, NAN, interval_unknown },
        .output_per_s = summary->timeline.output_per_s,
        .good_per_s = summary->timeline.good_per_s,
    };
}

static int read_profile(struct plot_input *input, char *path,
                        const struct common_options *common, struct fault *fault)
{
    struct plot_sweep *sweep = &input->sweeps[input->sweep_count++];
    struct latency_profile_request request = {
        .slo = input->objectives.len > 0 ? buffer_text(&input->objectives) : NULL,
        .knee = KNEE_LIMITS_INIT,
        .stage = { .each_share = 1, .limits = input->request.limits, .common = common },
    };
    sweep->path = path;
    figure_append_label(&sweep->label, run_directory_name(path));
    int status = latency_profile_read(&sweep->profile, &path, 1, &request, fault);
    if (status < 0)
        return status;
    size_t ladder = sweep->profile.ladder;
    sweep->loads = memory_new(sweep->profile.count, sizeof *sweep->loads);
    for (size_t i = ladder; i < sweep->profile.count; i++)
        sweep->loads[sweep->count++] = load_of_stage(&sweep->profile.rows[i]);
    return STATUS_OK;
}

static int compare_loads(const void *left, const void *right)
{
    double a = ((const struct plot_load *)left)->planned_per_s;
    double b = ((const struct plot_load *)right)->planned_per_s;
    return (a > b) - (a < b);
}

/* Runs of one name get a number. */
static void tell_apart(struct plot_run *runs, size_t count)
{
    bool *alike = memory_new(count, sizeof *alike);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            alike[i] |= i != k && strcmp(buffer_text(&runs[i].label),
                                         buffer_text(&runs[k].label)) == 0;
    for (size_t i = 0; i < count; i++)
        if (alike[i])
            buffer_printf(&runs[i].label, " (%zu)", i + 1);
    free(alike);
}

/* Several plain runs are a sweep of their own. */
static void add_sweep_of_runs(struct plot_input *input)
{
    struct plot_sweep *sweep = &input->sweeps[input->sweep_count++];
    buffer_append_text(&sweep->label, "runs");
    sweep->loads = memory_new(input->run_count, sizeof *sweep->loads);
    for (size_t i = 0; i < input->run_count; i++) {
        struct plot_load load = load_of_run(&input->runs[i].analysis.summary);
        if (isfinite(load.planned_per_s))
            sweep->loads[sweep->count++] = load;
    }
    if (sweep->count > 1)
        qsort(sweep->loads, sweep->count, sizeof *sweep->loads, compare_loads);
}

int plot_input_read(struct plot_input *input, char **operands, int operand_count,
                    const struct common_options *common, struct fault *fault)
{
    int status = STATUS_OK;
    input->runs = memory_new((size_t)operand_count, sizeof *input->runs);
    input->sweeps = memory_new((size_t)operand_count + 1, sizeof *input->sweeps);
    for (int i = 0; status == STATUS_OK && i < operand_count; i++)
        status = profile_directory_is(operands[i])
                     ? read_profile(input, operands[i], common, fault)
                     : read_run(input, operands[i], common, fault);
    if (status == STATUS_OK && input->run_count > 1) {
        tell_apart(input->runs, input->run_count);
        add_sweep_of_runs(input);
    }
    return status;
}

static uint64_t events_of(const struct collection *collection)
{
    uint64_t events = 0;
    for (size_t i = 0; i < collection->log_count; i++)
        events += collection->logs[i].token_events;
    return events;
}

static int read_queue(struct plot_run *run, struct fault *fault)
{
    struct queue_settings settings = { .batch_gap_ns = BATCH_GAP_AUTO,
                                       .service_ns = LINDLEY_RECORDED,
                                       .budget_ns = -1 };
    struct progress silent;
    progress_init(&silent, false, false);
    int status = load_open(&run->queue_source, &run->path, 1, fault);
    if (status == STATUS_OK)
        status = queue_load(&run->queue_data, &run->queue_source, &silent, fault);
    if (status == STATUS_OK)
        status = queue_compute(&run->queue, &run->queue_data, &settings, fault);
    return status;
}

const struct queue *plot_run_queue(struct plot_run *run, struct figure *figure)
{
    uint64_t events = events_of(&run->analysis.collection);
    if (events > PLOT_QUEUE_EVENTS_MAX) {
        figure_refuse(figure, "%llu events are more than are held in memory for it",
                      (unsigned long long)events);
        return NULL;
    }
    struct fault fault = { 0 };
    bool failed = !run->queue_tried && read_queue(run, &fault) < 0;
    run->queue_tried = true;
    if (failed) {
        figure_refuse(figure, "%s", fault.text);
        return NULL;
    }
    if (!run->queue.served || run->queue.worker_count == 0) {
        figure_refuse(figure, "no service times in these logs");
        return NULL;
    }
    return &run->queue;
}

int plot_stage_gaps(struct ordered *gaps, const struct plot_sweep *sweep, size_t row,
                    struct fault *fault)
{
    const struct stage_row *stage = &sweep->profile.rows[row];
    struct load load = { 0 };
    struct collection collection = {
        .window = { .from_ns = (int64_t)(stage->evidence.from_s * NS_PER_S),
                    .to_ns = (int64_t)(stage->evidence.to_s * NS_PER_S) },
    };
    struct progress silent;
    progress_init(&silent, false, false);
    char *path = run_directory_file(sweep->path, stage->name);
    int status = load_open(&load, &path, 1, fault);
    if (status == STATUS_OK)
        status = load_use_wire(&load, fault);
    if (status == STATUS_OK)
        status = collection_read(&collection, &load, &silent, fault);
    *gaps = ordered_of(&collection, SLO_ITL, BY_ARRIVAL);
    collection_release(&collection);
    load_release(&load);
    free(path);
    return status;
}

struct figure_key plot_runs_key(const struct plot_input *input)
{
    struct figure_key key = { .entries = input->run_count };
    for (size_t i = 0; i < input->run_count; i++) {
        size_t characters = figure_label_width(buffer_text(&input->runs[i].label));
        key.longest = characters > key.longest ? characters : key.longest;
    }
    return key;
}
