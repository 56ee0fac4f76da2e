/* Requests of a client found in a wire log, and the times of their events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/split.h"
#include "formats/arrivals_writer.h"
#include "tests/unit/scratch.h"

#define MS INT64_C(1000000)

enum { ZERO_APART_MS = 500 }; /* the wire log began so much earlier */

static const struct arrivals_header client_header = {
    .boot_id = "boot",
    .source = LOG_CLIENT,
    .workers = 1,
    .t0_monotonic_ns = 9000 * MS,
    .t0_realtime_ns = 100000 * MS,
};

static struct arrivals_header wire_header(const char *boot_id)
{
    struct arrivals_header header = client_header;
    strcpy(header.boot_id, boot_id);
    header.source = LOG_WIRE;
    header.t0_monotonic_ns -= ZERO_APART_MS * MS;
    header.t0_realtime_ns -= (ZERO_APART_MS + 1) *
                             MS; /* the wall clock was off by 1 ms */
    return header;
}

static struct arrival_event event_at(int64_t arrival_ns, unsigned kind, unsigned flags)
{
    return (struct arrival_event){
        .arrival_ns = arrival_ns,
        .app_ns = arrival_ns == TIME_NONE ? TIME_NONE : arrival_ns + MS,
        .tokens = event_kind_is_token(kind),
        .kind = (uint8_t)kind,
        .flags = (uint8_t)flags,
    };
}

static struct arrival_request request_at(int64_t sent_ns, uint32_t number,
                                         struct arrival_event *events, size_t count)
{
    struct arrival_request request;
    arrival_request_init(&request);
    request.due_ns = request.start_ns = sent_ns - 2 * MS;
    request.sent_ns = sent_ns;
    request.headers_ns = sent_ns + MS;
    request.end_ns = sent_ns + 100 * MS;
    request.local_port = 40000;
    request.remote_port = 8000;
    request.connection_request = number;
    request.outcome = OUTCOME_OK;
    request.http_status = 200;
    request.events = events;
    request.event_count = count;
    return request;
}

