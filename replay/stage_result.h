/* What the logs of a stage say to the sweep that ran it: whether the server kept up, and
 * whether the client did. A first judgement, by counts alone; the models come later. */
#ifndef TOKTRACE_STAGE_RESULT_H
#define TOKTRACE_STAGE_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/profile_manifest.h"

/* A request of the stage, on the run clock. */
struct stage_request {
    int64_t sent_ns; /* TIME_NONE: never sent */
    int64_t end_ns;
    bool ok;
};

struct stage_log {
    struct stage_request *requests; /* owned */
    size_t count;
    size_t capacity;
    double busiest; /* share of its time that the busiest worker was busy, 0 to 1 */
};

void stage_log_release(struct stage_log *log);

/* Reads all worker logs of a run directory. */
int stage_log_read(struct stage_log *log, const char *directory, struct fault *fault);

/* Judges a stage whose requests were due over [0, duration_ns):
 *   half or more failed                                        failed
 *   the busiest worker was busy for over CLIENT_BUSY_MAX       client_limited
 *   its first requests took over a quarter of its duration     too_short
 *   requests in flight grew over its second half by more than
 *   3 standard deviations (Poisson: of the sum of both counts)
 *   and by over GROWTH_MIN of the requests due in that half    saturated
 *   otherwise                                                  held */
#define CLIENT_BUSY_MAX 0.9
#define GROWTH_MIN 0.02
enum stage_finding stage_judge(const struct stage_log *log, int64_t duration_ns);

/* Requests that succeeded per second between T0 and the last of them to end within
 * duration_ns; and the mean time from sent to end of those, s. 0 when there are none. */
double stage_throughput_per_s(const struct stage_log *log, int64_t duration_ns);
double stage_mean_latency_s(const struct stage_log *log, int64_t duration_ns);

#endif
