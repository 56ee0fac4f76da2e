/* When data reached the host: the kernel's receive stamps of what waits in a socket's
 * queue, mapped to the monotonic clock. */
#ifndef TOKTRACE_RECEIVE_STAMP_H
#define TOKTRACE_RECEIVE_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A difference of the two clocks that moved by more than this was set, not slewed. */
enum { CLOCK_STEP_MIN_NS = 500 * 1000 };

/* Maps CLOCK_REALTIME stamps to CLOCK_MONOTONIC; knows of the last step of the wall
 * clock. */
struct stamp_clock {
    int64_t offset_ns;        /* realtime minus monotonic, now */
    int64_t offset_before_ns; /* the same before the last step */
    int64_t stepped_at_ns;    /* monotonic; INT64_MIN: never */
    int64_t read_at_ns;       /* monotonic time of the last refresh */
};

void stamp_clock_init(struct stamp_clock *clock);

/* Reads both clocks; returns by how many ns the wall clock stepped since the last call
 * (0: it did not). */
int64_t stamp_clock_refresh(struct stamp_clock *clock);

/* The monotonic time of a realtime stamp taken a moment ago. After a step, stamps
 * from before it are still in the sockets' queues: of the two readings the one that is
 * not in the future and nearest to now is right. */
int64_t stamp_clock_map(const struct stamp_clock *clock, int64_t realtime_ns);

/* Asks the kernel for receive stamps in ns on this socket. 0, or -1 with errno. */
int socket_enable_stamps(int fd);

/* As much as libcurl reads at once. */
enum { PEEK_BYTES_MAX = 16384 };

/* Looks at the next bytes of the queue, up to `len` (at most PEEK_BYTES_MAX), which stay
 * there: how many there are, and into *stamp_ns the CLOCK_REALTIME stamp of the last
 * packet among them; INT64_MIN when there is no data or no stamp. Packets that the kernel
 * merged have the stamp of the newest. */
size_t socket_peek_stamp(int fd, size_t len, int64_t *stamp_ns);

#endif
