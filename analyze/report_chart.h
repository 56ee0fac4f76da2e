/* Small SVG charts for the report, in the colours of the page's theme. */
#ifndef TOKTRACE_REPORT_CHART_H
#define TOKTRACE_REPORT_CHART_H

#include "analyze/collection.h"
#include "formats/base/buffer.h"

/* Appends the distributions of TTFT, TPOT, gaps, NTPOT and E2E of the requests that
 * succeeded, on a logarithmic axis of time. */
void report_chart_cdf(struct buffer *page, const struct collection *collection);

#endif
