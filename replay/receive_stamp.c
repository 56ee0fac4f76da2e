#include "replay/receive_stamp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "formats/base/clock.h"

/* How far a correct mapping may seem to lie in the future: the error of reading two
 * clocks in turn. */
enum { FUTURE_TOLERANCE_NS = 50 * 1000 };

void stamp_clock_init(struct stamp_clock *clock)
{
    struct clock_pair pair = clock_pair_read();
    int64_t offset_ns = pair.realtime_ns - pair.monotonic_ns;
    *clock = (struct stamp_clock){
        .offset_ns = offset_ns,
        .offset_before_ns = offset_ns,
        .stepped_at_ns = INT64_MIN,
    };
}

static bool is_step(int64_t moved_ns)
{
    return llabs(moved_ns) > CLOCK_STEP_MIN_NS;
}

static void stamp_clock_read(struct stamp_clock *clock)
{
    struct clock_pair pair = clock_pair_read();
    int64_t offset_ns = pair.realtime_ns - pair.monotonic_ns;
    int64_t moved_ns = offset_ns - clock->offset_ns;
    if (is_step(moved_ns)) {
        clock->offset_before_ns = clock->offset_ns;
        clock->stepped_at_ns = pair.monotonic_ns;
        if (llabs(moved_ns) > llabs(clock->untold_step_ns))
            clock->untold_step_ns = moved_ns;
    }
    clock->offset_ns = offset_ns;
}

int64_t stamp_clock_refresh(struct stamp_clock *clock)
{
    stamp_clock_read(clock);
    int64_t step_ns = clock->untold_step_ns;
    clock->untold_step_ns = 0;
    return step_ns;
}

void stamp_clock_follow(struct stamp_clock *clock)
{
    int64_t offset_ns = clock_realtime_ns() - clock_monotonic_ns();
    if (is_step(offset_ns - clock->offset_ns))
        stamp_clock_read(clock);
}

int64_t stamp_clock_map(const struct stamp_clock *clock, int64_t realtime_ns)
{
    int64_t mapped_ns = realtime_ns - clock->offset_ns;
    int64_t before_ns = realtime_ns - clock->offset_before_ns;
    if (before_ns > clock->stepped_at_ns)
        return mapped_ns;
    if (mapped_ns > clock_monotonic_ns() + FUTURE_TOLERANCE_NS)
        return before_ns;
    return before_ns > mapped_ns ? before_ns : mapped_ns;
}

int socket_enable_stamps(int fd)
{
    int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

ssize_t socket_receive(int fd, void *bytes, size_t len, int flags, int64_t *stamp_ns)
{
    struct iovec space = { .iov_base = bytes, .iov_len = len };
    union {
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
        struct cmsghdr align;
    } control;
    struct msghdr message = {
        .msg_iov = &space,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    *stamp_ns = INT64_MIN;
    ssize_t received = recvmsg(fd, &message, flags);
    if (received <= 0)
        return received;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_level != SOL_SOCKET ||
        header->cmsg_type != SCM_TIMESTAMPNS)
        return received;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    *stamp_ns = (int64_t)stamp.tv_sec * NS_PER_S + stamp.tv_nsec;
    return received;
}

size_t socket_peek_stamp(int fd, size_t len, int64_t *stamp_ns)
{
    /* TCP counts the bytes and, for MSG_TRUNC, copies none. */
    char untouched[PEEK_BYTES_MAX];
    ssize_t waiting = socket_receive(fd, untouched, len,
                                     MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT, stamp_ns);
    return waiting > 0 ? (size_t)waiting : 0;
}
