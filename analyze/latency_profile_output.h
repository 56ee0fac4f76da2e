/* A latency profile for people and for machines. */
#ifndef TOKTRACE_LATENCY_PROFILE_OUTPUT_H
#define TOKTRACE_LATENCY_PROFILE_OUTPUT_H

#include <stdio.h>

#include <jansson.h>

#include "analyze/latency_profile.h"
#include "formats/run_manifest.h"

/* What the profile shows, as sentences: the knee first, then what limits the statement.
 * Appends to `lines`. */
void latency_profile_words(const struct latency_profile *profile,
                           struct run_texts *lines);

void latency_profile_print(FILE *out, const struct latency_profile *profile);

/* Schema "tokanalyze.profile/1"; new reference. */
json_t *latency_profile_json(const struct latency_profile *profile);

#endif
