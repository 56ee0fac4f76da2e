/* A comparison as people and as programs read it. */
#ifndef TOKTRACE_COMPARE_OUTPUT_H
#define TOKTRACE_COMPARE_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "analyze/compare.h"

void compare_print(FILE *out, const struct comparison *comparison, struct compare_side a,
                   struct compare_side b);

/* Schema tokanalyze.compare/1; new reference. */
json_t *compare_json(const struct comparison *comparison, struct compare_side a,
                     struct compare_side b);

#endif
