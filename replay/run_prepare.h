/* Everything that a run needs before it touches the disk: options become a plan, a target
 * and a setup, the machine's limits are checked, the server is asked whether it answers.
 */
#ifndef TOKTRACE_RUN_PREPARE_H
#define TOKTRACE_RUN_PREPARE_H

#include "formats/base/fault.h"
#include "formats/base/options.h"
#include "replay/plan.h"
#include "replay/plan_options.h"
#include "replay/run.h"
#include "replay/run_options.h"

/* What setup points into. */
struct run_context {
    struct plan plan;
    struct target target;
    struct body_options body;
    char *model; /* owned; NULL where the user named one */
    struct run_texts command;
    struct run_texts notes;
    struct run_setup setup;
};

/* Fills the context; all options are borrowed for its life. Release it in any case.
 * directory: NULL when it is to be named by run_context_replan. */
int run_context_init(struct run_context *context, const struct common_options *common,
                     const struct run_options *run, const struct plan_options *plan,
                     const char *directory, struct fault *fault);

/* Puts another plan in the place of the first, for another directory. */
int run_context_replan(struct run_context *context, const struct run_options *run,
                       const struct plan_options *plan, const char *directory,
                       struct fault *fault);

void run_context_release(struct run_context *context);

#endif
