#include "analyze/plot_input.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/lindley.h"
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
    free(input->runs);
    free(input->loads);
}

static void add_load(struct plot_input *input, const struct summary *summary)
{
    input->loads = memory_grow(input->loads, input->load_count, &input->load_capacity,
                               sizeof *input->loads);
    const struct latencies *latencies = &summary->latency[BY_ARRIVAL];
    const struct timeline *timeline = &summary->timeline;
    input->loads[input->load_count++] = (struct plot_load){
        .planned_per_s = timeline->planned_per_s,
        .ttft = latencies->metrics[METRIC_TTFT],
        .tpot = latencies->metrics[METRIC_TPOT],
        .output_per_s = timeline->output_per_s,
        .good_per_s = timeline->good_per_s,
    };
}

/* The last component of a path. */
static const char *base_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' && at[1] != '\0' && at[1] != '/')
            name = at + 1;
    return name;
}

static int read_run(struct plot_input *input, char *path,
                    const struct common_options *common, struct fault *fault)
{
    struct plot_run *run = &input->runs[input->run_count++];
    run->path = path;
    figure_append_label(&run->label, base_name(path));
    int status = analysis_run(&run->analysis, &run->path, 1, &input->request, WINDOW_ALL,
                              common, fault);
    if (status == STATUS_OK)
        add_load(input, &run->analysis.summary);
    return status;
}

/* One stage at a time: only its figures are kept. */
static int read_stage(struct plot_input *input, const char *directory,
                      const struct profile_stage *stage,
                      const struct common_options *common, struct fault *fault)
{
    struct analysis analysis = { 0 };
    char *path = run_directory_file(directory, stage->directory);
    int status =
        analysis_run(&analysis, &path, 1, &input->request, WINDOW_ALL, common, fault);
    if (status == STATUS_OK)
        add_load(input, &analysis.summary);
    analysis_release(&analysis);
    free(path);
    return status;
}

static int read_profile(struct plot_input *input, const char *directory,
                        const struct common_options *common, struct fault *fault)
{
    struct profile_manifest manifest = { 0 };
    int status = profile_manifest_read(&manifest, directory, fault);
    for (size_t i = 0; status == STATUS_OK && i < manifest.count; i++)
        if (manifest.stages[i].finished && manifest.stages[i].purpose != STAGE_LADDER)
            status = read_stage(input, directory, &manifest.stages[i], common, fault);
    profile_manifest_release(&manifest);
    return status;
}

static int compare_loads(const void *left, const void *right)
{
    double a = ((const struct plot_load *)left)->planned_per_s;
    double b = ((const struct plot_load *)right)->planned_per_s;
    return (a > b) - (a < b);
}

int plot_input_read(struct plot_input *input, char **operands, int operand_count,
                    const struct common_options *common, struct fault *fault)
{
    int status = STATUS_OK;
    input->runs = memory_new((size_t)operand_count, sizeof *input->runs);
    for (int i = 0; status == STATUS_OK && i < operand_count; i++)
        status = profile_directory_is(operands[i])
                     ? read_profile(input, operands[i], common, fault)
                     : read_run(input, operands[i], common, fault);
    size_t known = 0;
    for (size_t i = 0; i < input->load_count; i++)
        if (isfinite(input->loads[i].planned_per_s))
            input->loads[known++] = input->loads[i];
    input->load_count = known;
    if (known > 1)
        qsort(input->loads, known, sizeof *input->loads, compare_loads);
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
    if (!run->queue_tried && read_queue(run, &fault) < 0)
        figure_refuse(figure, "%s", fault.text);
    run->queue_tried = true;
    if (!run->queue.served || run->queue.worker_count == 0) {
        figure_refuse(figure, "no service times in these logs");
        return NULL;
    }
    return &run->queue;
}
