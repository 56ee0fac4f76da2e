/* The arrival log of a wire source, written under a temporary name until it is whole. */
#ifndef TOKTRACE_WIRE_LOG_H
#define TOKTRACE_WIRE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/arrivals_writer.h"
#include "formats/base/fault.h"

struct wire_log {
    struct arrivals_writer *writer; /* NULL: not open */
    char *path;
    char *part_path;
};

/* Refuses to overwrite `path` without `force`. The header's source, producer and workers
 * are set. */
int wire_log_open(struct wire_log *log, const char *path, bool force,
                  const struct arrivals_header *header, struct fault *fault);

/* Ends the log and puts it under its name. */
int wire_log_commit(struct wire_log *log, int64_t end_ns, struct fault *fault);

/* Hands blocks over in time; STATUS_IO once the disk refused. */
int wire_log_tick(struct wire_log *log, struct fault *fault);

/* Removes what was not committed. */
void wire_log_release(struct wire_log *log);

#endif
