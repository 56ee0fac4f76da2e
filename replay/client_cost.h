/* A slow client, emulated: each token event costs the loop this much CPU, before the
 * client counts as having seen it. For showing what such a client would have measured. */
#ifndef TOKTRACE_CLIENT_COST_H
#define TOKTRACE_CLIENT_COST_H

#include <stdint.h>

#include "formats/base/fault.h"

enum client_cost_law { COST_CONSTANT, COST_EXPONENTIAL, COST_LOGNORMAL };

struct client_cost {
    int64_t mean_ns; /* 0: no cost */
    enum client_cost_law law;
    double cv; /* lognormal */
    uint64_t seed;
    uint64_t stream; /* of the seed: the worker's number */
    uint64_t spent;  /* events so far */
};

/* "60us", "60us:exp" or "60us:lognormal:CV"; at most 1 s on average, CV at most 10.
 * STATUS_USAGE. */
int client_cost_parse(struct client_cost *cost, const char *text, struct fault *fault);

/* The cost of event `event` of the stream, ns. */
int64_t client_cost_at(const struct client_cost *cost, uint64_t event);

/* Burns the cost of the next event: CPU time of the calling thread. */
void client_cost_spend(struct client_cost *cost);

#endif
