/* Plans whose times, and maybe lengths, are drawn: --arrivals. */
#ifndef TOKTRACE_PLAN_SYNTHETIC_H
#define TOKTRACE_PLAN_SYNTHETIC_H

#include "replay/plan.h"

/* Draws the arrivals of options->arrivals. The requests that are in the plan by now,
 * those of the trace, get the times one after the other, and are gone through again
 * when there are more times; a plan without any gets lengths drawn too. */
int plan_synthesize(struct plan *plan, const struct plan_options *options,
                    struct fault *fault);

#endif
