/* NTPOT taken apart as Chandrasekar and Kramberger (arXiv 2605.24217) write it: NTPOT_i =
 * (T_queue,i + I_i T_prefill + N_i T_decode) / N_i, with I the input tokens that had to
 * be computed and N the output tokens. All by arrival, over the requests that
 * succeeded. */
#ifndef TOKTRACE_NTPOT_PARTS_H
#define TOKTRACE_NTPOT_PARTS_H

#include "analyze/distribution.h"
#include "analyze/envelope.h"
#include "analyze/sample.h"

struct ntpot_parts {
    /* Time per output token while decoding: sum of spans / sum of (N - k1). */
    double decode_s;
    struct interval decode_interval;

    /* Time per uncached input token: slope of TTFT along the lower envelope. */
    struct envelope prefill;

    /* What is left of each request's E2E after I T_prefill and N times its own TPOT
     * (T_decode where it has none): queueing, and what is the same for all requests, such
     * as network and the first step. Empty where prefill is not identifiable; then only
     * queue_and_prefill can be told. */
    struct distribution queue;
    struct distribution queue_and_prefill;

    /* The same as shares of the aggregate NTPOT, sum E2E / sum N, over the requests in
     * `queue`: they add up to it. NaN like queue. */
    double ntpot_s;
    double queue_per_output_s;
    double prefill_per_output_s;
    double decode_per_output_s;
};

struct ntpot_parts ntpot_parts_of(const struct request_sample *samples, size_t count);

#endif
