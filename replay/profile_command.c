#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/units.h"
#include "replay/commands.h"
#include "replay/profile.h"

static const char *const sweep_kind_names[] = { "linear", "geometric", NULL };

struct profile_command_options {
    struct common_options common;
    struct run_options run;
    const char *output;
    int sweep;
    double from_per_s;
    const char *to;
    int64_t stages;
    int64_t stage_duration_ns;
    int64_t drain_ns;
    int64_t refine;
    int64_t repeat;
    bool past_saturation;
    bool resume;
    const char *slo;
    const char *arrivals;
    const char *trace;
    const char *input_tokens;
    const char *output_tokens;
    int64_t seed;
};

#define FIELD(name) .offset = offsetof(struct profile_command_options, name)

static const struct option_spec profile_option_specs[] = {
    { .name = "sweep",
      .type = OPTION_CHOICE,
      FIELD(sweep),
      .default_text = "linear",
      .argument = "HOW",
      .choices = sweep_kind_names,
      .group = "Sweep",
      .help = "how rates rise from stage to stage" },
    { .name = "from",
      .type = OPTION_RATE,
      FIELD(from_per_s),
      .argument = "RATE",
      .min_exclusive = true,
      .help = "rate of the first stage; with --to auto a tenth of what is found" },
    { .name = "to",
      .type = OPTION_STRING,
      FIELD(to),
      .default_text = "auto",
      .argument = "RATE",
      .help = "rate of the last; auto: 1.5 times the throughput of a closed loop that "
              "rises no more" },
    { .name = "stages",
      .type = OPTION_INT,
      FIELD(stages),
      .default_text = "10",
      .argument = "N",
      .min = 1,
      .max = 1000,
      .help = "stages of the rise" },
    { .name = "stage-duration",
      .type = OPTION_DURATION,
      FIELD(stage_duration_ns),
      .default_text = "30s",
      .argument = "TIME",
      .min = 1e8,
      .max = 1e14,
      .help = "how long each stage sends; at least four times what a request takes" },
    { .name = "drain",
      .type = OPTION_DURATION,
      FIELD(drain_ns),
      .default_text = "30s",
      .argument = "TIME",
      .max = 1e14,
      .help = "after a stage, how long its open streams may go on before they are "
              "cancelled" },
    { .name = "refine",
      .type = OPTION_INT,
      FIELD(refine),
      .default_text = "3",
      .argument = "N",
      .max = 100,
      .help = "bisections between the last rate that held and the first that did not" },
    { .name = "repeat",
      .type = OPTION_INT,
      FIELD(repeat),
      .default_text = "1",
      .argument = "K",
      .min = 1,
      .max = 1000,
      .help = "run each rate K times, with other draws" },
    { .name = "past-saturation",
      .type = OPTION_FLAG,
      FIELD(past_saturation),
      .help = "run all stages of the rise; default: stop after two saturated ones" },
    { .name = "slo",
      .type = OPTION_STRING,
      FIELD(slo),
      .argument = "EXPR",
      .help = "objectives for the analysis, such as 'ttft_p99<500ms,tpot_p95<50ms'" },
    { .name = "arrivals",
      .type = OPTION_STRING,
      FIELD(arrivals),
      .default_text = "poisson",
      .argument = "LAW",
      .group = "Load of each stage",
      .help =
          "law of the times: constant, poisson, gamma:CV or onoff:ON,OFF[,FRACTION]" },
    { .name = "trace",
      .letter = 't',
      .type = OPTION_PATH,
      FIELD(trace),
      .argument = "FILE",
      .help = "lengths of prompts and answers are drawn together from this trace" },
    { .name = "input-tokens",
      .type = OPTION_STRING,
      FIELD(input_tokens),
      .argument = "LAW",
      .help = "prompt lengths: N, uniform:A,B, normal:MEAN,SD or lognormal:MEAN,SD" },
    { .name = "output-tokens",
      .type = OPTION_STRING,
      FIELD(output_tokens),
      .argument = "LAW",
      .help = "answer lengths, likewise" },
    { .name = "seed",
      .type = OPTION_INT,
      FIELD(seed),
      .default_text = "1",
      .argument = "N",
      .max = 9e15,
      .help = "of everything that is drawn; stage i draws with N + i" },
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      FIELD(output),
      .argument = "DIR",
      .group = "Output",
      .help = "directory to make: a manifest, and a run directory per stage" },
    { .name = "resume",
      .type = OPTION_FLAG,
      FIELD(resume),
      .help = "go on with the profile in DIR, begun with the same options" },
    RUN_OPTIONS(struct profile_command_options, run),
    { 0 },
};

