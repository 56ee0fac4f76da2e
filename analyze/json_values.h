/* Values of the analyses as JSON. What is undefined is null, never NaN. */
#ifndef TOKTRACE_JSON_VALUES_H
#define TOKTRACE_JSON_VALUES_H

#include <jansson.h>

#include "analyze/distribution.h"

/* [low, high], or null where it is unknown; new reference. */
json_t *interval_json(const struct interval *interval);

/* {"value", "interval95"}; new reference. */
json_t *estimate_json(double value, const struct interval *interval);

/* Sets a count, which JSON holds exactly up to 2^63 - 1. */
void json_set_count(json_t *object, const char *key, uint64_t count);

/* Sets a number, or null when it is not finite. */
void json_set_number(json_t *object, const char *key, double value);

/* A string; bytes of text that is not UTF-8 become '?'. New reference. */
json_t *json_text(const char *text);

/* Sets a text, or null for NULL and "". */
void json_set_text(json_t *object, const char *key, const char *text);

/* Sets {"count", "excluded", "mean", "sd", "min", "p1" ... "p99_9", "max",
 * "relative_error", "interval95": {"p50": [low, high], ...}}. */
void json_set_distribution(json_t *object, const char *key,
                           const struct distribution *distribution);

#endif
