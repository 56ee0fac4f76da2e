/* tokanalyze profile: where a server saturates, and how sure that is. */
#include <stdio.h>

#include "analyze/commands.h"
#include "analyze/latency_profile_output.h"
#include "analyze/verdict_options.h"
#include "formats/base/json.h"

struct latency_profile_options {
    struct common_options common;
    const char *slo;
    double each_share;
    struct knee_limits knee;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "slo", .type = OPTION_STRING, .argument = "TERMS", .group = "Objectives",
      .offset = offsetof(struct latency_profile_options, slo),
      .help = "such as 'ttft_p99<500ms,tpot_p95<50ms': the highest load is given where "
              "the share of the planned requests within each limit is as asked, by the "
              "lower end of its interval; default: as the profile was run" },
    { .name = "share", .type = OPTION_FLOAT, .argument = "SHARE", .max = 1,
      .offset = offsetof(struct latency_profile_options, each_share),
      .default_text = "0.99",
      .help = "share asked of terms that name no percentile, such as ttft<500ms" },
    { .name = "min-completed-share", .type = OPTION_FLOAT, .argument = "SHARE", .max = 1,
      .group = "What counts as saturated",
      .offset = offsetof(struct latency_profile_options, knee.min_completed_share),
      .default_text = "0.97",
      .help = "completed / planned must be below this with its whole interval" },
    { .name = "max-growth-share", .type = OPTION_FLOAT, .argument = "SHARE", .max = 1,
      .offset = offsetof(struct latency_profile_options, knee.max_growth_share),
      .default_text = "0.02",
      .help = "growth of requests in flight per second / planned rate must be above "
              "this, and above zero with its whole interval" },
    VERDICT_OPTIONS(struct latency_profile_options, limits),
    { 0 },
};

static void print_profile(FILE *out, const struct latency_profile *profile)
{
    struct sheet sheet = { .out = out };
    struct run_texts lines = { 0 };
    latency_profile_words(profile, &lines);
    for (size_t i = 0; i < lines.count; i++)
        sheet_sentence(&sheet, "%s.", lines.items[i]);
    latency_profile_show(&sheet, profile);
    run_texts_release(&lines);
    sheet_release(&sheet);
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct latency_profile_options *options = given;
    struct latency_profile_request request = {
        .slo = options->slo,
        .knee = options->knee,
        .stage = {
            .each_share = options->each_share,
            .limits = options->limits,
            .common = &options->common,
        },
    };
    struct latency_profile profile = { 0 };
    int status =
        latency_profile_read(&profile, operands, operand_count, &request, fault);
    if (status == STATUS_OK && options->common.json) {
        json_t *document = latency_profile_json(&profile);
        status = json_write_stream(document, stdout, fault);
        json_decref(document);
    } else if (status == STATUS_OK) {
        print_profile(stdout, &profile);
    }
    latency_profile_release(&profile);
    return status;
}

const struct command latency_profile_command = {
    .name = "profile",
    .summary = "where does the server saturate?",
    .usage = "[OPTION]... PROFILE|CSV...",
    .details =
        "PROFILE is a directory of tokreplay profile. CSV are files of LMBenchmark, one "
        "for each load, which is the number at the end of the name. The knee is the "
        "offered load beyond which the server falls behind, by four rules, each with a "
        "95 % interval. Stages where the client was the bottleneck are no evidence.",
    .options = specs,
    .options_size = sizeof(struct latency_profile_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
