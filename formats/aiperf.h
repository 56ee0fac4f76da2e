/* Reads the per-request records of another load generator, aiperf's profile_export.jsonl,
 * as an arrival log (LOG_IMPORTED): one JSON object per line, of both namings that
 * releases have used (timestamp_ns and ttft of 2025, request_start_ns and
 * time_to_first_token since).
 *
 * That client takes one stamp per chunk, when its event loop has it. It stands here as
 * the arrival: its own delay cannot be told from the server's, and there is no app time.
 * Zero of the run clock is the start of the file's first request; later lines may have
 * started earlier. Times of start are the wall clock's. Lines of a warm-up are left
 * out. */
#ifndef TOKTRACE_AIPERF_H
#define TOKTRACE_AIPERF_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

struct aiperf_reader; /* opaque */

/* Whether the file, plain or compressed, begins like such an export; false also for what
 * cannot be read, and for "-", which cannot be looked at twice. */
bool aiperf_is(const char *path);

/* Caller closes. */
int aiperf_reader_open(struct aiperf_reader **reader, const char *path,
                       struct fault *fault);

void aiperf_reader_close(struct aiperf_reader *reader); /* NULL is allowed */

/* Borrowed from the reader. */
const struct arrivals_header *aiperf_reader_header(const struct aiperf_reader *reader);

/* The next request, borrowed until the next call; rows count the lines of the file from
 * 0. The tool's own count of output tokens stands as the usage. 1: a request, 0: the end,
 * STATUS_BAD_INPUT with line, STATUS_LIMIT for more than REQUEST_EVENTS_MAX chunks. */
int aiperf_reader_next(struct aiperf_reader *reader, struct arrival_request *request,
                       struct fault *fault);

#endif
