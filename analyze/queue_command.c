/* tokanalyze queue: the client as a queue, tested instead of assumed. */
#include <stdio.h>
#include <string.h>

#include "analyze/commands.h"
#include "analyze/lindley.h"
#include "analyze/load.h"
#include "analyze/queue.h"
#include "analyze/queue_output.h"
#include "formats/base/buffer.h"
#include "formats/base/json.h"
#include "formats/base/output_file.h"
#include "formats/base/terminal.h"
#include "formats/base/units.h"

struct queue_options {
    struct common_options common;
    bool wire;
    const char *from;
    const char *to;
    const char *batch_gap;
    const char *workers;
    const char *service;
    const char *budget;
    bool by_worker;
    const char *output;
};

static const struct option_spec specs[] = {
    { .name = "wire", .type = OPTION_FLAG, .group = "What is counted",
      .offset = offsetof(struct queue_options, wire),
      .help = "take arrivals from the packets, wire.toklog of each run directory, "
              "instead of the client's kernel" },
    { .name = "from", .type = OPTION_STRING, .argument = "TIME|SHARE",
      .offset = offsetof(struct queue_options, from),
      .help = "leave out events that arrive earlier than this after the first: 30s, or "
              "20% of the span of all" },
    { .name = "to", .type = OPTION_STRING, .argument = "TIME|SHARE",
      .offset = offsetof(struct queue_options, to),
      .help = "leave out events that arrive later than this, likewise" },
    { .name = "batch-gap", .type = OPTION_STRING, .argument = "TIME|auto",
      .offset = offsetof(struct queue_options, batch_gap),
      .help = "events that follow each other within this arrive as one batch (default "
              "auto: the shortest that leaves the batches no more clustered than a "
              "Poisson process)" },
    { .name = "what-if-workers", .type = OPTION_STRING, .argument = "N,N...",
      .default_text = "1,2,4,8,16", .group = "What if",
      .offset = offsetof(struct queue_options, workers),
      .help = "numbers of workers to share the recorded arrivals among" },
    { .name = "what-if-service", .type = OPTION_STRING, .argument = "TIME",
      .offset = offsetof(struct queue_options, service),
      .help = "suppose a client that takes so long over each event" },
    { .name = "budget", .type = OPTION_STRING, .argument = "TIME",
      .offset = offsetof(struct queue_options, budget),
      .help = "p99 wait that the number of workers should keep (default: 1 % of the "
              "median TPOT)" },
    { .name = "by-worker", .type = OPTION_FLAG, .group = "Output",
      .offset = offsetof(struct queue_options, by_worker),
      .help = "all figures of each worker, even when there are several" },
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "FILE",
      .offset = offsetof(struct queue_options, output),
      .help = "write there instead of standard output" },
    { 0 },
};

/* "20%" or a duration. */
static int parse_bound(const char *option, const char *text, struct queue_bound *bound,
                       struct fault *fault)
{
    if (!text)
        return STATUS_OK;
    size_t len = strlen(text);
    int status;
    bound->given = true;
    bound->is_share = len > 1 && text[len - 1] == '%';
    if (bound->is_share) {
        struct buffer number = BUFFER_INIT;
        buffer_append(&number, text, len - 1);
        status = units_parse_float(buffer_text(&number), &bound->share, fault);
        buffer_release(&number);
        bound->share /= 100;
        if (status == STATUS_OK && !(bound->share >= 0 && bound->share <= 1))
            status = fault_set(fault, STATUS_USAGE,
                               "'%s' is not a share from 0%% to 100%%", text);
    } else {
        status = units_parse_duration(text, &bound->offset_ns, fault);
    }
    if (status < 0)
        fault_prefix(fault, "--%s", option);
    return status;
}

static int parse_time(const char *option, const char *text, int64_t otherwise,
                      int64_t *time_ns, struct fault *fault)
{
    *time_ns = otherwise;
    if (!text)
        return STATUS_OK;
    int status = units_parse_duration(text, time_ns, fault);
    if (status < 0)
        fault_prefix(fault, "--%s", option);
    return status;
}

