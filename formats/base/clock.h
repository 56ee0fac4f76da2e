/* The clocks. Intervals are measured on CLOCK_MONOTONIC only; the wall clock serves to
 * map kernel and packet stamps, which are CLOCK_REALTIME. All values: ns. */
#ifndef TOKTRACE_CLOCK_H
#define TOKTRACE_CLOCK_H

#include <stdint.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

int64_t clock_monotonic_ns(void);
int64_t clock_realtime_ns(void);

/* CPU time used by this process, all threads. */
int64_t clock_process_cpu_ns(void);

/* The two clocks read at one moment. */
struct clock_pair {
    int64_t monotonic_ns;
    int64_t realtime_ns;
};

/* Reads a pair as the tightest of a few tries; the two moments are apart by less than a
 * µs as a rule. */
struct clock_pair clock_pair_read(void);

/* Sleeps until the monotonic clock shows at least `until_ns`; a signal handler ends it
 * early. */
void clock_sleep_until(int64_t until_ns);

/* RFC 3339 UTC, "2026-11-30T03:01:02.345678901Z", for realtime_ns >= 0. */
enum { CLOCK_TEXT_MAX = 40 };
void clock_format_utc(char text[CLOCK_TEXT_MAX], int64_t realtime_ns);

/* The kernel's boot id (36 characters), or "" where it cannot be read: monotonic times of
 * two logs compare only under one boot id. */
enum { BOOT_ID_MAX = 40 };
void clock_boot_id(char text[BOOT_ID_MAX]);

#endif
