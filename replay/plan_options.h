/* The options that make a plan, shared by every command that sends or shows one. */
#ifndef TOKTRACE_PLAN_OPTIONS_H
#define TOKTRACE_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/options.h"
#include "formats/requests_read.h"

struct plan_options {
    const char *trace;        /* NULL: synthetic, from `arrivals` */
    struct option_list merge; /* more traces, each with its own zero of time */
    int format;               /* enum request_format */
    int time_unit;            /* enum time_unit */
    int bad_rows;             /* enum bad_rows */
    int zero_output;          /* enum zero_output */
    bool spread_ticks;
    int64_t start_ns;
    int64_t duration_ns; /* 0: to the end */
    double sample;       /* 0 < sample <= 1 */
    int64_t limit;       /* 0: all */
    int64_t max_input;   /* 0: no clip */
    int64_t max_output;
    int64_t repeat;
    double speed;
    double rate_per_s;    /* 0: not given */
    const char *arrivals; /* NULL: the times of the trace */
    int64_t requests;     /* 0: not given */
    const char *input_tokens;
    const char *output_tokens;
    const char *think_time; /* "trace", "none" or a duration */
    const char *prompts;    /* NULL: random; "trace"; or a file with texts */
    int64_t seed;
    bool allow_untimed;     /* closed loop: a trace without times is all due at 0 */
};

/* What the option table's defaults amount to: a trace as it is. */
#define PLAN_OPTIONS_INIT \
    { .sample = 1, .repeat = 1, .speed = 1, .think_time = "trace", .seed = 1 }

enum bad_rows { BAD_ROWS_STOP, BAD_ROWS_SKIP };
enum zero_output { ZERO_OUTPUT_SKIP, ZERO_OUTPUT_ONE };
extern const char *const bad_rows_names[];
extern const char *const zero_output_names[];

/* Entries for the option table of a command whose options struct `holder` has a struct
 * plan_options called `field`. */
#define PLAN_OPTIONS(holder, field) \
    { .name = "trace", .letter = 't', .type = OPTION_PATH, .argument = "FILE", \
      .offset = offsetof(holder, field.trace), .group = "Trace", \
      .help = "request trace: Azure, BurstGPT, Mooncake, Qwen, OTel spans, ShareGPT, " \
              "lengths, sessions or NDJSON; plain, .gz, .zst or -" }, \
    { .name = "merge", .type = OPTION_LIST, .argument = "FILE", \
      .offset = offsetof(holder, field.merge), \
      .help = "one more trace, from the same zero of time; may be repeated" }, \
    { .name = "format", .type = OPTION_CHOICE, .argument = "NAME", \
      .offset = offsetof(holder, field.format), .choices = request_format_names, \
      .default_text = "auto", \
      .help = "format of the trace, in place of what its content says" }, \
    { .name = "time-unit", .type = OPTION_CHOICE, .argument = "UNIT", \
      .offset = offsetof(holder, field.time_unit), .choices = time_unit_names, \
      .default_text = "format", .help = "unit of times that are bare numbers" }, \
    { .name = "bad-rows", .type = OPTION_CHOICE, .argument = "WHAT", \
      .offset = offsetof(holder, field.bad_rows), .choices = bad_rows_names, \
      .default_text = "stop", \
      .help = "at a row that cannot be read: stop, or skip and count it" }, \
    { .name = "zero-output", .type = OPTION_CHOICE, .argument = "WHAT", \
      .offset = offsetof(holder, field.zero_output), .choices = zero_output_names, \
      .default_text = "skip", \
      .help = "rows with 0 output tokens: skip and count, or ask for one" }, \
    { .name = "spread-ticks", .type = OPTION_FLAG, \
      .offset = offsetof(holder, field.spread_ticks), \
      .help = "spread rows that sit on coarse ticks at random inside their tick" }, \
    { .name = "start", .type = OPTION_DURATION, .argument = "TIME", \
      .offset = offsetof(holder, field.start_ns), .default_text = "0", .max = 1e18, \
      .group = "Transformations, in this order", \
      .help = "leave out what is due before TIME of the trace; TIME becomes zero" }, \
    { .name = "duration", .type = OPTION_DURATION, .argument = "TIME", \
      .offset = offsetof(holder, field.duration_ns), .default_text = "0", .max = 1e18, \
      .help = "leave out what is due TIME or more after the start; 0 is all. " \
              "With --arrivals: how long requests are drawn for" }, \
    { .name = "sample", .type = OPTION_FLOAT, .argument = "FRACTION", \
      .offset = offsetof(holder, field.sample), .default_text = "1", .max = 1, \
      .min_exclusive = true, \
      .help = "keep each session, or row without one, with this probability" }, \
    { .name = "limit", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.limit), .default_text = "0", .max = 1e9, \
      .help = "keep the first N rows of what is left; 0 is all" }, \
    { .name = "max-input", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.max_input), .default_text = "0", .max = 1e8, \
      .help = "shorten prompts to N tokens; 0 is no limit" }, \
    { .name = "max-output", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.max_output), .default_text = "0", .max = 1e8, \
      .help = "shorten answers to N tokens; 0 is no limit" }, \
    { .name = "repeat", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.repeat), .default_text = "1", \
      .min = 1, .max = 1e6, \
      .help = "N copies one after the other, a mean gap between them" }, \
    { .name = "speed", .type = OPTION_FLOAT, .argument = "FACTOR", \
      .offset = offsetof(holder, field.speed), .default_text = "1", .max = 1e9, \
      .min_exclusive = true, .help = "divide all times and think times by FACTOR" }, \
    { .name = "rate", .type = OPTION_RATE, .argument = "RATE", \
      .offset = offsetof(holder, field.rate_per_s), .max = 1e9, .min_exclusive = true, \
      .help = "rescale the trace to this mean rate; with --arrivals: of the process" }, \
    { .name = "arrivals", .type = OPTION_STRING, .argument = "LAW", \
      .offset = offsetof(holder, field.arrivals), .group = "Synthetic load", \
      .help = "times drawn from constant, poisson, gamma:CV, onoff:ON,OFF[,FRACTION] " \
              "or servegen:DIR, in place of those of the trace" }, \
    { .name = "requests", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.requests), .default_text = "0", .max = 1e9, \
      .help = "draw N requests at most; 0 is as many as --duration holds" }, \
    { .name = "input-tokens", .type = OPTION_STRING, .argument = "LAW", \
      .offset = offsetof(holder, field.input_tokens), \
      .help = "prompt lengths: N, uniform:A,B, normal:MEAN,SD, lognormal:MEAN,SD, or a " \
              "FILE whose rows give both lengths together" }, \
    { .name = "output-tokens", .type = OPTION_STRING, .argument = "LAW", \
      .offset = offsetof(holder, field.output_tokens), \
      .help = "answer lengths, likewise" }, \
    { .name = "think-time", .type = OPTION_STRING, .argument = "WHAT", \
      .offset = offsetof(holder, field.think_time), .default_text = "trace", \
      .group = "Sessions and prompts", \
      .help = "pause of a session before its next request: trace, none or a duration" }, \
    { .name = "prompts", .type = OPTION_STRING, .argument = "WHAT", \
      .offset = offsetof(holder, field.prompts), \
      .help = "send texts: those of the trace (trace), or of a ShareGPT or OTel FILE; " \
              "default random prompts of the planned length" }, \
    { .name = "seed", .type = OPTION_INT, .argument = "N", \
      .offset = offsetof(holder, field.seed), .default_text = "1", .max = 9e15, \
      .help = "of everything that is drawn" }

#endif
