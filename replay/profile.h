/* Runs a latency profile: stage after stage, each a run directory, until the sweep is
 * over. Can be stopped after any stage, and go on. */
#ifndef TOKTRACE_PROFILE_H
#define TOKTRACE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/base/options.h"
#include "replay/plan_options.h"
#include "replay/run_options.h"
#include "replay/sweep.h"

/* Times that a closed-loop ladder found the capacity is where "auto" ends; its tenth is
 * where it begins, unless told. */
#define AUTO_BEYOND_CAPACITY 1.5
#define AUTO_BELOW_CAPACITY 0.1

/* All borrowed. */
struct profile_setup {
    const struct common_options *common;
    const struct run_options *run;
    struct plan_options plan; /* of every stage, but for its rate, duration and seed */
    struct sweep sweep;       /* from and to 0: to be found (auto) */
    int64_t stage_duration_ns;
    int64_t drain_ns;       /* open streams are cancelled so long after a stage's end */
    const char *slo;        /* kept for the analysis; NULL: none */
    const char *parameters; /* all that decides what is run, as one line */
    const char *directory;
    bool resume;
};

/* What came of it. */
struct profile_result {
    uint32_t stages;         /* finished, those of an earlier call included */
    int signal;              /* that interrupted it; 0: none */
    enum stage_finding last; /* of the last finished stage */
};

/* STATUS_NETWORK when the server failed, with what was found. */
int profile_execute(const struct profile_setup *setup, struct profile_result *result,
                    struct fault *fault);

#endif
