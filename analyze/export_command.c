/* tokanalyze export: requests or events as rows for other programs. */
#include <stdio.h>

#include "analyze/commands.h"
#include "analyze/export_columns.h"
#include "analyze/export_database.h"
#include "analyze/export_rows.h"
#include "analyze/load.h"
#include "analyze/short_text.h"
#include "formats/base/output_file.h"
#include "formats/base/terminal.h"

struct export_options {
    struct common_options common;
    bool csv;
    bool ndjson;
    bool events;
    bool columns;
    bool kernel_stamps;
    const char *sqlite;
    const char *output;
};

static const struct option_spec specs[] = {
    { .name = "ndjson", .type = OPTION_FLAG, .group = "What is written",
      .offset = offsetof(struct export_options, ndjson),
      .help = "one JSON object a line (the default)" },
    { .name = "csv", .type = OPTION_FLAG, .offset = offsetof(struct export_options, csv),
      .help = "comma-separated, names in the first line, empty where undefined" },
    { .name = "sqlite", .type = OPTION_PATH, .argument = "FILE",
      .offset = offsetof(struct export_options, sqlite),
      .help = "a database with the tables requests, events, workers and runs" },
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
    struct export_database *database; /* when set, rows go there */
    enum export_format format;
    bool events;
    const struct export_column *columns;
    size_t column_count;
    FILE *stream;
    struct progress progress;
    uint64_t requests; /* written so far */
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

static int write_event_rows(struct export_writer *writer,
                            const struct arrivals_header *header,
                            const struct arrival_request *request, struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < request->event_count && status == STATUS_OK; i++) {
        struct cell cells[EXPORT_EVENT_COLUMNS];
        export_event_cells(cells, header, request, i);
        append_row(writer, cells);
        status = flush(writer, FLUSH_BYTES, fault);
    }
    return status;
}

static int write_request(struct export_writer *writer,
                         const struct arrivals_header *header,
                         const struct arrival_request *request, struct fault *fault)
{
    if (writer->events)
        return write_event_rows(writer, header, request, fault);
    struct cell cells[EXPORT_REQUEST_COLUMNS];
    struct request_sample sample;
    sample_from_request(request, &sample, &writer->gaps);
    if (writer->database)
        return export_database_add(writer->database, header, request, &sample, fault);
    export_request_cells(cells, header, request, &sample);
    append_row(writer, cells);
    return flush(writer, FLUSH_BYTES, fault);
}

static void show_progress(struct export_writer *writer)
{
    char line[80];
    if (++writer->requests % 1024 != 0 || !progress_due(&writer->progress))
        return;
    snprintf(line, sizeof line, "%s requests", count_text(writer->requests).text);
    progress_show(&writer->progress, line);
}

static int write_all(struct export_writer *writer, struct load *load, struct fault *fault)
{
    struct arrivals_record record;
    size_t log;
    int got;
    while ((got = load_next(load, &record, &log, fault)) > 0) {
        if (record.type != RECORD_REQUEST)
            continue;
        int status = write_request(writer, &load->logs[log].header, &record.request,
                                   fault);
        if (status < 0)
            return status;
        show_progress(writer);
    }
    progress_end(&writer->progress);
    return got;
}

static int write_rows(struct export_writer *writer, struct load *load,
                      const struct output_file *file, struct fault *fault)
{
    writer->stream = file->stream;
    export_heads_append(&writer->buffer, writer->format, writer->columns,
                        writer->column_count);
    int status = write_all(writer, load, fault);
    return status < 0 ? status : flush(writer, 0, fault);
}

static int write_database(struct export_writer *writer, struct load *load,
                          const struct output_file *file, struct fault *fault)
{
    if (!file->part_path)
        return fault_set(fault, STATUS_USAGE, "a database needs a file of its own, not "
                         "standard output or a pipe");
    int status = export_database_open(&writer->database, file->part_path, fault);
    if (status == STATUS_OK)
        status = write_all(writer, load, fault);
    if (status == STATUS_OK)
        status = export_database_add_load(writer->database, load, fault);
    if (status == STATUS_OK)
        return export_database_finish(writer->database, fault);
    export_database_abandon(writer->database);
    return status;
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
    const char *path = options->sqlite ? options->sqlite : options->output;
    if (status == STATUS_OK)
        status = output_file_open(&file, path, options->common.force ? OUTPUT_FORCE : 0,
                                  fault);
    if (status == STATUS_OK) {
        /* Rows on standard output may be on the same terminal. */
        bool wanted = file.path && !options->common.no_progress &&
                      options->common.quiet == 0;
        progress_init(&writer->progress, wanted, options->common.verbose > 0);
        status = options->sqlite ? write_database(writer, &load, &file, fault)
                                 : write_rows(writer, &load, &file, fault);
        if (status == STATUS_OK && options->common.quiet == 0)
            load_print_losses(&load, stderr);
        status = output_file_finish(&file, status, fault);
    }
    load_release(&load);
    return status;
}

static int check_options(const struct export_options *options, struct fault *fault)
{
    if (options->csv && options->ndjson)
        return fault_set(fault, STATUS_USAGE, "--csv and --ndjson exclude each other");
    if (options->sqlite &&
        (options->csv || options->ndjson || options->events || options->output))
        return fault_set(fault, STATUS_USAGE, "--sqlite FILE holds requests and events: "
                         "without --csv, --ndjson, --events and --output");
    return STATUS_OK;
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
    int status = check_options(options, fault);
    if (status < 0)
        return status;
    if (options->columns) {
        print_columns(stdout, writer.columns, writer.column_count);
        return STATUS_OK;
    }
    if (operand_count == 0)
        return fault_set(fault, STATUS_USAGE, "name a run directory or a log");
    status = export_load(&writer, options, operands, operand_count, fault);
    token_gaps_release(&writer.gaps);
    buffer_release(&writer.buffer);
    return status;
}

const struct command export_command = {
    .name = "export",
    .summary = "requests and events as CSV, NDJSON or SQLite",
    .usage = "[OPTION]... RUNDIR|LOG...",
    .details =
        "Times are whole nanoseconds on the run's clock, durations are seconds. What "
        "is undefined is empty in CSV, null in JSON and SQLite. --columns explains all.",
    .options = specs,
    .options_size = sizeof(struct export_options),
    .run = run,
    .operands_min = 0,
    .operands_max = -1,
};
