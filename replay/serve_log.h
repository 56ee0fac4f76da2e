/* The simulated server's arrival log: what it really did, for comparison with what
 * clients saw. Times of events are taken just before the write, so that a client's kernel
 * stamp never precedes them. */
#ifndef TOKTRACE_SERVE_LOG_H
#define TOKTRACE_SERVE_LOG_H

#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

struct serve_log; /* opaque */

/* Creates the log of process `process` of `processes`. */
int serve_log_open(struct serve_log **log, const char *path, uint32_t process,
                   uint32_t processes, struct fault *fault);

/* Writes what is due each second (the clocks, what the loop did) and says whether the
 * disk still takes it: STATUS_OK or STATUS_IO. `idle_ns`: how long the loop's last wait
 * took; call it after each. */
int serve_log_tick(struct serve_log *log, int64_t now_monotonic_ns, int64_t idle_ns);

/* Times of the request and its events are on CLOCK_MONOTONIC and changed to the log's
 * clock in place. */
void serve_log_request(struct serve_log *log, struct arrival_request *request);

int serve_log_close(struct serve_log *log, struct fault *fault);

/* The path with "-NNN" before the extension; caller frees. */
char *serve_log_path(const char *path, uint32_t process);

#endif
