/* Requests, events, workers and runs as the tables of an SQLite database. */
#ifndef TOKTRACE_EXPORT_DATABASE_H
#define TOKTRACE_EXPORT_DATABASE_H

#include "analyze/export_columns.h"
#include "analyze/load.h"
#include "formats/base/fault.h"

/* Written to `user_version` of the database; changes when a column changes its
 * meaning. */
enum { EXPORT_DATABASE_VERSION = 1 };

struct export_database;

/* Makes the tables in the file at `path`, which exists and is empty. */
int export_database_open(struct export_database **database, const char *path,
                         struct fault *fault);

/* A row of requests, and a row of events for each of its events. */
int export_database_add(struct export_database *database,
                        const struct arrivals_header *header,
                        const struct arrival_request *request,
                        const struct request_sample *sample, struct fault *fault);

/* The rows of runs and workers, once all logs of the load are read. */
int export_database_add_load(struct export_database *database, const struct load *load,
                             struct fault *fault);

/* Commits and closes. */
int export_database_finish(struct export_database *database, struct fault *fault);

/* Closes, whatever is in the file. Does nothing for NULL. */
void export_database_abandon(struct export_database *database);

#endif
