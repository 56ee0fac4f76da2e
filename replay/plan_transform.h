/* The steps from traces to a plan. Each works on plan->requests in place. */
#ifndef TOKTRACE_PLAN_TRANSFORM_H
#define TOKTRACE_PLAN_TRANSFORM_H

#include "replay/plan.h"

/* Spreads rows that share a tick of the trace evenly at random over it; order is kept. */
void plan_spread_ticks(struct request_trace *trace, uint64_t seed, uint32_t source);

/* Appends the rows of the trace; takes over the bytes of its blocks and texts.
 * Sessions and blocks of different sources never meet. */
void plan_append_trace(struct plan *plan, struct request_trace *trace, uint32_t source);

/* Takes over the texts of the trace; returns the number of the first in the plan. */
uint32_t plan_take_texts(struct plan *plan, struct request_trace *trace);

/* By time, then source, then row. */
void plan_sort(struct plan *plan);

/* --start, --duration, --sample, --limit, --max-input, --max-output. */
void plan_window(struct plan *plan, int64_t start_ns, int64_t duration_ns);
void plan_sample(struct plan *plan, double fraction);
void plan_limit(struct plan *plan, size_t limit);
void plan_clip(struct plan *plan, uint32_t max_input, uint32_t max_output);

/* Makes the plan `count` rows long by copies of itself; copy k of a row is due k
 * periods later and, where it has a session, belongs to a session of its own. */
int plan_extend(struct plan *plan, size_t count, int64_t period_ns, struct fault *fault);

/* The time from the start of one copy to that of the next: `duration_ns` unless 0,
 * else from first to last row and a mean gap more. */
int plan_period(const struct plan *plan, int64_t duration_ns, int64_t *period_ns,
                struct fault *fault);

/* Multiplies all times and think times. */
int plan_scale(struct plan *plan, long double factor, struct fault *fault);

/* Rows per second: (n − 1)/(t_n − t_1). 0 where that is undefined. */
double plan_rate(const struct plan *plan);

/* "trace", "none", or a duration for every turn but the first of its session. */
int plan_set_think_time(struct plan *plan, const char *text, struct fault *fault);

/* Numbers sessions by first appearance, and turns within each. */
void plan_number_sessions(struct plan *plan);

/* Sets plan->hash. */
void plan_set_hash(struct plan *plan);

#endif
