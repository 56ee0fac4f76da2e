/* tokreplay serve: a simulated OpenAI-compatible server with a known law of service. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/output_file.h"
#include "replay/commands.h"
#include "replay/serve_processes.h"

struct serve_options {
    struct common_options common;
    const char *listen;
    int64_t port;
    const char *port_file;
    int64_t processes;
    const char *model;
    int64_t max_body;
    int64_t ttft_ns;
    int64_t prefill_ns;
    int64_t itl_ns;
    const char *jitter;
    int64_t seed;
    int64_t prefix_cache;
    const char *replay;
    bool engine;
    int64_t step_ns;
    int64_t step_per_sequence_ns;
    int64_t step_per_prefill_ns;
    int64_t slots;
    int64_t prefill_budget;
    double mean_input;
    double mean_output;
    int64_t tokens_per_event;
    bool hold_head;
    int finish;
    const char *log;
    struct option_list faults;
};

static const char *const finish_choices[] = { "last", "own", NULL };

#define FIELD(member) .offset = offsetof(struct serve_options, member)

static const struct option_spec serve_specs[] = {
    { .name = "listen",
      .type = OPTION_STRING,
      .argument = "ADDRESS",
      FIELD(listen),
      .default_text = "127.0.0.1",
      .group = "Server",
      .help = "numeric address to listen on; anything but loopback lets others in" },
    { .name = "port",
      .letter = 'p',
      .type = OPTION_INT,
      .argument = "PORT",
      FIELD(port),
      .default_text = "8000",
      .max = 65535,
      .help = "0 takes a free one" },
    { .name = "port-file",
      .type = OPTION_PATH,
      .argument = "FILE",
      FIELD(port_file),
      .help = "write the port there once it listens" },
    { .name = "processes",
      .type = OPTION_INT,
      .argument = "N",
      FIELD(processes),
      .default_text = "1",
      .min = 1,
      .max = SERVE_PROCESSES_MAX,
      .help = "processes that share the port; each is one loop on one core" },
    { .name = "model",
      .type = OPTION_STRING,
      .argument = "NAME",
      FIELD(model),
      .default_text = "simulated",
      .help = "what /v1/models names; requests may name any model" },
    { .name = "max-body",
      .type = OPTION_SIZE,
      .argument = "SIZE",
      FIELD(max_body),
      .default_text = "64MiB",
      .min = 1,
      .max = 1e12,
      .help = "longer requests are answered 413" },
    { .name = "log",
      .type = OPTION_PATH,
      .argument = "FILE",
      FIELD(log),
      .help = "arrival log (.toklog) of when each event was really sent; with several "
              "processes, -NNN comes before the extension" },

    { .name = "ttft",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(ttft_ns),
      .default_text = "0",
      .max = 1e15,
      .group = "Law of service",
      .help = "from the request's last byte to the first token" },
    { .name = "prefill-per-token",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(prefill_ns),
      .default_text = "0",
      .max = 1e12,
      .help = "added to that, per prompt token" },
    { .name = "itl",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(itl_ns),
      .default_text = "0",
      .max = 1e13,
      .help = "mean gap between two tokens" },
    { .name = "jitter",
      .type = OPTION_STRING,
      .argument = "LAW",
      FIELD(jitter),
      .default_text = "none",
      .help = "law of the gaps: none, exp, normal:CV or lognormal:CV" },
    { .name = "seed",
      .type = OPTION_INT,
      .argument = "N",
      FIELD(seed),
      .default_text = "1",
      .help = "of all draws; request i is drawn alike in every run" },

    { .name = "prefix-cache",
      .type = OPTION_INT,
      .argument = "TOKENS",
      FIELD(prefix_cache),
      .default_text = "0",
      .max = 1e9,
      .help = "tokens of prompts to remember, in blocks of 16, each with all before it; "
              "what is found need not be prefilled, and usage tells; 0: none" },
    { .name = "replay",
      .type = OPTION_PATH,
      .argument = "FILE",
      FIELD(replay),
      .help = "instead, serve the token times of an arrival log: the i-th request gets "
              "those of its i-th answer" },

    { .name = "engine",
      .type = OPTION_FLAG,
      FIELD(engine),
      .group =
          "Engine, in place of the law: continuous batching, first come first served",
      .help = "one token for each sequence per step; a step takes the sum of these:" },
    { .name = "step",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(step_ns),
      .default_text = "5ms",
      .min = 1000,
      .max = 1e13,
      .help = "each step" },
    { .name = "step-per-sequence",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(step_per_sequence_ns),
      .default_text = "100us",
      .max = 1e12,
      .help = "per sequence in the batch" },
    { .name = "step-per-prefill-token",
      .type = OPTION_DURATION,
      .argument = "TIME",
      FIELD(step_per_prefill_ns),
      .default_text = "20us",
      .max = 1e12,
      .help = "per prompt token that it prefills" },
    { .name = "slots",
      .type = OPTION_INT,
      .argument = "N",
      FIELD(slots),
      .default_text = "64",
      .min = 1,
      .max = 1e6,
      .help = "sequences in the batch at most; more wait" },
    { .name = "prefill-budget",
      .type = OPTION_INT,
      .argument = "TOKENS",
      FIELD(prefill_budget),
      .default_text = "8192",
      .min = 1,
      .max = 1e8,
      .help = "prompt tokens per step at most; longer prompts take several steps" },
    { .name = "mean-input",
      .type = OPTION_FLOAT,
      .argument = "TOKENS",
      FIELD(mean_input),
      .default_text = "0",
      .max = 1e9,
      .help =
          "with --mean-output: print the rate at which requests of these mean lengths "
          "saturate the engine" },
    { .name = "mean-output",
      .type = OPTION_FLOAT,
      .argument = "TOKENS",
      FIELD(mean_output),
      .default_text = "0",
      .max = 1e9,
      .help = "output tokens per request, all choices together; 0: not given" },

    { .name = "tokens-per-event",
      .type = OPTION_INT,
      .argument = "K",
      FIELD(tokens_per_event),
      .default_text = "1",
      .min = 1,
      .max = 1000,
      .group = "Shape of the stream",
      .help = "tokens that travel together, when the last of them is ready" },
    { .name = "hold-head",
      .type = OPTION_FLAG,
      FIELD(hold_head),
      .help = "send the head with the first token, not at once" },
    { .name = "finish",
      .type = OPTION_CHOICE,
      .argument = "WHERE",
      FIELD(finish),
      .choices = finish_choices,
      .default_text = "last",
      .help = "the finish reason: on the last token's event, or on its own" },

    { .name = "fault",
      .type = OPTION_LIST,
      .argument = "KIND:P[:ARG]",
      FIELD(faults),
      .group = "Faults",
      .help = "commit a fault with probability P; may be repeated, the first that "
              "strikes counts. status[:CODE], html, no_answer; after ARG tokens (1): "
              "error_event, garbage, fin, rst, short_content_length, silence; "
              "stall[:TIME] after the first token; no_done, no_last_chunk; no_read (of "
              "a connection)" },
    { 0 },
};

/* Names that need no escaping wherever they are shown. */
static int check_model(const char *model, struct fault *fault)
{
    for (const char *at = model; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\')
            return fault_set(
                fault, STATUS_USAGE,
                "--model: quotes, backslashes and control characters cannot be used");
    }
    return STATUS_OK;
}

