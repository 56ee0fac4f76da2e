/* When data reached the host: the kernel's receive stamps of what waits in a socket's
 * queue, mapped to the monotonic clock. */
#ifndef TOKTRACE_RECEIVE_STAMP_H
#define TOKTRACE_RECEIVE_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A difference of the two clocks that moved by more than this was set, not slewed. */
enum { CLOCK_STEP_MIN_NS = 500 * 1000 };

/* Maps CLOCK_REALTIME stamps to CLOCK_MONOTONIC; knows of the last step of the wall
 * clock. */
struct stamp_clock {
    int64_t offset_ns;        /* realtime minus monotonic, now */
    int64_t offset_before_ns; /* the same before the last step */
    int64_t stepped_at_ns;    /* monotonic, when it was seen; INT64_MIN: never */
    int64_t untold_step_ns;   /* the largest that no refresh has told of; 0: none */
};

void stamp_clock_init(struct stamp_clock *clock);

/* Reads both clocks; returns by how many ns the wall clock stepped since the last call
 * (0: it did not), the largest step if there were several. */
int64_t stamp_clock_refresh(struct stamp_clock *clock);

/* Takes note of a step since the last look, in some 40 ns. Between a stamp and its
 * mapping it makes sure that the offset of the stamp's moment is known. */
void stamp_clock_follow(struct stamp_clock *clock);

/* The monotonic time of a realtime stamp that was taken before the last look at the
 * clock. After a step, stamps from before it are still in the sockets' queues: of the two
 * readings the one that can be is right; where both can, the one nearer to now. */
int64_t stamp_clock_map(const struct stamp_clock *clock, int64_t realtime_ns);

/* Asks the kernel for receive stamps in ns on this socket. 0, or -1 with errno. */
int socket_enable_stamps(int fd);

/* recv(), and into *stamp_ns the CLOCK_REALTIME stamp of the last packet that it took
 * bytes of; INT64_MIN when it took none or the kernel has no stamp. Packets that the
 * kernel merged have the stamp of the newest. */
ssize_t socket_receive(int fd, void *bytes, size_t len, int flags, int64_t *stamp_ns);

/* As much as libcurl reads at once. */
enum { PEEK_BYTES_MAX = 16384 };

/* Looks at the next bytes of the queue, up to `len` (at most PEEK_BYTES_MAX), which stay
 * there: how many there are, and their stamp as socket_receive has it. */
size_t socket_peek_stamp(int fd, size_t len, int64_t *stamp_ns);

#endif
