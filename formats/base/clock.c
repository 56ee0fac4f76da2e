#include "formats/base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_process_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

struct clock_pair clock_pair_read(void)
{
    enum { TRIES = 5, TIGHT_NS = 250 };
    struct clock_pair best = { 0 };
    int64_t best_width_ns = INT64_MAX;
    for (int i = 0; i < TRIES && best_width_ns > TIGHT_NS; i++) {
        int64_t before_ns = clock_monotonic_ns();
        int64_t realtime_ns = clock_realtime_ns();
        int64_t width_ns = clock_monotonic_ns() - before_ns;
        if (width_ns < best_width_ns) {
            best_width_ns = width_ns;
            best.monotonic_ns = before_ns + width_ns / 2;
            best.realtime_ns = realtime_ns;
        }
    }
    return best;
}

void clock_sleep_until(int64_t until_ns)
{
    if (until_ns <= 0)
        return;
    struct timespec until = {
        .tv_sec = until_ns / NS_PER_S,
        .tv_nsec = until_ns % NS_PER_S,
    };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void clock_format_utc(char text[CLOCK_TEXT_MAX], int64_t realtime_ns)
{
    time_t seconds = realtime_ns / NS_PER_S;
    struct tm utc;
    gmtime_r(&seconds, &utc);
    size_t len = strftime(text, CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + len, CLOCK_TEXT_MAX - len, ".%09dZ", (int)(realtime_ns % NS_PER_S));
}

void clock_boot_id(char text[BOOT_ID_MAX])
{
    enum { BOOT_ID_LEN = 36 };
    text[0] = '\0';
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = read(fd, text, BOOT_ID_LEN);
    text[got == BOOT_ID_LEN ? BOOT_ID_LEN : 0] = '\0';
    close(fd);
}
