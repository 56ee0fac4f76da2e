#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/receive_stamp.h"

/* A clock whose offset is `offset_ns` now, stepped `ago_ns` before now from
 * `before_ns`. */
static struct stamp_clock make_clock(int64_t offset_ns, int64_t before_ns, int64_t ago_ns)
{
    return (struct stamp_clock){
        .offset_ns = offset_ns,
        .offset_before_ns = before_ns,
        .stepped_at_ns = ago_ns < 0 ? INT64_MIN : clock_monotonic_ns() - ago_ns,
    };
}

static void test_without_a_step(void **state)
{
    (void)state;
    struct stamp_clock clock = make_clock(1000, 1000, -1);
    assert_int_equal(stamp_clock_map(&clock, 5000), 4000);
}

/* The wall clock went forward: stamps from before the step map with the old offset. */
static void test_after_a_step_forward(void **state)
{
    (void)state;
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct stamp_clock clock = make_clock(step_ns, 0, NS_PER_MS);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * NS_PER_MS),
                     now_ns - 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 1000 + step_ns), now_ns - 1000);
}

static void test_after_a_step_back(void **state)
{
    (void)state;
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct stamp_clock clock = make_clock(-step_ns, 0, NS_PER_MS);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * NS_PER_MS),
                     now_ns - 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 1000 - step_ns), now_ns - 1000);
}

static void test_a_step_is_forgotten(void **state)
{
    (void)state;
    struct stamp_clock clock =
        make_clock(0, 2 * (int64_t)NS_PER_S, 5 * (int64_t)NS_PER_S);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns), now_ns);
}

/* A client that is 4 s behind reads what came a second before a step. */
static void test_a_late_read_after_a_step_forward(void **state)
{
    (void)state;
    const int64_t s = NS_PER_S;
    struct stamp_clock clock = make_clock(2 * s, 0, 3 * s);
    int64_t now_ns = clock_monotonic_ns();
    assert_int_equal(stamp_clock_map(&clock, now_ns - 4 * s), now_ns - 4 * s);
    assert_int_equal(stamp_clock_map(&clock, now_ns - 2 * s + 2 * s), now_ns - 2 * s);
}

static void test_a_step_is_found(void **state)
{
    (void)state;
    struct stamp_clock clock;
    stamp_clock_init(&clock);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    clock.offset_ns -= step_ns;
    int64_t found_ns = stamp_clock_refresh(&clock);
    assert_in_range(found_ns, step_ns - NS_PER_MS, step_ns + NS_PER_MS);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
}

/* Seen between two refreshes, it is told by the next. */
static void test_a_step_is_followed(void **state)
{
    (void)state;
    struct stamp_clock clock;
    stamp_clock_init(&clock);
    const int64_t step_ns = 2 * (int64_t)NS_PER_S;
    struct clock_pair pair = clock_pair_read();
    clock.offset_ns += step_ns; /* the clock was set back since */
    stamp_clock_follow(&clock);
    int64_t mapped_ns = stamp_clock_map(&clock, pair.realtime_ns);
    assert_in_range(pair.monotonic_ns + NS_PER_MS - mapped_ns, 0, 2 * NS_PER_MS);
    int64_t told_ns = stamp_clock_refresh(&clock);
    assert_in_range(step_ns + told_ns + NS_PER_MS, 0, 2 * NS_PER_MS);
    assert_int_equal(stamp_clock_refresh(&clock), 0);
}

/* A connection over loopback whose receiving end stamps. */
struct loopback {
    int sender;
    int receiver;
};

static int setup_loopback(void **state)
{
    struct loopback *pair = memory_new(1, sizeof *pair);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pair->sender = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0 ||
        connect(pair->sender, (struct sockaddr *)&address, sizeof address) != 0)
        return -1;
    pair->receiver = accept(listener, NULL, NULL);
    close(listener);
    int on = 1;
    setsockopt(pair->sender, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *state = pair;
    return socket_enable_stamps(pair->receiver);
}

static int teardown_loopback(void **state)
{
    struct loopback *pair = *state;
    close(pair->sender);
    close(pair->receiver);
    free(pair);
    return 0;
}

static void pause_ms(int64_t ms)
{
    struct timespec time = { .tv_nsec = ms * NS_PER_MS };
    nanosleep(&time, NULL);
}

/* When a packet was sent: wall clock before and after. */
struct sending {
    int64_t before_ns;
    int64_t after_ns;
};

/* Bytes that wait at the receiver. */
static int waiting(const struct loopback *pair)
{
    int bytes = 0;
    assert_int_equal(ioctl(pair->receiver, FIONREAD, &bytes), 0);
    return bytes;
}

/* Returns when they wait at the receiver: a busy kernel puts that off. */
static struct sending send_bytes(const struct loopback *pair, size_t len)
{
    static const char bytes[256];
    int expected = waiting(pair) + (int)len;
    struct sending sending = { .before_ns = clock_realtime_ns() };
    assert_int_equal(send(pair->sender, bytes, len, 0), len);
    sending.after_ns = clock_realtime_ns();
    for (int tries = 0; waiting(pair) < expected; tries++) {
        assert_true(tries < 5000);
        pause_ms(1);
    }
    return sending;
}

