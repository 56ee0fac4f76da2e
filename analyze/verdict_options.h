/* The thresholds of the verdict as options, for every command that judges runs. */
#ifndef TOKTRACE_VERDICT_OPTIONS_H
#define TOKTRACE_VERDICT_OPTIONS_H

#include <stddef.h>

#include "analyze/verdict.h"
#include "formats/base/options.h"

#define VERDICT_SHARE(holder, field, name_, default_, help_) \
    { .name = name_, .type = OPTION_FLOAT, .argument = "SHARE", \
      .default_text = default_, .offset = offsetof(holder, field), .max = 1e9, \
      .help = help_ }

#define VERDICT_DURATION(holder, field, name_, default_, help_) \
    { .name = name_, .type = OPTION_DURATION, .argument = "TIME", \
      .default_text = default_, .offset = offsetof(holder, field), .max = 9e18, \
      .help = help_ }

/* Entries for the table of options struct `holder` whose member `limits` is a struct
 * verdict_limits. */
#define VERDICT_OPTIONS(holder, limits) \
    { .name = "min-sent-share", .type = OPTION_FLOAT, .argument = "SHARE", \
      .default_text = "0.999", .offset = offsetof(holder, limits.min_sent_share), \
      .max = 1, .group = "What makes a run believable", \
      .help = "least share of the planned requests that must have been sent" }, \
    VERDICT_SHARE(holder, limits.max_failed_share, "max-failed-share", "0.1", \
                  "most planned requests that may fail"), \
    VERDICT_SHARE(holder, limits.max_send_lag_share, "max-send-lag-share", "0.1", \
                  "bound on p99 of send lag / median TTFT"), \
    VERDICT_SHARE(holder, limits.max_receive_lag_share, "max-receive-lag-share", "0.5", \
                  "bound on p99 of receive lag / median TPOT"), \
    VERDICT_SHARE(holder, limits.max_utilisation, "max-utilisation", "0.7", \
                  "bound on the busy share of each worker"), \
    VERDICT_SHARE(holder, limits.max_shared_read_share, "max-shared-read-share", "0.5", \
                  "bound on the share of tokens that came out of a read with others"), \
    VERDICT_SHARE(holder, limits.max_unjoined_share, "max-unjoined-share", "0.001", \
                  "bound on the share of requests not found among the run's packets"), \
    VERDICT_DURATION(holder, limits.max_stall_ns, "max-stall", "200ms", \
                     "longest that a worker may stand still"), \
    VERDICT_DURATION(holder, limits.max_log_wait_ns, "max-log-wait", "50ms", \
                     "longest that a worker may wait for the disk of its log, in all"), \
    VERDICT_DURATION(holder, limits.max_clock_step_ns, "max-clock-step", "1ms", \
                     "largest step of the wall clock"), \
    VERDICT_DURATION(holder, limits.lag_epsilon_ns, "lag-epsilon", "5us", \
                     "a receive lag below minus this is a fault of the clocks")

#endif
