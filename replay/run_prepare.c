#include "replay/run_prepare.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "replay/calibrate.h"
#include "replay/command_line.h"
#include "replay/first_model.h"
#include "replay/limits.h"
#include "replay/probe.h"

#define MODEL_LIST_TIMEOUT_NS INT64_C(10000000000)

const char *const request_api_names[] = { "completions", "chat", NULL };
const char *const failed_turn_names[] = { "continue", "stop", NULL };

static uint32_t default_workers(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&allowed);
}

/* No more workers than requests that may be open, or than there are at all. */
static uint32_t workers_for(const struct run_options *options, size_t requests)
{
    uint64_t workers =
        options->workers > 0 ? (uint64_t)options->workers : default_workers();
    if (options->concurrency > 0 && workers > (uint64_t)options->concurrency)
        workers = (uint64_t)options->concurrency;
    if (workers > requests)
        workers = requests;
    return workers == 0 ? 1 : (uint32_t)workers;
}

static int fill_body_options(struct body_options *body, const struct run_options *options,
                             struct fault *fault)
{
    *body = (struct body_options)BODY_OPTIONS_INIT;
    body->api = (enum request_api)options->target.api;
    body->model = options->model;
    body->ignore_eos = !options->respect_eos;
    body->stream = !options->no_stream;
    body->words = options->words;
    return body_options_parse_vocab(body, options->vocab, fault);
}

static void append_plan_notes(struct run_texts *notes, const struct plan *plan)
{
    const char *at = plan->notes.data;
    const char *end = at + plan->notes.len;
    while (plan->notes.len > 0 && at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((line_end == NULL ? end : line_end) - at);
        char *line = memory_copy_text(at, len);
        run_texts_append(notes, line);
        free(line);
        at += len + 1;
    }
}

static int calibrate_prompts(struct run_context *context, const struct run_options *run,
                             struct fault *fault)
{
    if (!run->calibrate || !body_options_use_words(&context->body))
        return STATUS_OK;
    double error;
    int status = calibrate(&context->target, &context->plan, run->timeout_ns,
                           &context->body, &error, fault);
    if (status != STATUS_OK)
        return status;
    char note[160];
    snprintf(note, sizeof note,
             "prompts calibrated: %.4f words per token, %.1f tokens beside them; "
             "mean error of their lengths %.2f %%%s",
             context->body.words_per_token, context->body.overhead_tokens, error * 100,
             error < CALIBRATE_GOAL ? "" : ", more than wanted");
    run_texts_append(&context->notes, note);
    return STATUS_OK;
}

/* Asks the server what only it knows, and whether it answers at all. */
static int ask_server(struct run_context *context, const struct run_options *run,
                      struct fault *fault)
{
    struct body_options *body = &context->body;
    if (body->model == NULL)
        body->model = context->model =
            target_first_model(&context->target, run->timeout_ns < MODEL_LIST_TIMEOUT_NS
                                                     ? run->timeout_ns
                                                     : MODEL_LIST_TIMEOUT_NS);
    int status = run->no_probe
                     ? STATUS_OK
                     : target_probe(&context->target, body, run->timeout_ns, fault);
    return status != STATUS_OK ? status : calibrate_prompts(context, run, fault);
}

/* How many streams may be open, and whether this machine can hold them. */
static int size_run(struct run_context *context, const struct run_options *run,
                    struct fault *fault)
{
    struct run_setup *setup = &context->setup;
    setup->workers = workers_for(run, context->plan.count);
    uint64_t open = run->max_open > 0 ? (uint64_t)run->max_open
                    : run->concurrency > 0
                        ? (uint64_t)run->concurrency
                        : limits_open_expected(&context->plan, run->timeout_ns);
    setup->open_expected = (open + setup->workers - 1) / setup->workers;
    return limits_check(open, setup->workers, run->target.source_addresses.count, fault);
}

static void fill_setup(struct run_context *context, const struct common_options *common,
                       const struct run_options *run, const char *directory)
{
    struct client_cost cost = context->setup.cost;
    context->setup = (struct run_setup){
        .plan = &context->plan,
        .target = &context->target,
        .body = &context->body,
        .directory = directory,
        .force = common->force,
        .pin = run->pin,
        .concurrency = (uint64_t)run->concurrency,
        .failed_turn = (enum failed_turn)run->failed_turn,
        .timeout_ns = run->timeout_ns,
        .idle_timeout_ns = run->idle_timeout_ns,
        .grace_ns = run->grace_ns,
        .retries = (uint32_t)run->retries,
        .cost = cost,
        .cost_text = run->client_cost,
        .capture_interface = run->capture,
        .command = &context->command,
        .notes = &context->notes,
        .progress = !common->no_progress && common->quiet == 0,
        .verbose = common->verbose > 0,
    };
}

/* A closed loop needs no times. */
static int build_plan(struct run_context *context, const struct run_options *run,
                      const struct plan_options *plan, struct fault *fault)
{
    struct plan_options options = *plan;
    options.allow_untimed = run->concurrency > 0;
    return plan_build(&options, &context->plan, fault);
}

int run_context_init(struct run_context *context, const struct common_options *common,
                     const struct run_options *run, const struct plan_options *plan,
                     const char *directory, struct fault *fault)
{
    *context = (struct run_context){ 0 };
    int status = fill_body_options(&context->body, run, fault);
    if (status == STATUS_OK && run->client_cost != NULL)
        status = client_cost_parse(&context->setup.cost, run->client_cost, fault);
    if (status == STATUS_OK)
        status = target_init(&context->target, &run->target, fault);
    if (status == STATUS_OK && directory != NULL)
        status = run_directory_check(directory, common->force, fault);
    if (status == STATUS_OK)
        status = build_plan(context, run, plan, fault);
    if (status == STATUS_OK && context->plan.count == 0)
        status = fault_set(fault, STATUS_BAD_INPUT, "the plan holds no requests");
    if (status != STATUS_OK)
        return status;
    context->setup.cost.seed = context->plan.seed;
    fill_setup(context, common, run, directory);
    command_line_append(&context->command);
    append_plan_notes(&context->notes, &context->plan);
    status = size_run(context, run, fault);
    return status != STATUS_OK ? status : ask_server(context, run, fault);
}

int run_context_replan(struct run_context *context, const struct run_options *run,
                       const struct plan_options *plan, const char *directory,
                       struct fault *fault)
{
    plan_release(&context->plan);
    context->plan = (struct plan){ 0 };
    context->setup.directory = directory;
    int status = build_plan(context, run, plan, fault);
    return status != STATUS_OK ? status : size_run(context, run, fault);
}

void run_context_release(struct run_context *context)
{
    plan_release(&context->plan);
    target_release(&context->target);
    run_texts_release(&context->command);
    run_texts_release(&context->notes);
    free(context->model);
}