static void receive_bytes(const struct loopback *pair, size_t len)
{
    char bytes[256];
    assert_int_equal(recv(pair->receiver, bytes, sizeof bytes, 0), len);
}

/* The kernel begins to stamp a while after the first socket asked for it. */
static void await_stamps(const struct loopback *pair)
{
    int64_t stamp_ns = INT64_MIN;
    for (int tries = 0; stamp_ns == INT64_MIN; tries++) {
        assert_true(tries < 1000);
        pause_ms(1);
        send_bytes(pair, 1);
        assert_int_equal(socket_peek_stamp(pair->receiver, 1, &stamp_ns), 1);
        receive_bytes(pair, 1);
    }
}

static bool is_within(int64_t stamp_ns, struct sending sending)
{
    return stamp_ns >= sending.before_ns && stamp_ns <= sending.after_ns;
}

enum { FIRST = 100, SECOND = 60 };

/* Two packets some ms apart wait together: what a peek of one byte and of all of them
 * says, and that all is still there afterwards. True when the kernel kept them apart. */
static bool peek_at_two(const struct loopback *pair)
{
    struct sending first = send_bytes(pair, FIRST);
    pause_ms(3);
    struct sending second = send_bytes(pair, SECOND);
    int64_t first_ns;
    int64_t newest_ns;
    assert_int_equal(socket_peek_stamp(pair->receiver, 1, &first_ns), 1);
    assert_int_equal(socket_peek_stamp(pair->receiver, PEEK_BYTES_MAX, &newest_ns),
                     FIRST + SECOND);
    receive_bytes(pair, FIRST + SECOND);
    assert_true(is_within(newest_ns, second));
    if (first_ns == newest_ns)
        return false;
    assert_true(is_within(first_ns, first));
    return true;
}

/* Whether the kernel merges them depends on whether the sender knows yet that the first
 * was received, which an acknowledgement put off for 40 ms keeps from it. */
static void test_first_and_newest_of_two(void **state)
{
    const struct loopback *pair = *state;
    await_stamps(pair);
    int apart = 0;
    for (int tries = 0; tries < 100 && apart < 3; tries++) {
        int off = 0;
        setsockopt(pair->receiver, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof off);
        apart += peek_at_two(pair);
    }
    if (apart == 0)
        skip();
}

/* The stamp is that of the last packet among the bytes that are looked at. */
static void test_bytes_of_the_first_only(void **state)
{
    const struct loopback *pair = *state;
    await_stamps(pair);
    int64_t stamp_ns;
    struct sending first = send_bytes(pair, FIRST);
    assert_int_equal(socket_peek_stamp(pair->receiver, FIRST / 2, &stamp_ns), FIRST / 2);
    assert_true(is_within(stamp_ns, first));
    receive_bytes(pair, FIRST);
    struct sending second = send_bytes(pair, SECOND);
    assert_int_equal(socket_peek_stamp(pair->receiver, PEEK_BYTES_MAX, &stamp_ns),
                     SECOND);
    assert_true(is_within(stamp_ns, second));
}

/* What came after a look is read with it, and with its own stamp. */
static void test_read_of_more_than_was_looked_at(void **state)
{
    const struct loopback *pair = *state;
    await_stamps(pair);
    char bytes[FIRST + SECOND];
    int64_t stamp_ns;
    struct sending first = send_bytes(pair, FIRST);
    assert_int_equal(socket_peek_stamp(pair->receiver, PEEK_BYTES_MAX, &stamp_ns), FIRST);
    assert_true(is_within(stamp_ns, first));
    pause_ms(3);
    struct sending second = send_bytes(pair, SECOND);
    assert_int_equal(
        socket_receive(pair->receiver, bytes, sizeof bytes, MSG_WAITALL, &stamp_ns),
        FIRST + SECOND);
    assert_true(is_within(stamp_ns, second));
    assert_int_equal(
        socket_receive(pair->receiver, bytes, sizeof bytes, MSG_DONTWAIT, &stamp_ns), -1);
    assert_true(stamp_ns == INT64_MIN);
}

static void test_nothing_to_peek_at(void **state)
{
    const struct loopback *pair = *state;
    int64_t stamp_ns = 0;
    assert_int_equal(socket_peek_stamp(pair->receiver, 1, &stamp_ns), 0);
    assert_true(stamp_ns == INT64_MIN);
    shutdown(pair->sender, SHUT_RDWR);
    assert_int_equal(socket_peek_stamp(pair->receiver, 1, &stamp_ns), 0);
    assert_true(stamp_ns == INT64_MIN);
}

#define loopback_test(test) \
    cmocka_unit_test_setup_teardown(test, setup_loopback, teardown_loopback)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_step),
        cmocka_unit_test(test_after_a_step_forward),
        cmocka_unit_test(test_after_a_step_back),
        cmocka_unit_test(test_a_step_is_forgotten),
        cmocka_unit_test(test_a_late_read_after_a_step_forward),
        cmocka_unit_test(test_a_step_is_found),
        cmocka_unit_test(test_a_step_is_followed),
        loopback_test(test_first_and_newest_of_two),
        loopback_test(test_bytes_of_the_first_only),
        loopback_test(test_read_of_more_than_was_looked_at),
        loopback_test(test_nothing_to_peek_at),
    };
    return cmocka_run_group_tests_name("receive_stamp", tests, NULL, NULL);
}
