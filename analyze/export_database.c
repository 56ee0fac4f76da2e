#include "analyze/export_database.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export_runs.h"
#include "formats/base/buffer.h"
#include "formats/base/memory.h"
#include "formats/base/utf8.h"

enum table { TABLE_RUNS, TABLE_WORKERS, TABLE_REQUESTS, TABLE_EVENTS, TABLES };

/* Of the columns of events those that a request has too (row, worker, run_id) are left
 * out: they would be half of the file. */
enum { EVENTS_FIRST = 2, EVENTS_COLUMNS = EXPORT_EVENT_COLUMNS - EVENTS_FIRST - 1 };

/* A table; `key` is a column before the others, "" for none, and `end` follows them. */
static const struct {
    const char *name;
    const char *key;
    const struct export_column *columns;
    size_t count;
    const char *end;
} tables[TABLES] = {
    [TABLE_RUNS] = { "runs", "", export_run_columns, EXPORT_RUN_COLUMNS, ")" },
    [TABLE_WORKERS] = { "workers", "", export_worker_columns, EXPORT_WORKER_COLUMNS,
                        ")" },
    [TABLE_REQUESTS] = { "requests", "request INTEGER PRIMARY KEY",
                         export_request_columns, EXPORT_REQUEST_COLUMNS, ")" },
    [TABLE_EVENTS] = { "events", "request INTEGER NOT NULL REFERENCES requests",
                       export_event_columns + EVENTS_FIRST, EVENTS_COLUMNS,
                       ", PRIMARY KEY (request, event)) WITHOUT ROWID" },
};

struct export_database {
    sqlite3 *handle;
    sqlite3_stmt *inserts[TABLES];
    int64_t requests;   /* so far */
    struct buffer text; /* scratch */
};

static int failed(struct export_database *database, struct fault *fault)
{
    return fault_set(fault, STATUS_IO, "cannot write the database: %s",
                     sqlite3_errmsg(database->handle));
}

static int execute(struct export_database *database, const char *sql, struct fault *fault)
{
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return failed(database, fault);
    return STATUS_OK;
}

static const char *type_of(enum cell_kind kind)
{
    return kind == CELL_TEXT ? "TEXT" : kind == CELL_REAL ? "REAL" : "INTEGER";
}

static int make_table(struct export_database *database, enum table table,
                      struct fault *fault)
{
    struct buffer sql = BUFFER_INIT;
    bool keyed = tables[table].key[0] != '\0';
    buffer_printf(&sql, "CREATE TABLE %s (%s", tables[table].name, tables[table].key);
    for (size_t i = 0; i < tables[table].count; i++)
        buffer_printf(&sql, "%s%s %s", i > 0 || keyed ? ", " : "",
                      tables[table].columns[i].name,
                      type_of(tables[table].columns[i].kind));
    buffer_append_text(&sql, tables[table].end);
    int status = execute(database, buffer_text(&sql), fault);

    buffer_clear(&sql);
    buffer_printf(&sql, "INSERT INTO %s VALUES (?", tables[table].name);
    for (size_t i = keyed ? 0 : 1; i < tables[table].count; i++)
        buffer_append_text(&sql, ",?");
    buffer_append_byte(&sql, ')');
    if (status == STATUS_OK &&
        sqlite3_prepare_v2(database->handle, buffer_text(&sql), -1,
                           &database->inserts[table], NULL) != SQLITE_OK)
        status = failed(database, fault);
    buffer_release(&sql);
    return status;
}

int export_database_open(struct export_database **database, const char *path,
                         struct fault *fault)
{
    *database = memory_new(1, sizeof **database);
    if (sqlite3_open_v2(path, &(*database)->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return failed(*database, fault);
    /* The file is thrown away when anything fails, so it needs no journal. */
    int status = execute(*database,
                         "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                         "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536;"
                         "BEGIN",
                         fault);
    for (enum table table = 0; table < TABLES && status == STATUS_OK; table++)
        status = make_table(*database, table, fault);
    return status;
}

static int bind(struct export_database *database, sqlite3_stmt *insert, int index,
                const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_INT:
        return sqlite3_bind_int64(insert, index, cell->integer);
    case CELL_REAL:
        return sqlite3_bind_double(insert, index, cell->real);
    case CELL_TEXT:
        buffer_clear(&database->text);
        buffer_append_utf8(&database->text, cell->text, strlen(cell->text));
        return sqlite3_bind_text(insert, index, buffer_text(&database->text), -1,
                                 SQLITE_TRANSIENT);
    case CELL_NONE:
        break;
    }
    return sqlite3_bind_null(insert, index);
}

/* A row of `table`; its key, where it has one, is bound already. */
static int insert_row(struct export_database *database, enum table table,
                      const struct cell *cells, struct fault *fault)
{
    sqlite3_stmt *insert = database->inserts[table];
    int first = tables[table].key[0] != '\0' ? 2 : 1;
    for (size_t i = 0; i < tables[table].count; i++)
        if (bind(database, insert, first + (int)i, &cells[i]) != SQLITE_OK)
            return failed(database, fault);
    int result = sqlite3_step(insert);
    sqlite3_reset(insert);
    return result == SQLITE_DONE ? STATUS_OK : failed(database, fault);
}

int export_database_add(struct export_database *database,
                        const struct arrivals_header *header,
                        const struct arrival_request *request,
                        const struct request_sample *sample, struct fault *fault)
{
    struct cell cells[EXPORT_REQUEST_COLUMNS];
    int64_t key = ++database->requests;
    export_request_cells(cells, header, request, sample);
    sqlite3_bind_int64(database->inserts[TABLE_REQUESTS], 1, key);
    int status = insert_row(database, TABLE_REQUESTS, cells, fault);
    sqlite3_bind_int64(database->inserts[TABLE_EVENTS], 1, key);
    for (size_t i = 0; i < request->event_count && status == STATUS_OK; i++) {
        struct cell event[EXPORT_EVENT_COLUMNS];
        export_event_cells(event, header, request, i);
        status = insert_row(database, TABLE_EVENTS, event + EVENTS_FIRST, fault);
    }
    return status;
}

int export_database_add_load(struct export_database *database, const struct load *load,
                             struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < load->run_count && status == STATUS_OK; i++) {
        struct cell cells[EXPORT_RUN_COLUMNS];
        struct buffer command = BUFFER_INIT;
        export_run_cells(cells, &load->runs[i].manifest, &command);
        status = insert_row(database, TABLE_RUNS, cells, fault);
        buffer_release(&command);
    }
    for (size_t i = 0; i < load->log_count && status == STATUS_OK; i++) {
        struct cell cells[EXPORT_WORKER_COLUMNS];
        export_worker_cells(cells, &load->logs[i]);
        status = insert_row(database, TABLE_WORKERS, cells, fault);
    }
    return status;
}

static void release(struct export_database *database)
{
    for (enum table table = 0; table < TABLES; table++)
        sqlite3_finalize(database->inserts[table]);
    sqlite3_close(database->handle);
    buffer_release(&database->text);
    free(database);
}

int export_database_finish(struct export_database *database, struct fault *fault)
{
    char version[64];
    snprintf(version, sizeof version, "PRAGMA user_version=%d", EXPORT_DATABASE_VERSION);
    int status = execute(database, "CREATE INDEX requests_by_row ON requests (row)",
                         fault);
    if (status == STATUS_OK)
        status = execute(database, version, fault);
    if (status == STATUS_OK)
        status = execute(database, "COMMIT", fault);
    release(database);
    return status;
}

void export_database_abandon(struct export_database *database)
{
    if (database)
        release(database);
}
