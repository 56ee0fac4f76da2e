/* A log that was written is read back, field by field. */
#include "tests/unit/arrival_samples.h"

#include "formats/arrivals_reader.h"
#include "formats/arrivals_writer.h"
#include "tests/unit/scratch.h"

static const struct arrivals_header header = {
    .run_id = "20261130T030102-7f3a",
    .producer = "test 1.2.3",
    .boot_id = "5f0e2a44-9f6b-4c8e-9d43-0a1b2c3d4e5f",
    .source = LOG_WIRE,
    .worker = 3,
    .workers = 7,
    .planned_requests = UINT64_MAX,
    .t0_monotonic_ns = INT64_MAX,
    .t0_realtime_ns = INT64_MIN,
};

static struct arrivals_writer *open_log(const char *path)
{
    struct arrivals_writer *writer = NULL;
    struct fault fault = { 0 };
    assert_int_equal(arrivals_writer_open(&writer, path, &header, &fault), STATUS_OK);
    return writer;
}

static void close_log(struct arrivals_writer *writer)
{
    struct fault fault = { 0 };
    assert_int_equal(arrivals_writer_status(writer), STATUS_OK);
    int status =
        arrivals_writer_close(writer, &(struct end_record){ .at_ns = 99 }, &fault);
    assert_string_equal(fault.text, "");
    assert_int_equal(status, STATUS_OK);
}

static struct arrivals_reader *open_reader(const char *path)
{
    struct arrivals_reader *reader = NULL;
    struct fault fault = { 0 };
    arrivals_reader_open(&reader, path, &fault);
    assert_string_equal(fault.text, "");
    return reader;
}

static void read_one(struct arrivals_reader *reader, struct arrivals_record *record,
                     enum record_type type)
{
    struct fault fault = { 0 };
    assert_int_equal(arrivals_reader_next(reader, record, &fault), 1);
    assert_int_equal(record->type, type);
}

static void read_end(struct arrivals_reader *reader, uint64_t requests, uint64_t events)
{
    struct arrivals_record record;
    struct fault fault = { 0 };
    read_one(reader, &record, RECORD_END);
    assert_int_equal(record.end.requests, requests);
    assert_int_equal(record.end.events, events);
    assert_int_equal(record.end.at_ns, 99);
    assert_int_equal(arrivals_reader_next(reader, &record, &fault), 0);
    struct arrivals_loss loss = arrivals_reader_loss(reader);
    assert_false(loss.truncated || loss.end_missing || loss.index_missing
                 || loss.index_damaged);
    assert_int_equal(loss.lost_bytes + loss.unknown_records + loss.unknown_fields, 0);
    arrivals_reader_close(reader);
}

static void test_every_field(void **state)
{
    (void)state;
    const char *path = "fields";
    struct arrival_event events[9];
    sample_events(events, 9, 1000);
    struct arrival_request request = sample_request(5, events, 9);
    struct loop_record loop = { -5, 1000000007, 3, 4, 5, 6, 7, UINT64_MAX };
    struct clock_record clock = { 77, INT64_MAX, INT64_MIN };
    struct arrivals_writer *writer = open_log(path);
    arrivals_writer_request(writer, &request);
    arrivals_writer_loop(writer, &loop);
    arrivals_writer_clock(writer, &clock);
    close_log(writer);

    struct arrivals_record record;
    struct arrivals_reader *reader = open_reader(path);
    const struct arrivals_header *got = arrivals_reader_header(reader);
    assert_memory_equal(got, &header, sizeof header);
    read_one(reader, &record, RECORD_REQUEST);
    assert_same_request(&record.request, &request);
    read_one(reader, &record, RECORD_LOOP);
    assert_memory_equal(&record.loop, &loop, sizeof loop);
    read_one(reader, &record, RECORD_CLOCK);
    assert_memory_equal(&record.clock, &clock, sizeof clock);
    read_end(reader, 1, 9);
}

static void test_many_blocks(void **state)
{
    (void)state;
    enum { REQUESTS = 3000, EVENTS = 500 };
    const char *path = "blocks";
    static struct arrival_event events[EVENTS];
    struct arrivals_writer *writer = open_log(path);
    for (uint64_t row = 0; row < REQUESTS; row++) {
        sample_events(events, EVENTS, (int64_t)row * 777);
        struct arrival_request request = sample_request(row, events, EVENTS);
        arrivals_writer_request(writer, &request);
    }
    close_log(writer);

    struct arrivals_record record;
    struct arrivals_reader *reader = open_reader(path);
    for (uint64_t row = 0; row < REQUESTS; row++) {
        sample_events(events, EVENTS, (int64_t)row * 777);
        struct arrival_request request = sample_request(row, events, EVENTS);
        read_one(reader, &record, RECORD_REQUEST);
        assert_same_request(&record.request, &request);
    }
    read_end(reader, REQUESTS, (uint64_t)REQUESTS * EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_many_blocks),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
