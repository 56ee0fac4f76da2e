/* Synthetic arrivals: when requests are due, by a law that is what its name says. */
#ifndef TOKTRACE_ARRIVALS_PROCESS_H
#define TOKTRACE_ARRIVALS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

enum arrival_law {
    ARRIVALS_CONSTANT, /* request i at exactly i/rate */
    ARRIVALS_POISSON,  /* independent exponential gaps */
    ARRIVALS_GAMMA,    /* independent gamma gaps of the coefficient of variation cv */
    ARRIVALS_ONOFF,    /* Poisson, its rate switching between two values at fixed times */
    ARRIVALS_SERVEGEN, /* published clients: servegen.h */
};

struct arrivals_process {
    enum arrival_law law;
    double cv;
    int64_t on_ns;         /* length of a phase of bursts, */
    int64_t off_ns;        /* of one between them, */
    double off_fraction;   /* and the rate there as a fraction of that in a burst */
    const char *directory; /* servegen; borrowed from the text */
};

/* "constant", "poisson", "gamma:CV", "onoff:ON,OFF[,FRACTION]" or "servegen:DIR".
 * STATUS_USAGE. */
int arrivals_process_parse(struct arrivals_process *process, const char *text,
                           struct fault *fault);

/* Draws times, ascending, in ns from 0, until `requests` of them or the first at or
 * beyond duration_ns, which is left out; 0 is no bound, but one there must be. *times
 * is the caller's to free. All laws but servegen. Gaps are never rescaled. */
int arrivals_process_draw(const struct arrivals_process *process, double rate_per_s,
                          int64_t duration_ns, size_t requests, uint64_t seed,
                          int64_t **times, size_t *count, struct fault *fault);

#endif
