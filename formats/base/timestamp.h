/* Times from text, exact: integer arithmetic only, no double on the way. */
#ifndef TOKTRACE_TIMESTAMP_H
#define TOKTRACE_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number, "12", "0.25", "1.5e-3", of units of 10^unit_exponent ns (s: 9, ms: 6)
 * as ns. Digits below 1 ns are cut off. False when the text is no such number or does not
 * fit. */
bool timestamp_parse_decimal(const char *text, size_t len, int unit_exponent,
                             int64_t *ns);

/* "2024-05-10 00:00:00.009930+00:00" as ns since 1970 UTC: date and time with ' ' or
 * 'T' between, fraction of any length (cut below 1 ns) or none, zone Z, ±hh:mm, ±hhmm,
 * ±hh or none, which means UTC. False when it is no such time or not of 1970 to 2261. */
bool timestamp_parse_iso(const char *text, size_t len, int64_t *ns);

#endif