/* The law, the engine and a recording exclude each other. */
static int check_sources(const struct serve_options *options, struct fault *fault)
{
    bool law = options->ttft_ns || options->prefill_ns || options->itl_ns ||
               strcmp(options->jitter, "none") != 0;
    if (law + options->engine + (options->replay != NULL) > 1)
        return fault_set(fault, STATUS_USAGE,
                         "--engine, --replay and the law (--ttft, --prefill-per-token, "
                         "--itl, --jitter) exclude each other");
    if (!options->engine && options->mean_output > 0)
        return fault_set(fault, STATUS_USAGE, "--mean-output is for --engine");
    return STATUS_OK;
}

static int make_config(const struct serve_options *options, struct server_config *config,
                       struct fault *fault)
{
    *config = (struct server_config){
        .law = {
            .ttft_ns = options->ttft_ns,
            .prefill_ns = options->prefill_ns,
            .itl_ns = options->itl_ns,
            .seed = (uint64_t)options->seed,
        },
        .use_engine = options->engine,
        .engine = {
            .step_ns = options->step_ns,
            .per_sequence_ns = options->step_per_sequence_ns,
            .per_prefill_ns = options->step_per_prefill_ns,
            .slots = (uint32_t)options->slots,
            .prefill_budget = (uint32_t)options->prefill_budget,
        },
        .cache_blocks = (size_t)options->prefix_cache / SERVE_BLOCK_TOKENS,
        .faults.seed = (uint64_t)options->seed,
        .model = options->model,
        .tokens_per_event = (uint32_t)options->tokens_per_event,
        .hold_head = options->hold_head,
        .own_finish = options->finish == 1,
        .body_max = (size_t)options->max_body,
        .processes = (uint32_t)options->processes,
    };
    int status = check_model(options->model, fault);
    if (status == STATUS_OK)
        status = check_sources(options, fault);
    if (status == STATUS_OK)
        status = serve_law_parse_jitter(&config->law, options->jitter, fault);
    if (status == STATUS_OK)
        status = serve_faults_parse(&config->faults, &options->faults, fault);
    return status;
}

