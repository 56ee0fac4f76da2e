/* Numbers with units, from and to text. Parsers take the whole text or fail
 * (STATUS_USAGE, with what was seen and what was expected): no leading space, no trailing
 * garbage, no overflow, no NaN or infinity. Sizes, durations and rates are never
 * negative. */
#ifndef TOKTRACE_UNITS_H
#define TOKTRACE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

int units_parse_int(const char *text, int64_t *value, struct fault *fault);
int units_parse_float(const char *text, double *value, struct fault *fault);

/* "512", "64k", "2MiB", "1G": bytes; k, M, G, T and Ki, Mi, Gi, Ti, with or without B;
 * powers of 1024 with i, of 1000 without. */
int units_parse_size(const char *text, int64_t *bytes, struct fault *fault);

/* "250ms", "1.5s", "5m", "2h", "60us", "100ns": ns. A bare 0 needs no unit; any other
 * number does. */
int units_parse_duration(const char *text, int64_t *ns, struct fault *fault);

/* "10", "10/s", "600/m", "36000/h": events per second. */
int units_parse_rate(const char *text, double *per_s, struct fault *fault);

enum { UNITS_TEXT_MAX = 32 };

/* Three or four significant digits with a unit: "1.234 ms", "56.7 µs", "12.3 s", "123
 * ns", "-1.200 ms". */
const char *units_format_duration(char text[UNITS_TEXT_MAX], double seconds);

/* "1,234,567". */
const char *units_format_count(char text[UNITS_TEXT_MAX], int64_t count);

/* "1.2 kB", "3.4 MB". */
const char *units_format_size(char text[UNITS_TEXT_MAX], int64_t bytes);

#endif