static void write_log(const char *path, const struct arrivals_header *header,
                      const struct arrival_request *requests, size_t count)
{
    struct arrivals_writer *writer;
    struct fault fault = { "" };
    struct end_record end = { .at_ns = 1000 * MS };
    assert_int_equal(arrivals_writer_open(&writer, path, header, &fault), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        arrivals_writer_request(writer, &requests[i]);
    assert_int_equal(arrivals_writer_close(writer, &end, &fault), STATUS_OK);
}

static struct wire_join read_wire(const struct arrivals_header *header,
                                  const struct arrival_request *requests, size_t count)
{
    struct wire_join join = { 0 };
    struct fault fault = { "" };
    unlink("wire.toklog");
    write_log("wire.toklog", header, requests, count);
    assert_int_equal(wire_join_read(&join, "wire.toklog", &fault), STATUS_OK);
    wire_join_ready(&join);
    return join;
}

static void found_by_number_and_time(void **state)
{
    (void)state;
    /* the same port and number twice, 10 s apart: the port was used again */
    int64_t apart_ns = ZERO_APART_MS * MS;
    struct arrival_request wire[] = {
        request_at(apart_ns + 10 * MS, 1, NULL, 0),
        request_at(apart_ns + 20 * MS, 2, NULL, 0),
        request_at(apart_ns + 10010 * MS, 1, NULL, 0),
    };
    struct arrivals_header header = wire_header("boot");
    struct wire_join join = read_wire(&header, wire, 3);
    struct arrival_request late = request_at(10009 * MS, 1, NULL, 0);
    struct arrival_request second = request_at(19 * MS, 2, NULL, 0);
    int64_t shift_ns;
    enum wire_clock_base base;
    struct wire_request *found =
        wire_join_find(&join, &client_header, &late, &shift_ns, &base);
    assert_non_null(found);
    assert_int_equal(base, WIRE_CLOCK_MONOTONIC);
    found->joined = true;
    assert_int_equal(shift_ns, -apart_ns);
    assert_int_equal(found->sent_ns + shift_ns, 10010 * MS);
    assert_null(wire_join_find(&join, &client_header, &late, &shift_ns, &base));
    found = wire_join_find(&join, &client_header, &second, &shift_ns, &base);
    assert_int_equal(found->sent_ns + shift_ns, 20 * MS);
    second.connection_request = 3;
    assert_null(wire_join_find(&join, &client_header, &second, &shift_ns, &base));
    wire_join_release(&join);
}

static void other_boots_join_by_the_wall_clock(void **state)
{
    (void)state;
    struct arrival_request wire = request_at(ZERO_APART_MS * MS + 10 * MS, 1, NULL, 0);
    struct arrivals_header header = wire_header("another");
    struct wire_join join = read_wire(&header, &wire, 1);
    struct arrival_request client = request_at(10 * MS, 1, NULL, 0);
    int64_t shift_ns;
    enum wire_clock_base base;
    assert_non_null(wire_join_find(&join, &client_header, &client, &shift_ns, &base));
    assert_int_equal(shift_ns, -(ZERO_APART_MS + 1) * MS);
    assert_int_equal(base, WIRE_CLOCK_WALL);
    wire_join_release(&join);
}

static void a_hole_leaves_unknown_times(void **state)
{
    (void)state;
    enum { CONTENT = EVENT_CONTENT, UNKNOWN = EVENT_FLAG_UNKNOWN_TIME };
    struct arrival_event seen[] = { event_at(510 * MS, CONTENT, 0),
                                    event_at(TIME_NONE, CONTENT, UNKNOWN),
                                    event_at(550 * MS, CONTENT, 0),
                                    event_at(560 * MS, EVENT_DONE, 0) };
    struct arrival_event had[] = { event_at(10 * MS, CONTENT, 0),
                                   event_at(20 * MS, CONTENT, 0),
                                   event_at(30 * MS, CONTENT, 0),
                                   event_at(50 * MS, CONTENT, 0),
                                   event_at(60 * MS, EVENT_DONE, 0) };
    struct arrival_request wire = request_at(505 * MS, 1, seen, 4);
    struct arrival_request client = request_at(5 * MS, 1, had, 5);
    struct arrivals_header header = wire_header("boot");
    struct wire_join join = read_wire(&header, &wire, 1);
    int64_t shift_ns, times_ns[5];
    enum wire_clock_base base;
    struct wire_request *found = wire_join_find(&join, &client_header, &client,
                                                &shift_ns, &base);
    assert_int_equal(wire_join_times(&join, found, shift_ns, &client, times_ns), 0);
    assert_int_equal(times_ns[0], 10 * MS);
    assert_int_equal(times_ns[1], TIME_NONE);
    assert_int_equal(times_ns[2], TIME_NONE);
    assert_int_equal(times_ns[3], 50 * MS);
    assert_int_equal(times_ns[4], 60 * MS);
    client.outcome =
        OUTCOME_CANCELLED; /* its end is not the answer's: nothing to align */
    wire_join_times(&join, found, shift_ns, &client, times_ns);
    assert_int_equal(times_ns[0], 10 * MS);
    assert_int_equal(times_ns[4], TIME_NONE);
    wire_join_release(&join);
}

static void packets_replace_the_kernels_stamps(void **state)
{
    (void)state;
    struct arrival_event seen[] = { event_at(510 * MS, EVENT_CONTENT, 0),
                                    event_at(TIME_NONE, EVENT_CONTENT, 0) };
    struct arrival_event had[] = {
        event_at(11 * MS, EVENT_CONTENT, EVENT_FLAG_SHARED_READ),
        event_at(12 * MS, EVENT_CONTENT, EVENT_FLAG_SHARED_READ)
    };
    struct arrival_request wire = request_at(505 * MS, 1, seen, 2);
    struct arrival_request client = request_at(5 * MS, 1, had, 2);
    struct arrivals_header header = wire_header("boot");
    struct wire_join join = read_wire(&header, &wire, 1);
    struct wire_scratch scratch = { 0 };
    assert_true(wire_join_apply(&join, &client_header, &client, &scratch));
    assert_int_equal(had[0].arrival_ns, 10 * MS);
    assert_int_equal(had[0].flags, 0);
    assert_int_equal(had[0].app_ns, 12 * MS);
    assert_int_equal(had[1].arrival_ns, 12 * MS); /* lost by the capture: the kernel's */
    assert_int_equal(had[1].flags, EVENT_FLAG_SHARED_READ);
    wire_scratch_release(&scratch);
    wire_join_release(&join);
}

static void split_adds_up(void **state)
{
    (void)state;
    struct arrival_event seen[] = { event_at(510 * MS, EVENT_CONTENT, 0),
                                    event_at(520 * MS, EVENT_CONTENT, 0) };
    struct arrival_event had[] = { event_at(10 * MS + 300, EVENT_CONTENT, 0),
                                   event_at(21 * MS, EVENT_CONTENT,
                                            EVENT_FLAG_SHARED_READ) };
    struct arrival_request wire[] = { request_at(505 * MS, 1, seen, 2),
                                      request_at(800 * MS, 7, NULL, 0) };
    struct arrival_request client[] = { request_at(5 * MS, 1, had, 2),
                                        request_at(6 * MS, 2, NULL, 0) };
    struct arrivals_header header = wire_header("boot");
    struct wire_join join = read_wire(&header, wire, 2);
    unlink("client.toklog");
    write_log("client.toklog", &client_header, client, 2);
    struct load load = { 0 };
    struct fault fault = { "" };
    char *operand = "client.toklog";
    assert_int_equal(load_open(&load, &operand, 1, &fault), STATUS_OK);
    struct split split;
    struct split_settings settings = { .epsilon_ns = 5000 };
    assert_int_equal(split_compute(&split, &load, &join, &settings, &fault), STATUS_OK);
    assert_int_equal(split.requests, 2);
    assert_int_equal(split.joined, 1);
    assert_int_equal(split.wire_not_joined, 1);
    assert_int_equal(split.matched, 2);
    assert_int_equal(split.alone, 1);
    assert_int_equal(split.identity_checked, 1);
    assert_int_equal(split.identity_broken, 0);
    assert_int_equal(split.clock_faults, 0);
    /* due 3, sent 5, last packet 20, app 22 ms; the kernel's stamps 300 ns and 1 ms late
     */
    assert_int_equal(split.values[SPLIT_SEND_LAG].max * 1e9 + 0.5, 2 * MS);
    assert_int_equal(split.values[SPLIT_SERVER_NETWORK].max * 1e9 + 0.5, 15 * MS);
    assert_int_equal(split.values[SPLIT_RECEIVE_LAG].max * 1e9 + 0.5, 2 * MS);
    assert_int_equal(split.kernel_late.moments.max, MS);
    assert_int_equal(split.kernel_alone.moments.max, 300);
    assert_int_equal(split.kernel_shared.moments.min, MS);
    split_release(&split);
    load_release(&load);
    wire_join_release(&join);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_by_number_and_time),
        cmocka_unit_test(other_boots_join_by_the_wall_clock),
        cmocka_unit_test(a_hole_leaves_unknown_times),
        cmocka_unit_test(packets_replace_the_kernels_stamps),
        cmocka_unit_test(split_adds_up),
    };
    return cmocka_run_group_tests_name("wire_join", tests, scratch_enter, scratch_leave);
}
