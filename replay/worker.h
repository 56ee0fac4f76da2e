/* One worker process: prepares, waits for the start, runs its share of the plan in one
 * event loop, and writes its log. */
#ifndef TOKTRACE_WORKER_H
#define TOKTRACE_WORKER_H

#include <stdint.h>

#include "formats/arrivals.h"
#include "replay/client_cost.h"
#include "replay/control.h"
#include "replay/plan.h"
#include "replay/request_body.h"
#include "replay/schedule.h"
#include "replay/target.h"

/* All borrowed. */
struct worker_setup {
    uint32_t number;
    uint32_t workers;
    const struct plan *plan;
    const struct target *target;
    const struct body_options *body;
    const char *log_path;
    const char *run_id;
    const char *boot_id;
    struct run_control *control;
    int wake_fd; /* an eventfd: the parent writes when something in control changed */
    int cpu;     /* to be pinned to; -1: none */
    unsigned lanes;
    uint64_t open_expected; /* streams that may be open at once, for sizing */
    uint64_t slots;         /* closed loop; 0: open loop */
    enum failed_turn failed_turn;
    struct client_cost cost;
    int64_t timeout_ns;
    int64_t idle_timeout_ns;
    int64_t grace_ns;
    /* run clock: nothing more is sent then; INT64_MAX: to the end */
    int64_t send_until_ns;
    /* run clock: open streams are cancelled then; INT64_MAX: never */
    int64_t cut_at_ns;
    uint32_t retries;
};

/* Returns when the share is done or the run is stopped: a status; the fault is in the
 * counters. */
int worker_run(const struct worker_setup *setup);

#endif
