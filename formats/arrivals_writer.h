/* Writes an arrival log without disturbing the loop that calls it: records are encoded
 * into memory, and a thread compresses each block as one zstd frame and writes it. A
 * block is closed when it is full and at least every second (call arrivals_writer_tick),
 * so a killed process loses at most the last one. */
#ifndef TOKTRACE_ARRIVALS_WRITER_H
#define TOKTRACE_ARRIVALS_WRITER_H

#include "formats/arrivals.h"
#include "formats/base/fault.h"

struct arrivals_writer; /* opaque; one per file, one calling thread */

/* Creates `path` (it must not exist) and writes the header's frame. All memory is taken
 * here, but for requests of more events than ENCODER_EVENTS (arrivals_encode.h). Call it
 * after fork: it starts a thread, with all signals blocked. */
int arrivals_writer_open(struct arrivals_writer **writer, const char *path,
                         const struct arrivals_header *header, struct fault *fault);

/* Each encodes one record; the caller keeps what it passes. They wait only when every
 * block is full because the disk does not keep up; the time waited is counted. Once the
 * disk refused, records are dropped and counted as lost. */
void arrivals_writer_request(struct arrivals_writer *writer,
                             const struct arrival_request *request);
void arrivals_writer_loop(struct arrivals_writer *writer,
                          const struct loop_record *record);
void arrivals_writer_clock(struct arrivals_writer *writer,
                           const struct clock_record *record);

/* Hands the open block over when it is a second old. Cheap: call it once per loop
 * iteration. */
void arrivals_writer_tick(struct arrivals_writer *writer, int64_t now_monotonic_ns);

/* STATUS_OK, or STATUS_IO once the disk refused (full, removed): then nothing more is
 * written and the caller should stop. One relaxed load. */
int arrivals_writer_status(const struct arrivals_writer *writer);

/* Total time that calls waited for the disk, ns. */
uint64_t arrivals_writer_waited_ns(const struct arrivals_writer *writer);

/* Writes the end record (with the writer's own counts of requests and events), the index
 * and fsyncs; frees the writer in any case. Reports a failure of the disk, now or
 * earlier, with what was kept: the file then ends with its last whole frame and has no
 * end record. */
int arrivals_writer_close(struct arrivals_writer *writer, const struct end_record *end,
                          struct fault *fault);

/* Frees without an end record, as a crash would leave the file; for tests and for giving
 * up. */
void arrivals_writer_abandon(struct arrivals_writer *writer);

#endif
