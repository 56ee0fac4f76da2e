/* The result of `tokanalyze check` for people, for programs and for CI servers. */
#ifndef TOKTRACE_CHECK_OUTPUT_H
#define TOKTRACE_CHECK_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyze/objective.h"

struct check_result {
    const struct summary *summary; /* borrowed */
    struct objective objectives[SLO_TERMS_MAX];
    size_t count;
    bool has_goodput; /* there are objectives for single requests, */
    double min_goodput; /* and this share of the planned requests must meet them */
    bool goodput_met;
    bool strict; /* the verdict counts */
    bool passed;
};

void check_print(FILE *out, const struct check_result *result);

/* Schema tokanalyze.check/1; new reference. */
json_t *check_json(const struct check_result *result);

/* One test case per objective and, when strict, per check of the verdict. */
void check_print_junit(FILE *out, const struct check_result *result);

#endif