static int parse_workers(const char *text, struct queue_settings *settings,
                         struct fault *fault)
{
    while (*text) {
        size_t len = strcspn(text, ",");
        struct buffer number = BUFFER_INIT;
        int64_t workers = 0;
        buffer_append(&number, text, len);
        int status = units_parse_int(buffer_text(&number), &workers, fault);
        buffer_release(&number);
        if (status == STATUS_OK && (workers < 1 || workers > LINDLEY_WORKERS_MAX))
            status = fault_set(fault, STATUS_USAGE, "%.*s is not from 1 to %d", (int)len,
                               text, LINDLEY_WORKERS_MAX);
        if (status == STATUS_OK && settings->workers_count == QUEUE_WHAT_IFS_MAX)
            status = fault_set(fault, STATUS_USAGE, "more than %d numbers",
                               QUEUE_WHAT_IFS_MAX);
        if (status < 0) {
            fault_prefix(fault, "--what-if-workers");
            return status;
        }
        settings->workers[settings->workers_count++] = (uint32_t)workers;
        text += len + (text[len] == ',');
    }
    return STATUS_OK;
}

static int parse_settings(const struct queue_options *options,
                          struct queue_settings *settings, struct fault *fault)
{
    const char *gap = options->batch_gap;
    if (gap && strcmp(gap, "auto") == 0)
        gap = NULL;
    int status = parse_bound("from", options->from, &settings->from, fault);
    if (status == STATUS_OK)
        status = parse_bound("to", options->to, &settings->to, fault);
    if (status == STATUS_OK)
        status = parse_time("batch-gap", gap, BATCH_GAP_AUTO, &settings->batch_gap_ns,
                            fault);
    if (status == STATUS_OK)
        status = parse_time("what-if-service", options->service, LINDLEY_RECORDED,
                            &settings->service_ns, fault);
    if (status == STATUS_OK)
        status = parse_time("budget", options->budget, -1, &settings->budget_ns, fault);
    if (status == STATUS_OK)
        status = parse_workers(options->workers, settings, fault);
    return status;
}

static int use_wire(struct load *load, struct fault *fault)
{
    for (size_t i = 0; i < load->run_count; i++)
        if (!load->runs[i].wire_path)
            return fault_set(fault, STATUS_BAD_INPUT,
                             "%s: no wire.toklog; tokrecord extract makes one",
                             load->runs[i].path);
    if (load->run_count == 0)
        return fault_set(fault, STATUS_USAGE, "--wire needs a run directory");
    return load_use_wire(load, fault);
}

static int write_queue(const struct queue *queue, const struct queue_options *options,
                       struct fault *fault)
{
    struct output_file file = { 0 };
    unsigned flags = options->common.force ? OUTPUT_FORCE : 0;
    int status = output_file_open(&file, options->output, flags, fault);
    if (status < 0)
        return status;
    if (options->common.json) {
        json_t *document = queue_json(queue);
        status = json_write_stream(document, file.stream, fault);
        json_decref(document);
    } else {
        struct queue_text_options text = { .by_worker = options->by_worker };
        struct sheet sheet = { .out = file.stream };
        queue_show(&sheet, queue, &text);
        sheet_release(&sheet);
    }
    return output_file_finish(&file, status, fault);
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct queue_options *options = given;
    struct queue_settings settings = { 0 };
    struct load load = { 0 };
    struct queue_data data = { 0 };
    struct queue queue = { 0 };
    struct progress progress;
    progress_init(&progress, !options->common.no_progress && options->common.quiet == 0,
                  options->common.verbose > 0);

    int status = parse_settings(options, &settings, fault);
    if (status == STATUS_OK)
        status = load_open(&load, operands, operand_count, fault);
    if (status == STATUS_OK && load.run_count > 1)
        status = fault_set(fault, STATUS_USAGE,
                           "one run at a time: events of two runs never meet");
    if (status == STATUS_OK && options->wire)
        status = use_wire(&load, fault);
    if (status == STATUS_OK)
        status = queue_load(&data, &load, &progress, fault);
    if (status == STATUS_OK)
        status = queue_compute(&queue, &data, &settings, fault);
    if (status == STATUS_OK)
        status = write_queue(&queue, options, fault);
    queue_release(&queue);
    queue_data_release(&data);
    load_release(&load);
    return status;
}

const struct command queue_command = {
    .name = "queue",
    .summary = "the client as a queue: its waits beside what models say",
    .usage = "[OPTION]... RUNDIR|LOG...",
    .details =
        "Each worker is one server and each event of an answer one customer, served in "
        "the order in which the client had them in hand. Prints estimates, the observed "
        "wait beside M/G/1, M^X/G/1, bounds and Lindley's recursion on the recorded "
        "arrivals, tests of what the models assume, and what other numbers of workers "
        "would have done. Logs of arrivals alone (packets, other tools) need "
        "--what-if-service.",
    .options = specs,
    .options_size = sizeof(struct queue_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
