/* Service level objectives as people write them: "ttft<500ms,tpot<50ms" for each request,
 * "ttft_p99<500ms" for a whole run. */
#ifndef TOKTRACE_SLO_H
#define TOKTRACE_SLO_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/metrics.h"
#include "formats/base/fault.h"
#include "formats/base/options.h"

enum { SLO_TERMS_MAX = 16, SLO_TEXT_MAX = 40 };

/* What of a metric's distribution is held against the limit. */
enum slo_statistic {
    SLO_EACH, /* no distribution: the value of each request */
    SLO_MEAN,
    SLO_MAX,
    SLO_QUANTILE,
};

struct slo_term {
    char text[SLO_TEXT_MAX]; /* as written */
    int metric;              /* enum metric, or SLO_ITL */
    enum flavour flavour;
    enum slo_statistic statistic;
    double p; /* SLO_QUANTILE */
    double limit_s;
    bool inclusive; /* <= */
};

enum { SLO_ITL = REQUEST_METRICS };

/* All terms must hold. */
struct slo {
    struct slo_term terms[SLO_TERMS_MAX];
    size_t count;
};

/* Adds the comma-separated terms of text: [app:|due:]METRIC[_STATISTIC]<DURATION or <=,
 * with METRIC one of ttft, ttft_content, tpot, ntpot, e2e, itl and STATISTIC one of mean,
 * max, p50, p99, p99_9... STATUS_USAGE says which term is wrong and why. */
int slo_parse(struct slo *slo, const char *text, struct fault *fault);

/* The same for each use of an option. */
int slo_parse_list(struct slo *slo, const struct option_list *texts, struct fault *fault);

bool slo_term_holds(const struct slo_term *term, double value_s);

/* True when the request has every metric that the terms name and each is within its
 * limit. An answer of one token, or a stream that brought all tokens in its first event,
 * has no TPOT and waited for nothing: it meets any. All terms must be SLO_EACH, and none
 * about itl. */
bool slo_met_by(const struct slo *slo, const struct request_sample *sample);

#endif
