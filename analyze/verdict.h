/* Whether a run may be believed, before anything else is said of it. Not whether the
 * server was good. */
#ifndef TOKTRACE_VERDICT_H
#define TOKTRACE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each is a bound that a believable run keeps. */
struct verdict_limits {
    double min_sent_share;        /* sent / planned */
    /* failed / planned: the latencies are of the survivors */
    double max_failed_share;
    double max_send_lag_share;    /* p99 of send lag / median TTFT */
    double max_receive_lag_share; /* p99 of receive lag / median TPOT */
    double max_utilisation;       /* of any worker's loop */
    double max_shared_read_share; /* token events that shared a read */
    double max_unjoined_share;    /* requests not found among the run's packets */
    int64_t max_stall_ns;         /* one iteration of a loop */
    int64_t max_log_wait_ns;      /* one worker waiting for its log's disk */
    /* of the wall clock, which kernel stamps are taken from */
    int64_t max_clock_step_ns;
    int64_t lag_epsilon_ns;       /* receive lag below minus this is a clock fault */
};

enum { VERDICT_CHECKS_MAX = 24, VERDICT_TEXT_MAX = 200 };

/* One thing looked at. */
struct verdict_check {
    const char *name; /* "sent_share" */
    const char *unit; /* "share", "s", "count" */
    double value;     /* NaN: could not be told, which does not fail */
    double limit;
    bool ok;
    char text[VERDICT_TEXT_MAX]; /* what is wrong, in words; "" when ok */
};

struct verdict {
    bool valid;
    struct verdict_check checks[VERDICT_CHECKS_MAX];
    size_t count;
};

struct summary;
struct load;
struct collection;

/* Fills summary->verdict from the rest of the summary. */
void verdict_judge(struct summary *summary, const struct verdict_limits *limits,
                   const struct load *load, const struct collection *collection);

#endif