static int read_range(struct sweep *sweep, const struct profile_command_options *options,
                      struct fault *fault)
{
    sweep->from_per_s = options->from_per_s;
    if (strcmp(options->to, "auto") == 0)
        return STATUS_OK;
    int status = units_parse_rate(options->to, &sweep->to_per_s, fault);
    if (status != STATUS_OK) {
        fault_prefix(fault, "--to");
        return status;
    }
    if (sweep->from_per_s <= 0)
        return fault_set(fault, STATUS_USAGE, "--to %s: expected --from with it",
                         options->to);
    if (sweep->to_per_s < sweep->from_per_s)
        return fault_set(fault, STATUS_USAGE, "--to %s: less than --from", options->to);
    return STATUS_OK;
}

static int read_lengths(struct plan_options *plan,
                        const struct profile_command_options *options,
                        struct fault *fault)
{
    bool laws = options->input_tokens != NULL && options->output_tokens != NULL;
    if (laws == (options->trace != NULL))
        return fault_set(
            fault, STATUS_USAGE,
            "lengths: expected --trace, or --input-tokens and --output-tokens");
    plan->input_tokens = laws ? options->input_tokens : options->trace;
    plan->output_tokens = laws ? options->output_tokens : options->trace;
    return STATUS_OK;
}

/* All that decides what is run; a profile goes on only with the same. */
static void describe(struct buffer *parameters,
                     const struct profile_command_options *options)
{
    buffer_printf(
        parameters,
        "sweep %s from %.17g to %s, %lld stages of %lld ns, refine %lld, repeat %lld, "
        "past saturation %d; arrivals %s, input %s, output %s, seed %lld; url %s",
        sweep_kind_names[options->sweep], options->from_per_s, options->to,
        (long long)options->stages, (long long)options->stage_duration_ns,
        (long long)options->refine, (long long)options->repeat, options->past_saturation,
        options->arrivals,
        options->trace != NULL ? options->trace : options->input_tokens,
        options->trace != NULL ? options->trace : options->output_tokens,
        (long long)options->seed,
        options->run.target.url == NULL ? "" : options->run.target.url);
}

static int fill_setup(struct profile_setup *setup,
                      const struct profile_command_options *options, struct fault *fault)
{
    if (options->output == NULL)
        return fault_set(fault, STATUS_USAGE,
                         "--output is needed: where the profile goes");
    if (options->run.concurrency > 0)
        return fault_set(fault, STATUS_USAGE,
                         "--concurrency: a profile sweeps open loops");
    *setup = (struct profile_setup){
        .common = &options->common,
        .run = &options->run,
        .plan = PLAN_OPTIONS_INIT,
        .sweep = {
            .kind = (enum sweep_kind)options->sweep,
            .stages = (uint32_t)options->stages,
            .refine = (uint32_t)options->refine,
            .repetitions = (uint32_t)options->repeat,
            .stop_at_saturation = !options->past_saturation,
        },
        .stage_duration_ns = options->stage_duration_ns,
        .drain_ns = options->drain_ns,
        .slo = options->slo,
        .directory = options->output,
        .resume = options->resume,
    };
    setup->plan.arrivals = options->arrivals;
    setup->plan.seed = options->seed;
    int status = read_range(&setup->sweep, options, fault);
    return status != STATUS_OK ? status : read_lengths(&setup->plan, options, fault);
}

static void print_end(const struct profile_command_options *options,
                      const struct profile_result *result)
{
    if (options->common.json)
        printf(
            "{\"schema\": \"tokreplay.profile/1\", \"stages\": %u, \"last\": \"%s\"}\n",
            result->stages, stage_finding_name(result->last));
    else if (options->common.quiet == 0)
        printf("profile: %s (%u stages); see it with: tokanalyze profile %s\n",
               options->output, result->stages, options->output);
}

static int profile_command_run(void *options_pointer, char **operands, int operand_count,
                               struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    struct profile_command_options *options = options_pointer;
    struct profile_setup setup;
    struct profile_result result = { 0 };
    struct buffer parameters = BUFFER_INIT;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int status = fill_setup(&setup, options, fault);
    if (status == STATUS_OK) {
        describe(&parameters, options);
        setup.parameters = buffer_text(&parameters);
        status = profile_execute(&setup, &result, fault);
    }
    if (result.stages > 0)
        print_end(options, &result);
    buffer_release(&parameters);
    curl_global_cleanup();
    /* a stage that was interrupted before its start reports a failure too */
    return result.signal != 0 ? 128 + result.signal : status;
}

const struct command profile_command = {
    .name = "profile",
    .summary = "raise the load in stages until the server saturates",
    .usage = "[OPTION]... --url URL --input-tokens LAW --output-tokens LAW -o DIR",
    .details =
        "Runs stages of rising rate, each with a run directory of its own and a drain "
        "after it. It stops rising when requests in flight grew through the second half "
        "of two stages in a row, then bisects. Ctrl-C keeps the finished stages; "
        "--resume goes on.",
    .options = profile_option_specs,
    .options_size = sizeof(struct profile_command_options),
    .run = profile_command_run,
};
