/* From packet stamps (CLOCK_REALTIME) to CLOCK_MONOTONIC, by pairs of the two clocks that
 * were read while capturing. A step of the wall clock moves no interval. */
#ifndef TOKTRACE_WIRE_CLOCK_H
#define TOKTRACE_WIRE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/clock.h"

/* Two pairs a second apart that disagree by more than this hold a step, not the slewing
 * of NTP. */
enum { WIRE_CLOCK_STEP_NS = 2 * 1000 * 1000 };

struct wire_clock {
    struct clock_pair *pairs; /* owned, in the order they were read */
    size_t count;
    size_t capacity;
    size_t at; /* the pair that the last packet came after */
};

/* Start from {0}. */
void wire_clock_release(struct wire_clock *clock);

void wire_clock_add(struct wire_clock *clock, struct clock_pair pair);

/* Reads and adds a pair when the last one is a second old; true when it did. */
bool wire_clock_tick(struct wire_clock *clock, int64_t now_monotonic_ns);

/* Forgets pairs that packets to come do not need; a capture of days keeps a few. */
void wire_clock_forget(struct wire_clock *clock);

/* By how much the wall clock jumped between the pairs index - 1 and index; 0 for none. */
int64_t wire_clock_step(const struct wire_clock *clock, size_t index);

/* The monotonic time of a packet stamp; packets come in the order of capture. Between two
 * pairs linear, before the first and behind the last with their difference. Needs at
 * least one pair. */
int64_t wire_clock_monotonic(struct wire_clock *clock, int64_t realtime_ns);

#endif
