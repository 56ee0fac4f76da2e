/* tokanalyze split: client and server separated by a packet capture. */
#include <stdio.h>

#include "analyze/commands.h"
#include "analyze/split.h"
#include "formats/base/json.h"
#include "formats/base/output_file.h"

enum { EXIT_STRICT = 1 };

struct split_options {
    struct common_options common;
    struct option_list clients;
    struct option_list wires;
    int64_t epsilon_ns;
    bool strict;
    const char *output;
};

static const struct option_spec specs[] = {
    { .name = "client",
      .type = OPTION_LIST,
      .argument = "LOG",
      .group = "Input",
      .offset = offsetof(struct split_options, clients),
      .help = "log of a client, in place of a run directory; may be repeated" },
    { .name = "wire",
      .type = OPTION_LIST,
      .argument = "LOG",
      .offset = offsetof(struct split_options, wires),
      .help = "log from packets, in place of the run directory's; may be repeated" },
    { .name = "epsilon",
      .type = OPTION_DURATION,
      .argument = "TIME",
      .default_text = "5us",
      .offset = offsetof(struct split_options, epsilon_ns),
      .group = "Judgement",
      .help = "a receive lag below minus this is a fault of the clocks" },
    { .name = "strict",
      .type = OPTION_FLAG,
      .offset = offsetof(struct split_options, strict),
      .help = "exit 1 when a request is not joined, a token not matched, or clocks "
              "disagree" },
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .argument = "FILE",
      .offset = offsetof(struct split_options, output),
      .group = "Output",
      .help = "write there instead of standard output" },
    { 0 },
};

/* The logs of --wire, else those of the run directories. */
static int read_wires(const struct split_options *options, const struct load *load,
                      struct wire_join *join, struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < options->wires.count && status == STATUS_OK; i++)
        status = wire_join_read(join, options->wires.items[i], fault);
    for (size_t i = 0;
         options->wires.count == 0 && i < load->run_count && status == STATUS_OK; i++) {
        const struct load_run *run = &load->runs[i];
        status = run->wire_path
                     ? wire_join_read(join, run->wire_path, fault)
                     : fault_set(fault, STATUS_BAD_INPUT,
                                 "%s: no wire.toklog; tokrecord extract makes one "
                                 "from a capture",
                                 run->path);
    }
    if (status == STATUS_OK && join->log_count == 0)
        status = fault_set(fault, STATUS_USAGE,
                           "no log from packets: name one with --wire");
    wire_join_ready(join);
    return status;
}

static int open_clients(const struct split_options *options, char **operands,
                        int operand_count, struct load *load, struct fault *fault)
{
    if ((options->clients.count > 0) == (operand_count > 0))
        return fault_set(fault, STATUS_USAGE,
                         "either a run directory or --client and --wire are needed");
    if (options->clients.count == 0)
        return load_open(load, operands, operand_count, fault);
    return load_open(load, (char *const *)options->clients.items,
                     (int)options->clients.count, fault);
}

static int write_split(const struct split *split, const struct split_options *options,
                       struct fault *fault)
{
    struct output_file file = { 0 };
    unsigned flags = options->common.force ? OUTPUT_FORCE : 0;
    int status = output_file_open(&file, options->output, flags, fault);
    if (status < 0)
        return status;
    if (options->common.json) {
        json_t *document = split_json(split);
        status = json_write_stream(document, file.stream, fault);
        json_decref(document);
    } else {
        struct sheet sheet = { .out = file.stream };
        split_show(&sheet, split);
        sheet_release(&sheet);
    }
    return output_file_finish(&file, status, fault);
}

static bool is_clean(const struct split *split)
{
    return split->joined == split->sent && split->matched == split->tokens &&
           split->disagree == 0 && split->identity_broken == 0 &&
           split->clock_faults == 0;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct split_options *options = given;
    struct split_settings settings = { .epsilon_ns = options->epsilon_ns };
    struct load load = { 0 };
    struct wire_join join = { 0 };
    struct split split = { 0 };
    int status = open_clients(options, operands, operand_count, &load, fault);
    if (status == STATUS_OK)
        status = read_wires(options, &load, &join, fault);
    if (status == STATUS_OK)
        status = split_compute(&split, &load, &join, &settings, fault);
    if (status == STATUS_OK)
        status = write_split(&split, options, fault);
    if (status == STATUS_OK && options->strict && !is_clean(&split))
        status = EXIT_STRICT;
    split_release(&split);
    wire_join_release(&join);
    load_release(&load);
    return status;
}

const struct command split_command = {
    .name = "split",
    .summary = "client and server separated, by packets",
    .usage = "[OPTION]... RUNDIR | --client LOG... --wire LOG...",
    .details =
        "Finds each request of the client in the log of its packets (tokrecord "
        "extract), by port and number on the connection, and says how its time divides: "
        "client before sending, server and network, client after the packet was there.",
    .options = specs,
    .options_size = sizeof(struct split_options),
    .run = run,
    .operands_max = -1,
};
