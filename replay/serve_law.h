/* The law of service of the simulated server: when each token of an answer is ready. A
 * pure function of the seed, the request's number, the choice and the token, on an
 * absolute schedule that never drifts. */
#ifndef TOKTRACE_SERVE_LAW_H
#define TOKTRACE_SERVE_LAW_H

#include <stdint.h>

#include "formats/base/fault.h"

enum jitter_kind { JITTER_NONE, JITTER_EXPONENTIAL, JITTER_NORMAL, JITTER_LOGNORMAL };

struct serve_law {
    int64_t ttft_ns;
    int64_t prefill_ns;      /* per prompt token */
    int64_t itl_ns;          /* mean gap between tokens */
    enum jitter_kind jitter; /* of the gaps */
    double jitter_cv;        /* normal and lognormal */
    uint64_t seed;
};

/* "none", "exp", "normal:CV" or "lognormal:CV". */
int serve_law_parse_jitter(struct serve_law *law, const char *text, struct fault *fault);

/* When the first token of a prompt received at `received_ns` is ready:
 * received + ttft + prefill × prompt_tokens, saturating. */
int64_t serve_law_first(const struct serve_law *law, int64_t received_ns,
                        uint32_t prompt_tokens);

/* The gap, >= 0, between token `token` (from 1) and the one before it. Of mean itl,
 * except that the normal law is cut at 0, which lifts its mean: by 0.08 % at a CV of 0.4,
 * by 8 % at 1. */
int64_t serve_law_gap(const struct serve_law *law, uint64_t request, uint32_t choice,
                      uint32_t token);

#endif
