/* The parts of the search for the knee. Stages are usable ones only, by rising rate. */
#ifndef TOKTRACE_KNEE_RULES_H
#define TOKTRACE_KNEE_RULES_H

#include "analyze/knee.h"

/* One usable stage as the rules see it. */
struct knee_stage {
    const struct stage_evidence *evidence;
    const struct stage_signs *signs;
};

struct knee_stages {
    struct knee_stage *items;
    size_t count;
};

void knee_found(struct knee_finding *finding, enum knee_state state, double knee_per_s,
                double error, double low_per_s, double high_per_s);

void knee_unknown(struct knee_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number of leading stages below the split that contradicts the fewest signs: signs
 * before it, and their absence after it. Of equals the highest. */
typedef bool sign_fn(const struct stage_signs *signs);
size_t knee_split(const struct knee_stages *stages, sign_fn *sign);

bool sign_falls_short(const struct stage_signs *signs);
bool sign_grows(const struct stage_signs *signs);
bool sign_any(const struct stage_signs *signs);

size_t knee_distinct_rates(const struct knee_stages *stages, size_t from, size_t to);

/* Each fills one finding; by latency also the curve, when there is a finding. */
void knee_by_share(struct knee_finding *finding, const struct knee_stages *stages);
void knee_by_growth(struct knee_finding *finding, const struct knee_stages *stages);
void knee_by_latency(struct knee_finding *finding, struct knee_curve *curve,
                     const struct knee_stages *stages);
void knee_by_segments(struct knee_finding *finding, const struct knee_stages *stages);

/* Kneedle (Satopaa, Albrecht, Irwin and Raghavan 2011) on completed over offered load:
 * the point farthest above the chord, both axes scaled to [0, 1]. NaN for less than 3
 * rates or when no point is above it. */
double kneedle(const struct knee_stages *stages);

/* Least value of function(x, context) over [low, high]: a grid of `steps` spans, then
 * Brent's method around its best point. */
typedef double search_fn(double x, void *context);
double search_minimum(search_fn *function, void *context, double low, double high,
                      size_t steps);

#endif
