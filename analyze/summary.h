/* The figures of a run: all that `summary` prints, computed once. NaN stands for what is
 * undefined. */
#ifndef TOKTRACE_SUMMARY_H
#define TOKTRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/collection.h"
#include "analyze/distribution.h"
#include "analyze/load.h"
#include "analyze/metrics.h"
#include "analyze/ntpot_parts.h"
#include "analyze/slo.h"
#include "analyze/timeline.h"
#include "analyze/verdict.h"
#include "analyze/warm_up.h"

/* planned = succeeded + failed + cancelled + not_sent + unrecorded. */
struct request_counts {
    /* by the manifest, else by the logs, else as many as there are records */
    uint64_t planned;
    uint64_t sent;
    uint64_t succeeded;
    uint64_t failed;     /* every outcome but ok, cancelled and not_sent */
    uint64_t cancelled;
    uint64_t not_sent;
    /* planned, but no log has a record: lost with a worker or a frame */
    uint64_t unrecorded;
    uint64_t by_outcome[OUTCOMES];
};

enum counted { COUNTED_NOTHING, COUNTED_EVENTS, COUNTED_USAGE, COUNTED_MIXED };

struct token_counts {
    uint64_t input;              /* of the requests that were sent, where known */
    uint64_t input_unknown;      /* sent requests of which nobody said */
    uint64_t input_cached;       /* of the input, found in the server's prefix cache */
    uint64_t output;             /* received, whatever became of the request */
    uint64_t output_failed;      /* of these, by requests that did not succeed */
    uint64_t planned_output;     /* of the requests that succeeded */
    uint64_t differing;          /* succeeded with another N than planned */
    enum counted counted_by;     /* of the requests that succeeded: metrics are theirs */
    /* requests where the server's count and the events differ */
    uint64_t mismatches;
};

/* Every metric by one flavour. */
struct latencies {
    struct distribution metrics[REQUEST_METRICS];
    struct distribution itl;
    struct distribution itl_token;
    double ntpot_aggregate_s; /* sum E2E / sum N */
    struct interval ntpot_aggregate_interval;
};

/* What the client added. */
struct client_times {
    struct distribution send_lag;          /* sent - due */
    struct distribution receive_lag;       /* app - arrival, each token event */
    struct distribution receive_lag_last;  /* of the last token event of each request */
    struct distribution connect;           /* of the requests that opened a connection */
    /* requests: app_last - due = send lag + server + receive lag, in ns */
    uint64_t identity_checked;
    uint64_t identity_violations;
};

struct goodput {
    uint64_t met;
    double share; /* of the planned requests */
    struct interval share_interval;
    double per_s;
};

struct worker_summary {
    uint32_t worker;
    uint64_t planned;
    uint64_t sent;
    uint64_t succeeded;
    struct distribution ttft;
    struct distribution tpot;
    struct distribution send_lag;
    struct distribution receive_lag;
    double utilisation; /* busy share of the loop's time; NaN without loop records */
    double utilisation_peak;
};

struct summary {
    struct request_counts requests;
    uint64_t outside; /* records that the window leaves out */
    struct token_counts tokens;
    struct timeline timeline;
    struct latencies latency[FLAVOURS];
    struct client_times client;
    struct ntpot_parts parts;
    struct warm_up warm_up;
    struct goodput goodput; /* all zero without objectives */
    bool has_goodput;
    struct worker_summary *workers; /* owned, one per log */
    size_t worker_count;
    bool interrupted;
    uint64_t lost_frames;
    struct verdict verdict;
};

/* Options of a summary. */
struct summary_request {
    struct slo slo; /* all SLO_EACH */
    struct verdict_limits limits;
    bool whole; /* no window: the plan's size is the denominator */
    bool kernel_stamps; /* keep them, though a run may have its packets */
};

/* Computes everything from what was collected from the load. Release in any case. */
void summary_compute(struct summary *summary, const struct summary_request *request,
                     const struct load *load, const struct collection *collection);

void summary_release(struct summary *summary);

#endif
