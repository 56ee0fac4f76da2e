#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "formats/base/clock.h"
#include "formats/base/json.h"
#include "formats/base/units.h"
#include "replay/commands.h"
#include "replay/run_prepare.h"

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
    if (result->signal != 0 && result->lost_workers == 0)
        return 128 + result->signal;
    if (status != STATUS_OK)
        return status;
    if (result->planned > 0 && result->outcomes[OUTCOME_OK] == 0)
        return fault_set(fault, STATUS_NETWORK, "not one of %llu requests succeeded",
                         (unsigned long long)result->planned);
    return STATUS_OK;
}

static int run_command_run(void *options_pointer, char **operands, int operand_count,
                           struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    struct run_command_options *options = options_pointer;
    char default_name[64];
    const char *directory = output_or_default(options->output, default_name);
    struct run_context context = { 0 };
    struct run_result result = { 0 };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int status = run_context_init(&context, &options->common, &options->run,
                                  &options->plan, directory, fault);
    if (status != STATUS_OK)
        goto done;
    status = run_execute(&context.setup, &result, fault);
    if (result.sent > 0 && options->common.quiet == 0)
        print_outcome(directory, &result, options->common.json);
    status = exit_code_of(&result, status, fault);
done:
    run_context_release(&context);
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
