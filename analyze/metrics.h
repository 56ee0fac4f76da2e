/* The metrics of a request, from its sample. Times in seconds. */
#ifndef TOKTRACE_METRICS_H
#define TOKTRACE_METRICS_H

#include <stdbool.h>

#include "analyze/sample.h"

/* Seen by whom, and since when. */
enum flavour {
    BY_ARRIVAL, /* the host had the token; since the request was sent: the headline */
    /* the client had it in hand: what an ordinary client would have reported */
    BY_APP,
    /* the host had the token; since the request was due: free of coordinated omission */
    FROM_DUE,
    FLAVOURS,
};

enum metric {
    METRIC_TTFT,         /* first token event */
    METRIC_TTFT_CONTENT, /* first token event that is content */
    METRIC_TPOT,         /* span of the token events / (N - k1) */
    METRIC_NTPOT,        /* E2E / N */
    METRIC_E2E,          /* last token event */
    REQUEST_METRICS,
};

/* "ttft", "ttft_content", "tpot", "ntpot", "e2e". */
extern const char *const metric_names[REQUEST_METRICS];

/* The value, or false where it is undefined for this request: no (content) event with a
 * known time, never sent, N = 0 for NTPOT; for TPOT N <= k1, or no second event to end a
 * span, whatever N is said to be. With several choices: TTFT is to the first token of
 * any, E2E to the last of any, TPOT and NTPOT are means over the choices weighted by
 * tokens: sum of spans (or E2E) of each choice / sum of tokens. */
bool metric_value(const struct request_sample *sample, enum metric metric,
                  enum flavour flavour, double *seconds);

/* Sum of the E2E of each choice, what NTPOT divides by N; false where undefined. */
bool metric_choices_e2e(const struct request_sample *sample, enum flavour flavour,
                        double *seconds);

/* Input tokens that had to be computed: input - cached; false when the input is
 * unknown. */
bool metric_uncached_input(const struct request_sample *sample, double *tokens);

#endif
