/* Real texts in place of random prompts: --prompts. */
#ifndef TOKTRACE_PLAN_PROMPTS_H
#define TOKTRACE_PLAN_PROMPTS_H

#include <stdbool.h>

#include "replay/plan.h"

/* Whether --prompts asks for the texts of the trace, so that they are to be kept. */
bool plan_prompts_of_trace(const char *prompts);

/* Gives requests the texts that --prompts names; NULL: none. Those of a file are
 * handed out in its order, over and over. A prompt that is sent as a text counts as
 * many input tokens as the file with the text says or, where it does not, as are
 * estimated. */
int plan_set_prompts(struct plan *plan, const char *prompts, struct fault *fault);

#endif
