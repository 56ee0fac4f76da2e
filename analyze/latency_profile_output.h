/* A latency profile for people and for machines. */
#ifndef TOKTRACE_LATENCY_PROFILE_OUTPUT_H
#define TOKTRACE_LATENCY_PROFILE_OUTPUT_H

#include <jansson.h>

#include "analyze/latency_profile.h"
#include "analyze/sheet.h"
#include "formats/run_manifest.h"

/* What the profile shows, as sentences: the knee first, then what limits the statement.
 * Appends to `lines`. */
void latency_profile_words(const struct latency_profile *profile,
                           struct run_texts *lines);

/* The tables: what each rule says, every stage, objectives, latencies, the ladder. */
void latency_profile_show(struct sheet *sheet, const struct latency_profile *profile);

/* Schema "tokanalyze.profile/1"; new reference. */
json_t *latency_profile_json(const struct latency_profile *profile);

#endif
