/* A run in equal spans of time: rates of requests, and requests in flight. */
#ifndef TOKTRACE_TIME_BINS_H
#define TOKTRACE_TIME_BINS_H

#include <stdbool.h>

#include "analyze/collection.h"

enum { TIME_BINS_MAX = 150 };

struct time_bin {
    double planned_per_s;   /* by due time */
    double sent_per_s;      /* by sent time */
    double completed_per_s; /* succeeded, by end time */
    /* that arrived, each answer's spread evenly from its first to its last */
    double tokens_per_s;
    double in_flight;       /* in the middle of the bin: sent, and not yet over */
};

/* Time starts with the first due request and ends with the last that is over. */
struct time_bins {
    double width_s;
    size_t count;
    struct time_bin bins[TIME_BINS_MAX];
};

/* Divides a run into `count` bins, from 1 to TIME_BINS_MAX. False when the requests have
 * no span of time in common: none, all at one moment, or runs with clocks of their
 * own. */
bool time_bins_of(struct time_bins *bins, const struct collection *collection,
                  size_t count);

/* The middle of bin i, in s. */
static inline double time_bins_middle_s(const struct time_bins *bins, size_t i)
{
    return bins->width_s * ((double)i + 0.5);
}

#endif
