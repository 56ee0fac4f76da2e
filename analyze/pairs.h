/* Requests of two runs of one plan, brought together by row. */
#ifndef TOKTRACE_PAIRS_H
#define TOKTRACE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/analysis.h"

/* A row, once on each side, that succeeded on both; borrowed from the collections. */
struct pair {
    const struct request_sample *a;
    const struct request_sample *b;
};

struct pairs {
    struct pair *items; /* owned: free() */
    size_t count;
};

/* In the order of the rows; rows that a side has twice are left out. */
struct pairs pair_rows(const struct collection *a, const struct collection *b);

/* By the manifests' hashes; for runs without one, the same rows with the same due times
 * and lengths. */
bool same_plan(const struct analysis *a, const struct analysis *b);

#endif
