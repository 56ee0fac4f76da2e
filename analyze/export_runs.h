/* The columns of runs and of workers in a database of `tokanalyze export`. */
#ifndef TOKTRACE_EXPORT_RUNS_H
#define TOKTRACE_EXPORT_RUNS_H

#include "analyze/export_columns.h"
#include "analyze/load.h"
#include "formats/base/buffer.h"

enum { EXPORT_RUN_COLUMNS = 15, EXPORT_WORKER_COLUMNS = 10 };

extern const struct export_column export_run_columns[EXPORT_RUN_COLUMNS];
extern const struct export_column export_worker_columns[EXPORT_WORKER_COLUMNS];

/* The cells of a run. They borrow from both; `command` is empty before. */
void export_run_cells(struct cell cells[EXPORT_RUN_COLUMNS],
                      const struct run_manifest *manifest, struct buffer *command);

/* The cells of a worker, whose log was read to its end. */
void export_worker_cells(struct cell cells[EXPORT_WORKER_COLUMNS],
                         const struct load_log *log);

#endif
