/* Two sets of runs held against each other, metric by metric. */
#ifndef TOKTRACE_COMPARE_H
#define TOKTRACE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/analysis.h"
#include "analyze/contrast.h"

/* Whether B is better than A. */
enum comparison_verdict {
    COMPARE_BETTER,
    COMPARE_WORSE,
    COMPARE_MIXED, /* the median and the tail went different ways */
    COMPARE_NO_DIFFERENCE,
    COMPARE_NOT_COMPARABLE,
};

/* "better", "worse", "mixed", "no difference shown", "not comparable". */
extern const char *const comparison_verdict_names[];

enum { COMPARE_METRICS = REQUEST_METRICS + 1 }; /* those of requests, and itl */

struct metric_comparison {
    const char *name;
    struct contrast contrasts[CONTRASTS];
    enum comparison_verdict each[CONTRASTS]; /* by its own 95 % interval */
    /* of the metric: by median and tail jointly */
    enum comparison_verdict verdict;
    /* why it is not comparable, or why nothing could be shown; or NULL */
    const char *reason;
    uint64_t a_count;   /* values on each side; pairs, when paired */
    uint64_t b_count;
};

/* One side: one run, or repetitions of it. */
struct compare_side {
    const struct analysis *runs;
    size_t count;
};

struct compare_request {
    enum flavour flavour;
    double margin;        /* differences up to this share are no difference */
    bool across_plans;    /* compare though the plans differ, unpaired */
    bool ignore_verdicts; /* compare though a run is not to be believed */
};

struct comparison {
    bool same_plan;   /* each plan makes up the same share of the runs on both sides */
    bool paired;      /* one run on each side, rows of one plan */
    bool repetitions; /* several runs on each side: variance is that between runs */
    bool believable;  /* the verdicts of all runs */
    struct metric_comparison metrics[COMPARE_METRICS];
    double a_failed_share; /* of the planned requests */
    double b_failed_share;
    struct interval failed_difference; /* b - a */
    enum comparison_verdict failed_verdict;
};

/* Both sides have one run, or both have two and more. */
void compare_runs(struct comparison *comparison, struct compare_side a,
                  struct compare_side b, const struct compare_request *request);

#endif
