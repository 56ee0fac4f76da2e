/* The knee of a load sweep: the offered load beyond which the server falls behind, by
 * four rules that look at different things, each with a 95 % interval, and what they say
 * together. Knows no files and no logs. */
#ifndef TOKTRACE_KNEE_H
#define TOKTRACE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/stage_evidence.h"

enum knee_rule_kind {
    KNEE_BY_SHARE,    /* completed / planned falls below a bound beyond its interval */
    KNEE_BY_GROWTH,   /* requests in flight grow within the stage, beyond chance */
    KNEE_BY_LATENCY,  /* capacity c of T(x) = a + b x / (c - x), fitted to latencies */
    KNEE_BY_SEGMENTS, /* completed = offered up to the knee, another line beyond it */
    KNEE_RULES,
};

/* "completed_share", "growth", "latency_fit", "two_segments". */
extern const char *const knee_rule_names[KNEE_RULES];

enum knee_state {
    KNEE_UNKNOWN, /* it cannot be told; `why` says what is missing */
    KNEE_FOUND,
    KNEE_ABOVE, /* the server kept up with the highest load */
    KNEE_BELOW, /* it did not with the lowest: knee_per_s is what it managed then */
};

/* "unknown", "found", "above_range", "below_range". */
extern const char *const knee_state_names[];

enum { KNEE_TEXT_MAX = 160 };

struct knee_finding {
    enum knee_state state;
    double knee_per_s; /* NaN unless found or below the range */
    double error;      /* standard error */
    struct interval interval;
    char why[KNEE_TEXT_MAX]; /* in words, for unknown; else "" */
};

/* Mean time from sent to end over load x, as KNEE_BY_LATENCY fitted it: M/G/1's shape a +
 * b x / (c - x), for stages that last so long (knee_latency.c). */
struct knee_curve {
    double a_s; /* NaN: no fit, or one that says nothing */
    double b_s;
    double c_per_s;
    double horizon_s; /* mean over the stages that it was fitted to */
};

extern const struct knee_curve knee_curve_unknown;

/* The curve at a load; NaN without a fit. */
double knee_curve_s(const struct knee_curve *curve, double rate_per_s);

struct knee_limits {
    double min_completed_share; /* of the planned requests */
    double max_growth_share;    /* growth of in-flight per second / planned rate */
};

#define KNEE_LIMITS_INIT { .min_completed_share = 0.97, .max_growth_share = 0.02 }

/* What the first two rules say of one stage; both false unless it is usable. */
struct stage_signs {
    bool falls_short;
    bool grows;
    struct stage_estimate ratio;  /* completed / planned */
    struct stage_estimate growth; /* of in-flight, per s */
};

struct knee {
    struct knee_finding rules[KNEE_RULES];
    struct knee_finding together;
    struct knee_curve curve;
    bool disagree;        /* the intervals of two rules that found it do not meet */
    double kneedle_per_s; /* for reference; NaN: none */
    double held_per_s;    /* highest usable load without a sign of saturation; 0: none */
    double saturated_per_s; /* lowest usable load from which on signs prevail; infinity */
    double failing_per_s;   /* lowest load at which requests failed; infinity: none */
    struct stage_signs *signs; /* owned, one per stage */
    size_t usable; /* stages that count as evidence */
};

/* `stages` in any order; rates may repeat. Release in any case. */
void knee_find(struct knee *knee, const struct stage_evidence *stages, size_t count,
               const struct knee_limits *limits);

void knee_release(struct knee *knee);

#endif
