/* Numbers as short texts for tables and sentences. They are returned by value: use them
 * within one expression, as in printf("%s", count_text(n).text). What is not finite
 * becomes "-". */
#ifndef TOKTRACE_SHORT_TEXT_H
#define TOKTRACE_SHORT_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "formats/base/units.h"

struct short_text {
    char text[UNITS_TEXT_MAX];
};

struct short_text count_text(uint64_t count);      /* "1,234" */
struct short_text duration_text(double seconds);   /* "12.3 ms" */
struct short_text rate_text(double per_s);         /* "12.3/s" */
struct short_text percent_text(double share);      /* "12.30 %" */
struct short_text number_text(double number);      /* three digits: "0.0123" */

/* A unit for values of one kind, so that they compare at a glance. */
struct time_unit {
    const char *name;
    double per_s;
};

/* The unit in which `seconds` is from 1 to 1000: ns, µs, ms or s; ms for what is not
 * finite. */
struct time_unit time_unit_for(double seconds);

/* Four digits, without the unit's name. */
struct short_text time_text(double seconds, struct time_unit unit);

/* Prints text from outside on one line: control characters become '?'. */
void print_outside_text(FILE *out, const char *text);

#endif
