/* One run: forks the workers, starts them together, watches over them, and leaves a run
 * directory. */
#ifndef TOKTRACE_RUN_H
#define TOKTRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"
#include "formats/run_directory.h"
#include "replay/client_cost.h"
#include "replay/plan.h"
#include "replay/request_body.h"
#include "replay/schedule.h"
#include "replay/target.h"

/* All pointers borrowed. */
struct run_setup {
    const struct plan *plan;
    const struct target *target;
    const struct body_options *body;
    const char *directory; /* made by run_execute; must not exist */
    bool force;            /* an empty one may */
    uint32_t workers;
    bool pin; /* each worker to a CPU of its own, as far as they go */
    /* closed loop: requests open over all workers; 0: open loop */
    uint64_t concurrency;
    uint64_t open_expected; /* per worker, for sizing */
    enum failed_turn failed_turn;
    struct client_cost cost; /* of the emulated client; mean 0: none */
    const char *cost_text;   /* as it was given, for the manifest; NULL: none */
    int64_t timeout_ns;
    int64_t idle_timeout_ns;
    int64_t grace_ns;
    int64_t send_until_ns; /* run clock: nothing more is sent then, and what is left is no
                              part of the run; 0: to the end of the plan */
    int64_t cut_at_ns;     /* run clock: open streams are cancelled then; 0: never */
    uint32_t retries;
    const char *capture_interface; /* packets are captured there; NULL: not at all */
    const struct run_texts *notes;   /* lines that a report should carry */
    const struct run_texts *command; /* argv without secrets, for the manifest */
    const char *label; /* before the progress line; NULL: nothing */
    bool progress;
    bool verbose;
};

/* What came of it. */
struct run_result {
    uint64_t outcomes[OUTCOMES]; /* as far as the workers could tell */
    uint64_t planned;
    uint64_t sent;
    int signal;            /* that interrupted the run; 0: none */
    uint32_t lost_workers; /* died, or could not write their log */
};

/* Runs the plan to its end. A status other than OK means that the run could not be made
 * or is not whole; what was logged stays. An interrupt is no failure: result->signal
 * tells. */
int run_execute(const struct run_setup *setup, struct run_result *result,
                struct fault *fault);

#endif
