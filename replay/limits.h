/* Whether this machine can keep as many streams open as a plan may need: descriptors and
 * local ports. Asked before the start, so that a run does not break on it half way. */
#ifndef TOKTRACE_LIMITS_H
#define TOKTRACE_LIMITS_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "replay/plan.h"

/* Streams that may be open at once over all workers when each request lasts
 * LIMITS_TTFT_NS plus LIMITS_TPOT_NS per output token, but no longer than timeout_ns (0:
 * no limit): a slow server's pace. A session whose turns wait for answers has one. */
#define LIMITS_TTFT_NS INT64_C(2000000000)
#define LIMITS_TPOT_NS INT64_C(50000000)
uint64_t limits_open_expected(const struct plan *plan, int64_t timeout_ns);

/* Raises RLIMIT_NOFILE as far as allowed and checks it and the range of local ports
 * against `open` streams over `workers` processes and source_addresses local addresses (0
 * and 1: one). STATUS_IO says which limit to raise, and to what. */
int limits_check(uint64_t open, uint32_t workers, size_t source_addresses,
                 struct fault *fault);

#endif
