#include "analyze/export_runs.h"

#include <assert.h>

#include "analyze/shell_words.h"

static const struct cell none = { .kind = CELL_NONE };

const struct export_column export_run_columns[EXPORT_RUN_COLUMNS] = {
    { "run_id", CELL_TEXT, "of the run" },
    { "started_realtime_ns", CELL_INT, "time of day, since 1970 UTC" },
    { "ended_realtime_ns", CELL_INT, "time of day; NULL when the run died" },
    { "t0_realtime_ns", CELL_INT, "time of day of the zero of the run's clock" },
    { "command", CELL_TEXT, "that ran it, for a shell" },
    { "url", CELL_TEXT, "of the server" },
    { "api", CELL_TEXT, "of the server" },
    { "model", CELL_TEXT, "asked for" },
    { "seed", CELL_INT, "of all that was drawn, its 64 bits read as signed" },
    { "plan_hash", CELL_TEXT, "equal for equal plans" },
    { "planned_requests", CELL_INT, "over all workers" },
    { "open_loop", CELL_INT, "1: requests are sent when due; 0: closed loop" },
    { "concurrency", CELL_INT, "of a closed loop" },
    { "emulated_client", CELL_TEXT, "NULL when none" },
    { "interrupted", CELL_INT, "1 when the run was stopped" },
};

const struct export_column export_worker_columns[EXPORT_WORKER_COLUMNS] = {
    { "run_id", CELL_TEXT, "of the run" },
    { "log", CELL_TEXT, "the file that its rows came from" },
    { "worker", CELL_INT, "number; NULL when not even the head of its log can be read" },
    { "workers", CELL_INT, "of so many" },
    { "source", CELL_TEXT, "client, server, wire or imported" },
    { "producer", CELL_TEXT, "program that wrote the log" },
    { "planned_requests", CELL_INT, "its share; NULL when unknown" },
    { "t0_realtime_ns", CELL_INT, "time of day of the zero of its clock" },
    { "complete", CELL_INT, "1 when its log is whole" },
    { "lost_bytes", CELL_INT, "of its log, cut or damaged" },
};

void export_run_cells(struct cell cells[EXPORT_RUN_COLUMNS],
                      const struct run_manifest *manifest, struct buffer *command)
{
    struct cell *at = cells;
    buffer_append_shell_words(command, &manifest->command);
    *at++ = text_cell(manifest->id);
    *at++ = time_cell(manifest->started_realtime_ns);
    *at++ = time_cell(manifest->ended_realtime_ns);
    *at++ = time_cell(manifest->t0_realtime_ns);
    *at++ = text_cell(buffer_text(command));
    *at++ = text_cell(manifest->url);
    *at++ = text_cell(manifest->api);
    *at++ = text_cell(manifest->model);
    *at++ = int_cell((int64_t)manifest->seed);
    *at++ = text_cell(manifest->plan.hash);
    *at++ = int_cell((int64_t)manifest->plan.requests);
    *at++ = int_cell(manifest->open_loop);
    *at++ = nonzero_cell(manifest->concurrency);
    *at++ = text_cell(manifest->emulated_client);
    *at++ = int_cell(manifest->interrupted);
    assert(at == cells + EXPORT_RUN_COLUMNS);
}

void export_worker_cells(struct cell cells[EXPORT_WORKER_COLUMNS],
                         const struct load_log *log)
{
    const struct arrivals_header *header = &log->header;
    struct cell *at = cells;
    *at++ = text_cell(header->run_id);
    *at++ = text_cell(log->path);
    *at++ = log->readable ? int_cell(header->worker) : none;
    *at++ = nonzero_cell(header->workers);
    *at++ = log->readable ? text_cell(load_source_name(header->source)) : none;
    *at++ = text_cell(header->producer);
    *at++ = nonzero_cell(header->planned_requests);
    *at++ = nonzero_cell((uint64_t)header->t0_realtime_ns);
    *at++ = int_cell(log->end_seen && !log->loss.truncated);
    *at++ = int_cell((int64_t)log->loss.lost_bytes);
    assert(at == cells + EXPORT_WORKER_COLUMNS);
}
