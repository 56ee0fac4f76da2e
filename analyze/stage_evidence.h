/* One stage of a load sweep, reduced to what the search for the knee needs: what was
 * planned, sent, completed and left open over equal spans of time (batches) of its steady
 * part. Batches rather than requests, because neighbours in a queue are not
 * independent. */
#ifndef TOKTRACE_STAGE_EVIDENCE_H
#define TOKTRACE_STAGE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/interval.h"

enum { EVIDENCE_BATCHES = 20, EVIDENCE_REQUESTS_MIN = 20 };

/* A request of the stage, on any one clock. */
struct stage_visit {
    int64_t due_ns;  /* TIME_NONE: the plan's times are not known */
    int64_t sent_ns; /* TIME_NONE: never sent */
    int64_t end_ns;
    bool ok;
};

/* What the stage can be used for. */
enum stage_use {
    STAGE_USABLE,
    STAGE_CLIENT,  /* the client was the bottleneck: says nothing of the server */
    STAGE_FAILING, /* so many requests failed that rates and latencies are of survivors */
    STAGE_SPARSE,  /* too few requests, or so short that too few were answered in it */
};

struct stage_evidence {
    double planned_per_s; /* the load offered, as planned */
    bool closed;          /* the generator waited for answers: in-flight cannot grow */
    enum stage_use use;
    double from_s; /* of the steady part, since the stage began */
    double to_s;
    bool settled; /* in-flight came to a steady state in the first half */
    double planned[EVIDENCE_BATCHES]; /* requests due in each batch, likewise below */
    double sent[EVIDENCE_BATCHES];
    double completed[EVIDENCE_BATCHES]; /* by their end, those that succeeded */
    double growth[EVIDENCE_BATCHES];    /* of requests in flight */
    double latency_s[EVIDENCE_BATCHES]; /* sum of sent to end of those sent in it, ok */
    double answered[EVIDENCE_BATCHES];  /* how many that sum is of */
    double in_flight; /* mean over the steady part */
    double bunch; /* most requests that ended within 1/1000 of the stage */
};

/* Fills everything but planned_per_s, closed and use, which the caller has set; a usable
 * stage with less than EVIDENCE_REQUESTS_MIN requests or answers in its steady part
 * becomes sparse. Requests were due over [begin_ns, end_ns). The steady part begins where
 * MSER-5 puts the end of the warm-up of completions and, where it settles, of requests in
 * flight, and ends with the sending: after it, in-flight can only fall. */
void stage_evidence_fill(struct stage_evidence *evidence,
                         const struct stage_visit *visits, size_t count,
                         int64_t begin_ns, int64_t end_ns);

/* A number with its standard error and 95 % interval. */
struct stage_estimate {
    double value; /* NaN: undefined */
    double error;
    struct interval interval;
};

/* Length of a batch, s. */
double stage_batch_s(const struct stage_evidence *evidence);

/* Mean of one of the series per second, with Student's interval over the batches. */
struct stage_estimate stage_rate(const struct stage_evidence *evidence,
                           const double series[EVIDENCE_BATCHES]);

/* Completed / planned. */
struct stage_estimate stage_ratio(const struct stage_evidence *evidence);

/* Mean time from sent to end, s; its error allows for neighbouring batches being alike
 * (first-order autoregression). */
struct stage_estimate stage_latency(const struct stage_evidence *evidence);

#endif