static int write_port_file(const char *path, uint16_t port, struct fault *fault)
{
    struct output_file file = { 0 };
    int status = output_file_open(&file, path, OUTPUT_FORCE, fault);
    if (status != STATUS_OK)
        return status;
    fprintf(file.stream, "%u\n", (unsigned)port);
    return output_file_commit(&file, fault);
}

/* Of all processes together; 0 when it cannot be known. */
static double saturation_per_s(const struct serve_options *options,
                               const struct server_config *config)
{
    if (!config->use_engine || options->mean_output <= 0)
        return 0;
    return config->processes * engine_saturation_per_s(&config->engine,
                                                       options->mean_input,
                                                       options->mean_output);
}

/* What announce tells. */
struct announcement {
    const struct serve_options *options;
    const struct server_config *config;
    const struct serve_sockets *sockets;
};

/* Tells the world that connections are taken: scripts wait for the first line. */
static int announce(void *context, struct fault *fault)
{
    const struct announcement *what = context;
    const struct serve_options *options = what->options;
    double rate_per_s = saturation_per_s(options, what->config);
    int status = STATUS_OK;
    if (options->port_file)
        status = write_port_file(options->port_file, what->sockets->port, fault);
    if (status != STATUS_OK)
        return status;
    if (options->common.json) {
        printf("{\"schema\":\"tokreplay.serve/1\",\"url\":\"%s\"", what->sockets->url);
        if (rate_per_s > 0)
            printf(",\"saturation_per_s\":%.6g", rate_per_s);
        printf("}\n");
    } else {
        printf("listening on %s\n", what->sockets->url);
        if (rate_per_s > 0)
            printf("saturates at %.4g requests/s of %g input and %g output tokens\n",
                   rate_per_s, options->mean_input, options->mean_output);
    }
    fflush(stdout);
    return STATUS_OK;
}

/* Before anything else, so that no signal between here and the loop is lost. */
static void block_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* With --force, logs of an earlier run make room. */
static void remove_logs(const char *path, uint32_t processes)
{
    if (processes == 1)
        unlink(path);
    for (uint32_t i = 0; i < processes && processes > 1; i++) {
        char *own = serve_log_path(path, i);
        unlink(own);
        free(own);
    }
}

static int serve(const struct serve_options *options, const struct server_config *config,
                 struct fault *fault)
{
    struct serve_sockets sockets = { 0 };
    block_signals();
    int status = serve_sockets_open(&sockets, options->listen, options->port,
                                    config->processes, fault);
    if (status == STATUS_OK && options->log && options->common.force)
        remove_logs(options->log, config->processes);
    struct announcement announcement = { options, config, &sockets };
    if (status == STATUS_OK)
        status = serve_processes_run(&sockets, config, options->log, announce,
                                     &announcement, fault);
    return status > 0 ? 128 + status : status;
}

static int serve_run(void *options_memory, char **operands, int operand_count,
                     struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    const struct serve_options *options = options_memory;
    struct server_config config;
    struct serve_recording recording = { 0 };
    int status = make_config(options, &config, fault);
    if (status == STATUS_OK && options->replay) {
        status = serve_recording_load(&recording, options->replay, fault);
        config.recording = &recording;
    }
    if (status == STATUS_OK)
        status = serve(options, &config, fault);
    serve_recording_release(&recording);
    return status;
}

const struct command serve_command = {
    .name = "serve",
    .summary = "simulate an OpenAI-compatible server with a known law of service",
    .usage = "[OPTION]...",
    .details =
        "Serves /v1/completions, /v1/chat/completions, /v1/models, /tokenize, /health "
        "and /metrics. A prompt's tokens are its ids, or its words between white space; "
        "max_tokens is honoured exactly. Token j of an answer is sent at an absolute "
        "time (request + ttft + prefill per prompt token + j gaps), however late those "
        "before it were. Prints 'listening on URL' when it is ready and runs until "
        "SIGINT or SIGTERM.",
    .options = serve_specs,
    .options_size = sizeof(struct serve_options),
    .run = serve_run,
};
