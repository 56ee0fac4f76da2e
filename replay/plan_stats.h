/* What a plan is like: its rate, how its gaps scatter, its lengths, its prefixes. */
#ifndef TOKTRACE_PLAN_STATS_H
#define TOKTRACE_PLAN_STATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "replay/plan.h"

enum { DISPERSION_WINDOWS = 3 };

/* Every double is NaN where it is undefined: too few requests, no span. */
struct plan_lengths {
    double sum;
    double mean;
    double p50; /* linear interpolation of order statistics */
    double p99;
    double max;
};

struct plan_gap_test {
    const char *law;   /* what was tested against; NULL: no test */
    bool mean_given;   /* the mean was the law's, not the sample's */
    double statistic;  /* Anderson-Darling A² */
    double p_value;
};

struct plan_stats {
    size_t count;
    double span_s;          /* from the first to the last */
    double mean_per_s;      /* (n − 1)/span */
    /* turns that are due by the answer before and not by a time: only mean_per_s counts
       them, of the figures up to windows_rejecting */
    size_t waiting_turns;
    double peak_per_s;      /* most in one second counted from the first */
    size_t equal_times;     /* due at the same time as the one before */
    double gap_cv;          /* standard deviation over mean, n − 1 in the former */
    double gap_correlation; /* of neighbouring gaps (lag 1) */
    double dispersion[DISPERSION_WINDOWS]; /* variance over mean of counts */
    struct plan_gap_test test;
    double windows_rejecting; /* fraction of 10-s windows, of 20 gaps or more, that each
                                 reject exponential gaps at 5 % */
    struct plan_lengths input;
    struct plan_lengths output;
    size_t sessions;
    uint64_t blocks;         /* of shared prefixes, all requests together */
    uint64_t distinct_blocks;
    double shared_tokens;    /* of prompts, in leading blocks seen before */
};

/* The windows of dispersion, in seconds: 0.1, 1, 10. */
extern const double dispersion_window_s[DISPERSION_WINDOWS];

/* `options` are those that the plan was made with: they name the law of its gaps. */
void plan_stats_compute(struct plan_stats *stats, const struct plan *plan,
                        const struct plan_options *options);

/* Tables for people. */
void plan_stats_print(const struct plan_stats *stats, const struct plan *plan, FILE *out);

/* The document "tokreplay.plan/1". New reference. */
json_t *plan_stats_json(const struct plan_stats *stats, const struct plan *plan);

#endif
