/* The one place that opens what a command was given (run directories, logs, "-", records
 * of other tools) and iterates over the records in it. */
#ifndef TOKTRACE_LOAD_H
#define TOKTRACE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/wire_join.h"
#include "formats/aiperf.h"
#include "formats/arrivals.h"
#include "formats/arrivals_reader.h"
#include "formats/base/fault.h"
#include "formats/run_directory.h"

#define LOAD_NO_RUN SIZE_MAX

/* One log, and what its reading showed. */
struct load_log {
    char *path;    /* owned */
    size_t run;    /* index into runs, or LOAD_NO_RUN for a log named by itself */
    bool readable; /* false: not even its header could be read; `problem` says why */
    char *problem; /* owned; NULL unless unreadable */
    struct arrivals_header header;
    struct arrivals_loss loss; /* valid once the log is read to its end */
    struct end_record end;     /* all zero when end_seen is false */
    bool end_seen;
    /* owned; open while the log is read, and from the start for "-" */
    struct arrivals_reader *reader;
    bool imported; /* another tool's records: read through `import`, not `reader` */
    struct aiperf_reader *import; /* owned; open while the log is read */
    const struct wire_join *wire; /* of its run; NULL unless load_use_wire found one */
    struct wire_scratch scratch;
    uint64_t on_wire; /* requests read so far whose packets were found, */
    uint64_t off_wire; /* and that were sent, but not found */
};

/* A run directory among the operands. */
struct load_run {
    char *path; /* owned */
    struct run_manifest manifest;
    char *wire_path; /* owned; NULL when the directory has no wire log */
    struct wire_join wire; /* by load_use_wire, likewise below */
    uint64_t dropped_packets; /* by the capture, as its sidecar says */
};

struct load {
    struct load_log *logs; /* owned */
    size_t log_count;
    size_t log_capacity;
    struct load_run *runs; /* owned */
    size_t run_count;
    size_t run_capacity;
    size_t current; /* log that is being read */
};

/* Lists the logs of all operands. Logs of different kinds (client, server, wire) do not
 * mix: STATUS_USAGE. A log of a run directory whose header cannot be read is kept as
 * unreadable, since the run may have died at its start; one named by itself is
 * STATUS_BAD_INPUT. Release in any case. Start from {0}. */
int load_open(struct load *load, char *const *operands, int operand_count,
              struct fault *fault);

/* From now on the arrivals in records of run directories are those of packets, wherever
 * the directory has a wire log and the packet is in it. */
int load_use_wire(struct load *load, struct fault *fault);

/* Says of each log that is read, in one line each, what is missing of it; nothing of
 * those that are whole. */
void load_print_losses(const struct load *load, FILE *out);

/* Over all logs, as far as they are read. */
struct load_packets {
    bool used;         /* some run has a wire log */
    uint64_t found;    /* requests whose arrivals are those of packets */
    uint64_t missing;  /* requests that were sent, but are not among the packets */
    uint64_t dropped;  /* packets that the captures dropped */
};

struct load_packets load_packets(const struct load *load);

/* "client", "server", "wire", "imported"; "unknown" beyond the enum. */
const char *load_source_name(unsigned source);

void load_release(struct load *load);

/* The next record of one log, borrowed until the next call on it; opens it when it is not
 * open. 1: a record, 0: it is read (or unreadable), <0: damage. Different logs may be
 * read by different threads. */
int load_log_next(struct load_log *log, struct arrivals_record *record,
                  struct fault *fault);

/* The next record of any log, borrowed until the next call, and the index of its log. 1:
 * a record, 0: all logs are read, <0: damage. */
int load_next(struct load *load, struct arrivals_record *record, size_t *log,
              struct fault *fault);

#endif
