/* One stage of a load sweep: its figures, whether it says anything of the server, and how
 * it did by the objectives. */
#ifndef TOKTRACE_STAGE_ROW_H
#define TOKTRACE_STAGE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/analysis.h"
#include "analyze/load_objective.h"
#include "analyze/stage_evidence.h"
#include "formats/profile_manifest.h"

struct stage_row_request {
    const struct slo *slo;
    double each_share; /* of planned requests that must meet terms without a statistic */
    struct verdict_limits limits;
    const struct common_options *common;
};

enum { STAGE_WHY_MAX = 240 };

struct stage_row {
    char *name; /* owned: its directory or file */
    enum stage_purpose purpose;
    enum stage_finding finding; /* of the sweep, when it ran; held for other tools */
    double planned_per_s;       /* 0 in a ladder */
    uint64_t concurrency;       /* of a ladder's stage; else 0 */
    uint32_t repetition;
    struct summary whole;  /* of all its requests: outcomes and verdict */
    struct summary steady; /* of those due in its steady part: latencies */
    struct stage_evidence evidence; /* not of a ladder's */
    double client_share; /* send and receive lag / time from due to the last token seen */
    char why[STAGE_WHY_MAX]; /* in words, why it is not usable; "" when it is */
    double dead_from_s; /* nothing succeeded that was due later; NaN: not so */
    struct load_objective objectives[SLO_TERMS_MAX]; /* of the terms asked for */
};

/* Reads the run directory at `path` as this stage of a profile. Fills a zeroed row;
 * release in any case. */
int stage_row_read(struct stage_row *row, const char *path,
                   const struct profile_stage *stage, int64_t duration_ns,
                   const struct stage_row_request *request, struct fault *fault);

/* The same for a file of another tool (lmbench.h). */
int stage_row_import(struct stage_row *row, const char *path,
                     const struct stage_row_request *request, struct fault *fault);

void stage_row_release(struct stage_row *row);

/* Whether it meets every objective for certain; whether it misses one by its value. */
bool stage_row_meets(const struct stage_row *row, const struct slo *slo);
bool stage_row_misses(const struct stage_row *row, const struct slo *slo);

/* "usable", "client_limited", "failing", "sparse"; "ladder" for a ladder's. */
const char *stage_row_use_name(const struct stage_row *row);

#endif
