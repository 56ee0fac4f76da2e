/* A latency profile: every stage of a load sweep with its figures, the knee, and the
 * highest load that meets objectives. From a directory of `tokreplay profile`, or from
 * other tools' files, one per load. */
#ifndef TOKTRACE_LATENCY_PROFILE_H
#define TOKTRACE_LATENCY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/knee.h"
#include "analyze/stage_row.h"

struct latency_profile_request {
    const char *slo; /* NULL: as the profile's manifest says */
    struct knee_limits knee;
    struct stage_row_request stage; /* its slo is set by the profile */
};

struct latency_profile {
    bool foreign;    /* from another tool's files */
    char *parameters; /* owned; how it was run, or NULL */
    struct stage_row *rows; /* owned, by load; ladder first */
    size_t count;
    size_t ladder; /* the first so many rows: closed loops, no evidence */
    size_t unfinished; /* stages begun, but not finished */
    struct slo slo;
    struct knee knee; /* of the rows behind the ladder */
    double meets_per_s; /* highest load such that no lower one misses; 0: none */
};

/* Reads all and judges all. Release in any case; start from {0}. */
int latency_profile_read(struct latency_profile *profile, char **operands,
                         int operand_count, const struct latency_profile_request *request,
                         struct fault *fault);

void latency_profile_release(struct latency_profile *profile);

/* The knee's signs of row `row`; NULL for a ladder's. */
const struct stage_signs *latency_profile_signs(const struct latency_profile *profile,
                                                size_t row);

#endif
