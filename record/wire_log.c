#include "record/wire_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/version.h"

int wire_log_open(struct wire_log *log, const char *path, bool force,
                  const struct arrivals_header *header, struct fault *fault)
{
    if (!force && access(path, F_OK) == 0)
        return fault_set(fault, STATUS_USAGE, "%s exists; --force overwrites it", path);
    struct arrivals_header own = *header;
    snprintf(own.producer, sizeof(own.producer), "tokrecord %s", TOKTRACE_VERSION);
    own.source = LOG_WIRE;
    own.workers = 1;
    struct buffer part = BUFFER_INIT;
    buffer_printf(&part, "%s.part", path);
    log->path = memory_copy_text(path, strlen(path));
    log->part_path = memory_copy_text(part.data, part.len);
    buffer_release(&part);
    unlink(log->part_path); /* of a run that died */
    return arrivals_writer_open(&log->writer, log->part_path, &own, fault);
}

static void forget(struct wire_log *log)
{
    free(log->path);
    free(log->part_path);
    *log = (struct wire_log){ 0 };
}

int wire_log_commit(struct wire_log *log, int64_t end_ns, struct fault *fault)
{
    if (!log->writer)
        return STATUS_OK;
    struct end_record end = { .at_ns = end_ns };
    struct arrivals_writer *writer = log->writer;
    log->writer = NULL;
    int status = arrivals_writer_close(writer, &end, fault);
    if (status == STATUS_OK && rename(log->part_path, log->path) < 0)
        status = fault_set_errno(fault, "cannot create %s", log->path);
    if (status == STATUS_OK)
        forget(log);
    return status;
}

int wire_log_tick(struct wire_log *log, struct fault *fault)
{
    if (!log->writer)
        return STATUS_OK;
    arrivals_writer_tick(log->writer, clock_monotonic_ns());
    if (arrivals_writer_status(log->writer) == STATUS_OK)
        return STATUS_OK;
    return fault_set(fault, STATUS_IO, "cannot write %s: the disk refuses",
                     log->part_path);
}

void wire_log_release(struct wire_log *log)
{
    if (log->writer)
        arrivals_writer_abandon(log->writer);
    if (log->part_path)
        unlink(log->part_path);
    forget(log);
}
