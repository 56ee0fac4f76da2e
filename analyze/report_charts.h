/* The charts of a run in `tokanalyze report`. */
#ifndef TOKTRACE_REPORT_CHARTS_H
#define TOKTRACE_REPORT_CHARTS_H

#include "analyze/collection.h"
#include "formats/base/buffer.h"

/* Latencies, by arrival beside as the client saw them, what the client added,
 * and the run in time. */
void report_charts_run(struct buffer *page, const struct collection *collection);

#endif
