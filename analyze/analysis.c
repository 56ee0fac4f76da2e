#include "analyze/analysis.h"

#include "formats/base/terminal.h"

void analysis_release(struct analysis *analysis)
{
    summary_release(&analysis->summary);
    collection_release(&analysis->collection);
    load_release(&analysis->load);
}

int analysis_run(struct analysis *analysis, char **operands, int operand_count,
                 const struct summary_request *request, struct window window,
                 const struct common_options *common, struct fault *fault)
{
    struct progress progress;
    bool wanted = !common->no_progress && common->quiet == 0;
    progress_init(&progress, wanted, common->verbose > 0);
    analysis->collection.window = window;
    analysis->collection.lag_epsilon_ns = request->limits.lag_epsilon_ns;
    int status = load_open(&analysis->load, operands, operand_count, fault);
    if (status == STATUS_OK && !request->kernel_stamps)
        status = load_use_wire(&analysis->load, fault);
    if (status == STATUS_OK)
        status = collection_read(&analysis->collection, &analysis->load, &progress,
                                 fault);
    if (status == STATUS_OK)
        summary_compute(&analysis->summary, request, &analysis->load,
                        &analysis->collection);
    return status;
}
