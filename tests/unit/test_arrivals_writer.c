/* A log that was written is read back, field by field. */
#include "tests/unit/arrival_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "formats/arrivals_encode.h"
#include "formats/base/memory.h"
#include "tests/unit/arrival_files.h"

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

/* One record larger than a block, between small ones. */
static void test_oversize_record(void **state)
{
    (void)state;
    enum { EVENTS = 300 * 1000 };
    struct arrival_event *events = memory_new(EVENTS, sizeof *events);
    sample_events(events, EVENTS, 0);
    struct arrival_request small = sample_request(1, events, 3);
    struct arrival_request large = sample_request(2, events, EVENTS);
    struct arrivals_writer *writer = open_log("oversize");
    arrivals_writer_request(writer, &large);
    arrivals_writer_request(writer, &small);
    arrivals_writer_request(writer, &large);
    arrivals_writer_request(writer, &large);
    close_log(writer);

    struct arrivals_record record;
    struct arrivals_reader *reader = open_reader("oversize");
    read_one(reader, &record, RECORD_REQUEST);
    assert_same_request(&record.request, &large);
    read_one(reader, &record, RECORD_REQUEST);
    assert_same_request(&record.request, &small);
    read_one(reader, &record, RECORD_REQUEST);
    read_one(reader, &record, RECORD_REQUEST);
    assert_same_request(&record.request, &large);
    read_end(reader, 4, 3 * EVENTS + 3);
    free(events);
}

static void test_refuses_to_overwrite(void **state)
{
    (void)state;
    struct arrivals_writer *writer = NULL;
    struct fault fault = { 0 };
    scratch_write("there", "x", 1);
    assert_int_equal(arrivals_writer_open(&writer, "there", &header, &fault), STATUS_IO);
    assert_string_equal(fault.text, "there: File exists");
    assert_string_equal(scratch_read("there"), "x");
    fault.text[0] = '\0';
    assert_int_equal(arrivals_writer_open(&writer, "no/such", &header, &fault),
                     STATUS_IO);
    assert_string_equal(fault.text, "no/such: No such file or directory");
    assert_null(writer);
}

/* A log that nobody closed keeps what was handed over: here the first request. */
static void test_abandoned(void **state)
{
    (void)state;
    struct arrival_event events[5];
    sample_events(events, 5, 0);
    struct arrival_request request = sample_request(1, events, 5);
    struct arrivals_writer *writer = open_log("abandoned");
    arrivals_writer_request(writer, &request);
    arrivals_writer_tick(writer, clock_monotonic_ns());
    arrivals_writer_request(writer, &request);
    arrivals_writer_tick(writer, clock_monotonic_ns() + NS_PER_S);
    arrivals_writer_request(writer, &request);
    arrivals_writer_abandon(writer);
    arrivals_writer_abandon(NULL);
    struct reading got = read_all("abandoned");
    assert_int_equal(got.status, 0);
    assert_int_equal(got.requests, 2);
    assert_true(got.loss.end_missing && got.loss.index_missing);
    assert_false(got.loss.truncated);
}

static void test_tick_of_an_empty_log(void **state)
{
    (void)state;
    struct arrivals_writer *writer = open_log("idle");
    arrivals_writer_tick(writer, INT64_MAX);
    arrivals_writer_tick(writer, INT64_MAX);
    close_log(writer);
    read_end(open_reader("idle"), 0, 0);
}

/* Other people's zstd accepts the file and prints its record stream. */
static void test_zstd_command(void **state)
{
    (void)state;
    if (system("zstd -q --version >/dev/null 2>&1") != 0) {
        print_message("no zstd command\n");
        skip();
    }
    struct arrival_event events[5];
    sample_events(events, 5, 0);
    struct arrival_request request = sample_request(1, events, 5);
    struct arrivals_writer *writer = open_log("zstd");
    arrivals_writer_request(writer, &request);
    close_log(writer);
    assert_int_equal(system("zstd -q -t zstd"), 0);
    assert_int_equal(system("zstd -q -dc <zstd >stream"), 0);
    size_t len;
    uint8_t *stream = file_bytes("stream", &len);
    struct arrivals_encoder encoder;
    arrivals_encoder_init(&encoder);
    struct byte_span first = arrivals_encode_header(&encoder, &header);
    assert_memory_equal(stream, "toklog\r\n\1\0\0\0", 12);
    assert_memory_equal(stream + 12, first.at, first.len);
    arrivals_encoder_release(&encoder);
    free(stream);
}

/* Writes until the writer says that it failed; returns how many requests it took. */
static uint64_t write_until_failure(struct arrivals_writer *writer)
{
    enum { EVENTS = 1000, LIMIT = 100 * 1000 };
    static struct arrival_event events[EVENTS];
    sample_events(events, EVENTS, 0);
    uint64_t row = 0;
    while (arrivals_writer_status(writer) == STATUS_OK && row < LIMIT) {
        struct arrival_request request = sample_request(row++, events, EVENTS);
        arrivals_writer_request(writer, &request);
    }
    assert_int_equal(arrivals_writer_status(writer), STATUS_IO);
    return row;
}

/* What a failed log keeps is whole and counted in the message. */
static void check_failed_log(struct arrivals_writer *writer, const char *path,
                             const char *reason, uint64_t written)
{
    struct fault fault = { 0 };
    char expected[300];
    struct end_record end = { 0 };
    assert_int_equal(arrivals_writer_close(writer, &end, &fault), STATUS_IO);
    struct reading got = read_all(path);
    assert_int_equal(got.status, 0);
    assert_false(got.loss.truncated);
    assert_true(got.loss.end_missing);
    assert_true(got.requests > 0 && got.requests < written);
    snprintf(expected, sizeof expected,
             "%s: write: %s; %llu of %llu requests are in the log", path, reason,
             (unsigned long long)got.requests, (unsigned long long)written);
    assert_string_equal(fault.text, expected);
}

static void test_full_disk(void **state)
{
    (void)state;
    if (mkdir("disk", 0777) || mount("none", "disk", "tmpfs", 0, "size=1m")) {
        print_message("cannot mount a tmpfs: %s\n", strerror(errno));
        skip();
    }
    struct arrivals_writer *writer = open_log("disk/full");
    uint64_t written = write_until_failure(writer);
    check_failed_log(writer, "disk/full", "No space left on device", written);
    assert_int_equal(umount("disk"), 0);
}

/* A limit on the size of files ends a log as a full disk does, also in the middle of a
 * frame. */
static void test_file_size_limit(void **state)
{
    (void)state;
    struct rlimit before, small = { 300 * 1000, RLIM_INFINITY };
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    struct arrivals_writer *writer = open_log("limited");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    uint64_t written = write_until_failure(writer);
    check_failed_log(writer, "limited", "File too large", written);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_oversize_record),
        cmocka_unit_test(test_refuses_to_overwrite),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_tick_of_an_empty_log),
        cmocka_unit_test(test_zstd_command),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_file_size_limit),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
