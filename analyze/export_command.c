/* tokanalyze export: requests or events as rows for other programs. */
#include <stdio.h>

#include "analyze/commands.h"
#include "analyze/export_columns.h"
#include "analyze/export_rows.h"
#include "analyze/load.h"
#include "formats/base/output_file.h"

struct export_options {
    struct common_options common;
    bool csv;
    bool ndjson;
    bool events;
    bool columns;
    bool kernel_stamps;
    const char *output;
};

static const struct option_spec specs[] = {
    { .name = "ndjson", .type = OPTION_FLAG, .group = "What is written",
      .offset = offsetof(struct export_options, ndjson),
      .help = "one JSON object a line (the default)" },
    { .name = "csv", .type = OPTION_FLAG, .offset = offsetof(struct export_options, csv),
      .help = "comma-separated, names in the first line, empty where undefined" },
    { .name = "events", .type = OPTION_FLAG,
      .offset = offsetof(struct export_options, events),
      .help = "a row for each event, not for each request" },
    { .name = "columns", .type = OPTION_FLAG,
      .offset = offsetof(struct export_options, columns),
      .help = "explain the columns and write nothing else" },
    { .name = "kernel-stamps", .type = OPTION_FLAG,
      .offset = offsetof(struct export_options, kernel_stamps),
      .help = "arrival by the kernel's stamps although the run has its packets "
              "(wire.toklog)" },
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "FILE",
      .offset = offsetof(struct export_options, output),
      .help = "write there instead of standard output" },
    { 0 },
};

enum { FLUSH_BYTES = 256 * 1024 };

struct export_writer {
    enum export_format format;
    bool events;
    const struct export_column *columns;
    size_t column_count;
    FILE *stream;
    struct buffer buffer;
    struct token_gaps gaps; /* scratch */
};

static int flush(struct export_writer *writer, size_t over, struct fault *fault)
{
    struct buffer *buffer = &writer->buffer;
    if (buffer->len <= over)
        return STATUS_OK;
    if (fwrite(buffer->data, 1, buffer->len, writer->stream) != buffer->len)
        return fault_set_errno(fault, "cannot write the export");
    buffer_clear(buffer);
    return STATUS_OK;
}

static void append_row(struct export_writer *writer, const struct cell *cells)
{
    export_row_append(&writer->buffer, writer->format, writer->columns, cells,
                      writer->column_count);
}

static int write_request(struct export_writer *writer,
                         const struct arrivals_header *header,
                         const struct arrival_request *request, struct fault *fault)
{
    if (!writer->events) {
        struct cell cells[EXPORT_REQUEST_COLUMNS];
        struct request_sample sample;
        sample_from_request(request, &sample, &writer->gaps);
        export_request_cells(cells, header, request, &sample);
        append_row(writer, cells);
        return flush(writer, FLUSH_BYTES, fault);
    }
    for (size_t i = 0; i < request->event_count; i++) {
        struct cell cells[EXPORT_EVENT_COLUMNS];
        export_event_cells(cells, header, request, i);
        append_row(writer, cells);
        int status = flush(writer, FLUSH_BYTES, fault);
        if (status < 0)
            return status;
    }
    return STATUS_OK;
}

static int write_all(struct export_writer *writer, struct load *load, struct fault *fault)
{
    struct arrivals_record record;
    size_t log;
    int got;
    export_heads_append(&writer->buffer, writer->format, writer->columns,
                        writer->column_count);
    while ((got = load_next(load, &record, &log, fault)) > 0) {
        if (record.type != RECORD_REQUEST)
            continue;
        int status = write_request(writer, &load->logs[log].header, &record.request,
                                   fault);
        if (status < 0)
            return status;
    }
    return got < 0 ? got : flush(writer, 0, fault);
}

static void print_columns(FILE *out, const struct export_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%-24s %s\n", columns[i].name, columns[i].meaning);
}

static int export_load(struct export_writer *writer, const struct export_options *options,
                       char **operands, int operand_count, struct fault *fault)
{
    struct load load = { 0 };
    struct output_file file = { 0 };
    int status = load_open(&load, operands, operand_count, fault);
    if (status == STATUS_OK && !options->kernel_stamps)
        status = load_use_wire(&load, fault);
    if (status == STATUS_OK)
        status = output_file_open(&file, options->output,
                                  options->common.force ? OUTPUT_FORCE : 0, fault);
    if (status == STATUS_OK) {
        writer->stream = file.stream;
        status = write_all(writer, &load, fault);
        if (status == STATUS_OK && options->common.quiet == 0)
            load_print_losses(&load, stderr);
        if (status == STATUS_OK)
            status = output_file_commit(&file, fault);
        else
            output_file_abandon(&file);
    }
    load_release(&load);
    return status;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct export_options *options = given;
    struct export_writer writer = {
        .format = options->csv ? EXPORT_CSV : EXPORT_NDJSON,
        .events = options->events,
        .columns = options->events ? export_event_columns : export_request_columns,
        .column_count = options->events ? EXPORT_EVENT_COLUMNS : EXPORT_REQUEST_COLUMNS,
    };
    if (options->csv && options->ndjson)
        return fault_set(fault, STATUS_USAGE, "--csv and --ndjson exclude each other");
    if (options->columns) {
        print_columns(stdout, writer.columns, writer.column_count);
        return STATUS_OK;
    }
    if (operand_count == 0)
        return fault_set(fault, STATUS_USAGE, "name a run directory or a log");
    int status = export_load(&writer, options, operands, operand_count, fault);
    token_gaps_release(&writer.gaps);
    buffer_release(&writer.buffer);
    return status;
}

const struct command export_command = {
    .name = "export",
    .summary = "requests or events as CSV or NDJSON",
    .usage = "[OPTION]... RUNDIR|LOG...",
    .details =
        "Times are whole nanoseconds on the run's clock, durations are seconds. What "
        "is undefined is empty in CSV and null in JSON. --columns explains all.",
    .options = specs,
    .options_size = sizeof(struct export_options),
    .run = run,
    .operands_min = 0,
    .operands_max = -1,
};
