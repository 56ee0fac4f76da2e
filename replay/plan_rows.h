/* A plan as text: one JSON object per line, itself a request trace
 * (formats/requests.md). */
#ifndef TOKTRACE_PLAN_ROWS_H
#define TOKTRACE_PLAN_ROWS_H

#include "formats/base/buffer.h"
#include "replay/plan.h"

/* Appends the line of request `index`, with its newline. */
void plan_row_append(struct buffer *line, const struct plan *plan, size_t index);

#endif
