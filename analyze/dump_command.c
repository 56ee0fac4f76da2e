/* tokanalyze dump: what is in a log, for debugging. */
#include <stdio.h>
#include <string.h>

#include "analyze/commands.h"
#include "analyze/dump_records.h"
#include "analyze/dump_stream.h"
#include "formats/arrivals_reader.h"
#include "formats/base/json.h"

struct dump_options {
    struct common_options common;
    bool frames;
    bool events;
    bool stream;
    int64_t limit;
};

static const struct option_spec specs[] = {
    { .name = "frames", .type = OPTION_FLAG, .group = "What is shown",
      .offset = offsetof(struct dump_options, frames),
      .help = "the frames of the file, not its records" },
    { .name = "events", .type = OPTION_FLAG,
      .offset = offsetof(struct dump_options, events),
      .help = "the events of each request too" },
    { .name = "limit", .type = OPTION_INT, .argument = "N", .default_text = "0",
      .offset = offsetof(struct dump_options, limit), .min = 0, .max = 9e18,
      .help = "stop after so many records or frames; 0: all" },
    { .name = "stream", .type = OPTION_FLAG,
      .offset = offsetof(struct dump_options, stream),
      .help = "FILE is the raw body of an answer, or a raw HTTP response: show how its "
              "events are understood" },
    { 0 },
};

/* Writes values as lines, or as members of one document. */
struct dump {
    bool document;
    uint64_t written;
    uint64_t limit; /* UINT64_MAX: none */
};

static void print_value(json_t *value)
{
    json_dumpf(value, stdout, JSON_COMPACT);
    json_decref(value);
}

static void print_member(const struct dump *dump, const char *key, json_t *value)
{
    printf(dump->document ? "\"%s\":" : "%s ", key);
    print_value(value);
}

static void print_item(struct dump *dump, json_t *value)
{
    if (dump->document)
        printf(dump->written > 0 ? ",\n" : "\n");
    print_value(value);
    if (!dump->document)
        putchar('\n');
    dump->written++;
}

static int print_frames(struct dump *dump, struct arrivals_reader *reader,
                        struct fault *fault)
{
    struct arrivals_frame frame;
    int got = 0;
    while (dump->written < dump->limit &&
           (got = arrivals_frames_next(reader, &frame, fault)) > 0)
        print_item(dump, dump_frame_json(&frame));
    return got < 0 ? got : STATUS_OK;
}

static int print_records(struct dump *dump, struct arrivals_reader *reader, bool events,
                         struct fault *fault)
{
    struct arrivals_record record;
    int got = 0;
    while (dump->written < dump->limit &&
           (got = arrivals_reader_next(reader, &record, fault)) > 0)
        print_item(dump, dump_record_json(&record, events));
    return got < 0 ? got : STATUS_OK;
}

/* What was read before damage is shown too: that is what a dump is for. */
static int dump_log(const char *path, const struct dump_options *options,
                    struct fault *fault)
{
    struct arrivals_reader *reader = NULL;
    struct dump dump = {
        .document = options->common.json,
        .limit = options->limit > 0 ? (uint64_t)options->limit : UINT64_MAX,
    };
    int status = arrivals_reader_open(&reader, path, fault);
    if (status < 0)
        return status;
    if (dump.document)
        printf("{\"schema\":\"tokanalyze.dump/1\",\n");
    print_member(&dump, "header",
                 dump_header_json(arrivals_reader_header(reader),
                                  arrivals_reader_version(reader)));
    putchar(dump.document ? ',' : '\n');
    if (dump.document)
        printf("\n\"%s\":[", options->frames ? "frames" : "records");

    status = options->frames ? print_frames(&dump, reader, fault)
                             : print_records(&dump, reader, options->events, fault);
    if (dump.document)
        printf("\n]");
    if (status == STATUS_OK && !options->frames && dump.written < dump.limit) {
        struct arrivals_loss loss = arrivals_reader_loss(reader);
        if (dump.document)
            printf(",\n");
        print_member(&dump, "loss", dump_loss_json(&loss));
        if (!dump.document)
            putchar('\n');
    }
    if (dump.document)
        printf("}\n");
    arrivals_reader_close(reader);
    return status;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    (void)operand_count;
    const struct dump_options *options = given;
    if (!options->stream)
        return dump_log(operands[0], options, fault);
    if (options->frames || options->events || options->limit > 0)
        return fault_set(fault, STATUS_USAGE, "--stream goes with none of the others");
    return dump_stream(operands[0], options->common.json, stdout, fault);
}

const struct command dump_command = {
    .name = "dump",
    .summary = "what is in a log: header, frames, records",
    .usage = "[OPTION]... LOG",
    .details =
        "Prints the header, each record as a line of JSON with what the log holds of "
        "it, and what is missing at the end. With --json all is one document.",
    .options = specs,
    .options_size = sizeof(struct dump_options),
    .run = run,
    .operands_min = 1,
    .operands_max = 1,
};
