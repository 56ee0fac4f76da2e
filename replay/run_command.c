#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "formats/base/clock.h"
#include "formats/base/json.h"
#include "formats/base/units.h"
#include "replay/command_line.h"
#include "replay/commands.h"
#include "replay/limits.h"
#include "replay/plan_options.h"
#include "replay/probe.h"
#include "replay/run.h"
#include "replay/run_options.h"

const char *const request_api_names[] = { "completions", "chat", NULL };
const char *const failed_turn_names[] = { "continue", "stop", NULL };

struct run_command_options {
    struct common_options common;
    struct plan_options plan;
    struct run_options run;
    const char *output;
};

static const struct option_spec run_option_specs[] = {
    RUN_OPTIONS(struct run_command_options, run),
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .argument = "DIR",
      .offset = offsetof(struct run_command_options, output),
      .group = "Output",
      .help = "run directory to make; default: run-DATE-TIME here" },
    PLAN_OPTIONS(struct run_command_options, plan),
    { 0 },
};

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
    return body_options_parse_vocab(body, options->vocab, fault);
}

static const char *output_or_default(const char *output, char name[64])
{
    if (output != NULL)
        return output;
    char text[CLOCK_TEXT_MAX];
    clock_format_utc(text, clock_realtime_ns());
    snprintf(name, 64, "run-%.4s%.2s%.2s-%.2s%.2s%.2s", text, text + 5, text + 8,
             text + 11, text + 14, text + 17);
    return name;
}

static void print_outcome(const char *directory, const struct run_result *result,
                          bool json)
{
    if (json) {
        printf("{\"schema\": \"tokreplay.run/1\", \"directory\": ");
        struct buffer quoted = BUFFER_INIT;
        buffer_append_json_string(&quoted, directory, strlen(directory));
        printf("%s, \"planned\": %llu, \"sent\": %llu", buffer_text(&quoted),
               (unsigned long long)result->planned, (unsigned long long)result->sent);
        buffer_release(&quoted);
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            printf(", \"%s\": %llu", outcome_name((unsigned)outcome),
                   (unsigned long long)result->outcomes[outcome]);
        printf("}\n");
        return;
    }
    char ok[UNITS_TEXT_MAX];
    char planned[UNITS_TEXT_MAX];
    printf("%s of %s requests succeeded",
           units_format_count(ok, (int64_t)result->outcomes[OUTCOME_OK]),
           units_format_count(planned, (int64_t)result->planned));
    for (int outcome = 1; outcome < OUTCOMES; outcome++)
        if (result->outcomes[outcome] > 0)
            printf("; %s: %llu", outcome_name((unsigned)outcome),
                   (unsigned long long)result->outcomes[outcome]);
    printf("\nrun directory: %s\n", directory);
}

static int exit_code_of(const struct run_result *result, int status, struct fault *fault)
{
    if (status != STATUS_OK)
        return status;
    if (result->signal != 0)
        return 128 + result->signal;
    if (result->planned > 0 && result->outcomes[OUTCOME_OK] == 0)
        return fault_set(fault, STATUS_NETWORK, "not one of %llu requests succeeded",
                         (unsigned long long)result->planned);
    return STATUS_OK;
}

#define MODEL_LIST_TIMEOUT_NS INT64_C(10000000000)

/* Everything that can be found wrong without touching the disk. A model found at the
 * server is put into *model for the caller to free. */
static int prepare(const struct run_command_options *options, struct plan *plan,
                   struct target *target, struct body_options *body, char **model,
                   struct run_setup *setup, struct fault *fault)
{
    const struct run_options *run = &options->run;
    int status = fill_body_options(body, run, fault);
    if (status == STATUS_OK && run->client_cost != NULL)
        status = client_cost_parse(&setup->cost, run->client_cost, fault);
    setup->cost.seed = (uint64_t)options->plan.seed;
    if (status == STATUS_OK)
        status = target_init(target, &run->target, fault);
    if (status == STATUS_OK)
        status = run_directory_check(setup->directory, options->common.force, fault);
    if (status == STATUS_OK)
        status = plan_build(&options->plan, plan, fault);
    if (status == STATUS_OK && plan->count == 0)
        status = fault_set(fault, STATUS_BAD_INPUT, "the plan holds no requests");
    if (status != STATUS_OK)
        return status;
    setup->workers = workers_for(run, plan->count);
    uint64_t open = run->max_open > 0      ? (uint64_t)run->max_open
                    : run->concurrency > 0 ? (uint64_t)run->concurrency
                                           : limits_open_expected(plan, run->timeout_ns);
    setup->open_expected = (open + setup->workers - 1) / setup->workers;
    status =
        limits_check(open, setup->workers, run->target.source_addresses.count, fault);
    if (status != STATUS_OK)
        return status;
    if (body->model == NULL)
        body->model = *model = target_first_model(
            target, run->timeout_ns < MODEL_LIST_TIMEOUT_NS ? run->timeout_ns
                                                            : MODEL_LIST_TIMEOUT_NS);
    return run->no_probe ? STATUS_OK : target_probe(target, body, run->timeout_ns, fault);
}

static int run_command_run(void *options_pointer, char **operands, int operand_count,
                           struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    struct run_command_options *options = options_pointer;
    char default_name[64];
    struct plan plan = { 0 };
    struct target target = { 0 };
    struct body_options body;
    char *model = NULL;
    struct run_texts words = { 0 };
    struct run_result result = { 0 };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    command_line_append(&words);
    struct run_setup setup = {
        .plan = &plan,
        .target = &target,
        .body = &body,
        .directory = output_or_default(options->output, default_name),
        .force = options->common.force,
        .pin = options->run.pin,
        .concurrency = (uint64_t)options->run.concurrency,
        .failed_turn = (enum failed_turn)options->run.failed_turn,
        .timeout_ns = options->run.timeout_ns,
        .cost_text = options->run.client_cost,
        .capture_interface = options->run.capture,
        .idle_timeout_ns = options->run.idle_timeout_ns,
        .retries = (uint32_t)options->run.retries,
        .grace_ns = options->run.grace_ns,
        .command = &words,
        .progress = !options->common.no_progress && options->common.quiet == 0,
        .verbose = options->common.verbose > 0,
    };
    int status = prepare(options, &plan, &target, &body, &model, &setup, fault);
    if (status != STATUS_OK)
        goto done;
    status = run_execute(&setup, &result, fault);
    if (result.sent > 0 && options->common.quiet == 0)
        print_outcome(setup.directory, &result, options->common.json);
    status = exit_code_of(&result, status, fault);
done:
    plan_release(&plan);
    target_release(&target);
    run_texts_release(&words);
    free(model);
    curl_global_cleanup();
    return status;
}

const struct command run_command = {
    .name = "run",
    .summary = "replay a plan against a server, write a run directory",
    .usage = "[OPTION]... --url URL --trace FILE -o DIR",
    .details = "Sends each request when it is due, whatever the server does, from "
               "several worker "
               "processes, and logs when each token reached the host and when the client "
               "saw it. "
               "Before the run one small request is sent to see that the server answers.",
    .options = run_option_specs,
    .options_size = sizeof(struct run_command_options),
    .run = run_command_run,
};
