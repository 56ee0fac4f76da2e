/* From operands to a summary: what every command does that judges whole runs. */
#ifndef TOKTRACE_ANALYSIS_H
#define TOKTRACE_ANALYSIS_H

#include "analyze/collection.h"
#include "analyze/load.h"
#include "analyze/summary.h"
#include "formats/base/options.h"

/* Start from {0}. */
struct analysis {
    struct load load;
    struct collection collection;
    struct summary summary;
};

/* Reads the operands and computes their summary, arrivals by packets where run
 * directories have them, with a progress line where `common` wants one. Release in any
 * case. */
int analysis_run(struct analysis *analysis, char **operands, int operand_count,
                 const struct summary_request *request, struct window window,
                 const struct common_options *common, struct fault *fault);

void analysis_release(struct analysis *analysis);

#endif
