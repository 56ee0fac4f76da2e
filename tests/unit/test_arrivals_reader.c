/* Reading what is cut, flipped, newer or hostile: never a wrong record, always a clear
 * word. */
#include "tests/unit/arrival_samples.h"

#include <fcntl.h>
#include <unistd.h>

#include "formats/frame_index.h"
#include "tests/unit/arrival_files.h"

enum { REQUESTS = 40, EVENTS = 30, FRAME_REQUESTS = 10 };

/* Row `row` of the log that write_log makes; the events are in a static array. */
static struct arrival_request request_of(uint64_t row)
{
    static struct arrival_event events[EVENTS];
    sample_events(events, EVENTS, (int64_t)row * 12345);
    return sample_request(row, events, EVENTS);
}

/* The header's frame, four frames of ten requests (made by a clock that jumps a second),
 * the end record's frame, the index. */
static void write_log(const char *path)
{
    struct arrivals_writer *writer = NULL;
    struct fault fault = { 0 };
    struct arrivals_header header = { .producer = "test" };
    unlink(path);
    assert_int_equal(arrivals_writer_open(&writer, path, &header, &fault), STATUS_OK);
    for (uint64_t row = 0; row < REQUESTS; row++) {
        struct arrival_request request = request_of(row);
        arrivals_writer_request(writer, &request);
        if (row % FRAME_REQUESTS == FRAME_REQUESTS - 1)
            arrivals_writer_tick(writer, INT64_MAX);
    }
    assert_int_equal(arrivals_writer_close(writer, &(struct end_record){ 0 }, &fault),
                     STATUS_OK);
}

/* Reads requests, each compared with what was written, until something ends it. */
static struct reading read_and_compare(const char *path)
{
    struct reading result = { 0 };
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    result.status = arrivals_reader_open(&reader, path, &result.fault);
    if (result.status)
        return result;
    while ((result.status = arrivals_reader_next(reader, &record, &result.fault)) > 0) {
        if (record.type != RECORD_REQUEST)
            continue;
        struct arrival_request put = request_of(result.requests++);
        assert_same_request(&record.request, &put);
    }
    result.loss = arrivals_reader_loss(reader);
    arrivals_reader_close(reader);
    return result;
}

/* Offsets of the frames of a log, the index's last; returns how many. */
static size_t frame_offsets(const char *path, uint64_t offsets[16])
{
    struct arrivals_reader *reader = NULL;
    struct arrivals_frame frame;
    struct fault fault = { 0 };
    size_t count = 0;
    assert_int_equal(arrivals_reader_open(&reader, path, &fault), STATUS_OK);
    while (arrivals_frames_next(reader, &frame, &fault) == 1) {
        assert_int_equal(frame.offset, count ? offsets[count] : 0);
        assert_false(frame.cut);
        offsets[++count] = frame.offset + frame.compressed_bytes;
        assert_int_equal(frame.skippable, count == 7);
    }
    offsets[0] = 0;
    arrivals_reader_close(reader);
    return count;
}

static void test_frames(void **state)
{
    (void)state;
    uint64_t offsets[16] = { 0 };
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    write_log("log");
    assert_int_equal(frame_offsets("log", offsets), 7);
    assert_int_equal(frame_index_read(&index, "log", &fault), 1);
    assert_int_equal(index.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(index.entries[i].offset, offsets[i]);
        assert_int_equal(index.entries[i].compressed_bytes, offsets[i + 1] - offsets[i]);
        bool full = i > 0 && i < 5;
        assert_int_equal(index.entries[i].requests, full ? FRAME_REQUESTS : 0);
        assert_int_equal(index.entries[i].events, full ? FRAME_REQUESTS * EVENTS : 0);
    }
    frame_index_release(&index);
}

/* At every length: the requests of whole frames are there, and the loss is exact. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    uint64_t offsets[16];
    size_t len;
    write_log("log");
    size_t frames = frame_offsets("log", offsets);
    uint8_t *bytes = file_bytes("log", &len);
    assert_int_equal(offsets[frames], len);
    for (size_t cut = offsets[1]; cut < len; cut++) {
        size_t whole = 1; /* frames before the cut */
        while (offsets[whole + 1] <= cut)
            whole++;
        scratch_write("cut", bytes, cut);
        struct reading got = read_and_compare("cut");
        assert_int_equal(got.status, 0);
        uint64_t least = whole > 4 ? REQUESTS : (whole - 1) * FRAME_REQUESTS;
        assert_in_range(got.requests, least, least + got.loss.saved_records);
        assert_true(got.loss.index_missing);
        bool end_read = whole > 5 || (whole == 5 && got.loss.saved_records == 1);
        assert_int_equal(got.loss.end_missing, !end_read);
        bool truncated = whole < 6 && cut > offsets[whole];
        assert_int_equal(got.loss.truncated, truncated);
        assert_int_equal(got.loss.offset, truncated ? offsets[whole] : 0);
        assert_int_equal(got.loss.lost_bytes, truncated ? cut - offsets[whole] : 0);
    }
    free(bytes);
}

static void test_cut_in_the_first_frame(void **state)
{
    (void)state;
    uint64_t offsets[16];
    size_t len;
    write_log("log");
    frame_offsets("log", offsets);
    uint8_t *bytes = file_bytes("log", &len);
    for (size_t cut = 0; cut < offsets[1] - 4; cut++) {
        char expected[100];
        scratch_write("cut", bytes, cut);
        struct reading got = read_all("cut");
        assert_int_equal(got.status, STATUS_BAD_INPUT);
        snprintf(expected, sizeof expected, "cut: cut at byte %zu, inside its header",
                 cut);
        assert_non_null(strstr(got.fault.text,
                               cut ? expected : "cut: empty, expected an"));
    }
    free(bytes);
}

/* Whatever bit is flipped: what was written, or a word about it, never another record.
 * (Some flips change nothing: a bit that zstd ignores, another match with the same
 * bytes.) A flip in the index leaves the records readable. */
static void test_every_flip_is_seen(void **state)
{
    (void)state;
    uint64_t offsets[16];
    size_t len;
    write_log("log");
    size_t frames = frame_offsets("log", offsets);
    uint8_t *bytes = file_bytes("log", &len);
    for (size_t at = 0; at < len; at++) {
        bytes[at] ^= (uint8_t)(1 << at % 8);
        scratch_write("flip", bytes, len);
        bytes[at] ^= (uint8_t)(1 << at % 8);
        struct reading got = read_and_compare("flip");
        bool in_index = at >= offsets[frames - 1];
        bool told = got.status < 0 || got.loss.truncated || got.loss.index_damaged
                    || got.loss.index_missing;
        if (!told || (in_index && got.status >= 0))
            assert_int_equal(got.requests, REQUESTS);
    }
    free(bytes);
}

static void write_stream(const char *path, const void *bytes, size_t len)
{
    unlink(path);
    append_frame(path, bytes, len);
}

static void test_versions(void **state)
{
    (void)state;
    char stream[SMALLEST_STREAM_BYTES + 1] = SMALLEST_STREAM;
    write_stream("stream", stream, SMALLEST_STREAM_BYTES);
    assert_int_equal(read_all("stream").status, 0);
    stream[10] = 9; /* minor */
    write_stream("stream", stream, SMALLEST_STREAM_BYTES);
    assert_int_equal(read_all("stream").status, 0);
    stream[8] = 2;
    write_stream("stream", stream, SMALLEST_STREAM_BYTES);
    struct reading got = read_all("stream");
    assert_int_equal(got.status, STATUS_UNSUPPORTED);
    assert_string_equal(got.fault.text,
                        "stream: an arrival log of format version 2.9; this "
                        "program reads version 1");
}

static void test_later_minor_version(void **state)
{
    (void)state;
    static const char stream[] = SMALLEST_STREAM
        "\x63\3abc"            /* a record of type 99 */
        "\2\7\2\1\x34\0\x80\1\5" /* request: row 1, outcome 0, field 64 = 5 */
        "\5\4\4\1\x0e\2";      /* end: requests 1, field 7 = 2 */
    write_stream("stream", stream, sizeof stream - 1);
    struct reading got = read_all("stream");
    assert_string_equal(got.fault.text, "");
    assert_int_equal(got.status, 0);
    assert_int_equal(got.requests, 1);
    assert_int_equal(got.loss.unknown_records, 1);
    assert_int_equal(got.loss.unknown_fields, 2);
    assert_false(got.loss.end_missing);
}

static void test_hostile_streams(void **state)
{
    (void)state;
#define STREAM(text) SMALLEST_STREAM text, SMALLEST_STREAM_BYTES + sizeof(text) - 1
    static const struct {
        const char *bytes;
        size_t len;
        int status;
        const char *text;
    } cases[] = {
        { "short", 5, STATUS_BAD_INPUT, "compressed, but no arrival log" },
        { "toklog\n\n\1\0\0\0\1\2\x08\0", 16, STATUS_BAD_INPUT, "magic bytes" },
        { "toklog\r\n\1\0\0\0", 12, STATUS_BAD_INPUT, "no header record" },
        { "toklog\r\n\1\0\0\0\5\0", 14, STATUS_BAD_INPUT, "no header record" },
        { "toklog\r\n\1\0\0\0\1\0", 14, STATUS_BAD_INPUT,
          "byte 12 of its content: field 4" },
        { STREAM("\1\2\x08\0"), STATUS_BAD_INPUT, "a second header record" },
        { STREAM("\2"), STATUS_BAD_INPUT, "a record is longer than its frame" },
        { STREAM("\2\5\2\1"), STATUS_BAD_INPUT,
          "byte 16 of its content: a record is longer" },
        { STREAM("\2\x81\x80\x80\x14"), STATUS_LIMIT, "a record of 41943041 bytes" },
        { STREAM("\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), STATUS_LIMIT,
          "a record of" },
        { STREAM("\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"), STATUS_BAD_INPUT,
          "length" },
        { STREAM("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"), STATUS_BAD_INPUT, "type" },
        { STREAM("\2\2\2\1"), STATUS_BAD_INPUT, "field 26 is missing" },
        { STREAM("\2\x08\2\1\x34\0\x3c\x81\x80\x40"), STATUS_LIMIT, "1048577 events" },
        { STREAM("\2\x08\2\1\x34\0\x3c\x80\x80\x40"), STATUS_BAD_INPUT, "kinds column" },
        { STREAM("\5\0\5\0"), STATUS_BAD_INPUT,
          "byte 18 of its content: a record after" },
        { STREAM("\5\2\4\1"), STATUS_BAD_INPUT,
          "counts 1 requests and 0 events, read were 0" },
    };
#undef STREAM
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_stream("stream", cases[i].bytes, cases[i].len);
        struct reading got = read_all("stream");
        if (!strstr(got.fault.text, cases[i].text))
            print_error("case %zu says: %s\n", i, got.fault.text);
        assert_int_equal(got.status, cases[i].status);
        assert_non_null(strstr(got.fault.text, cases[i].text));
        assert_non_null(strstr(got.fault.text, "stream: "));
    }
}

static void test_no_log(void **state)
{
    (void)state;
    scratch_write("text", "row,due\n", 8);
    struct reading got = read_all("text");
    assert_int_equal(got.status, STATUS_BAD_INPUT);
    assert_string_equal(got.fault.text,
                        "text: no zstd frame at offset 0; expected an arrival log");
    got = read_all("none");
    assert_int_equal(got.status, STATUS_IO);
    assert_non_null(strstr(got.fault.text, "none: No such file"));
    got = read_all(".");
    assert_int_equal(got.status, STATUS_IO);
}

static void test_bytes_after_the_index(void **state)
{
    (void)state;
    char expected[100];
    size_t len;
    write_log("log");
    uint8_t *bytes = file_bytes("log", &len);
    FILE *file = fopen("log", "ab");
    fputs("garbage", file);
    fclose(file);
    struct reading got = read_and_compare("log");
    assert_int_equal(got.requests, REQUESTS);
    assert_int_equal(got.status, STATUS_BAD_INPUT);
    snprintf(expected, sizeof expected, "log: no zstd frame at offset %zu", len);
    assert_string_equal(got.fault.text, expected);
    free(bytes);
}

/* A frame that is gone from the middle leaves a legal file; the end record tells. */
static void test_missing_frame(void **state)
{
    (void)state;
    uint64_t offsets[16];
    size_t len;
    write_log("log");
    frame_offsets("log", offsets);
    uint8_t *bytes = file_bytes("log", &len);
    memmove(bytes + offsets[2], bytes + offsets[3], len - offsets[3]);
    scratch_write("gap", bytes, len - (offsets[3] - offsets[2]));
    struct reading got = read_all("gap");
    assert_int_equal(got.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(got.fault.text,
                           "the end record counts 40 requests and 1200 events, "
                           "read were 30 and 900"));
    free(bytes);
}

/* The last three rows of a range, each plus one, as digits. */
static uint64_t last_rows_of(uint64_t first, uint64_t count)
{
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    struct fault fault = { 0 };
    uint64_t rows = 0;
    int found;
    arrivals_reader_open_range(&reader, "log", first, count, &fault);
    assert_string_equal(fault.text, "");
    while ((found = arrivals_reader_next(reader, &record, &fault)) > 0)
        if (record.type == RECORD_REQUEST)
            rows = (rows * 100 + record.request.row + 1) % 1000000;
    assert_int_equal(found, 0);
    struct arrivals_loss loss = arrivals_reader_loss(reader);
    assert_false(loss.truncated || loss.end_missing || loss.index_missing);
    arrivals_reader_close(reader);
    return rows;
}

static void test_ranges(void **state)
{
    (void)state;
    write_log("log");
    assert_int_equal(last_rows_of(0, 1), 0);
    assert_int_equal(last_rows_of(0, 2), 8 * 10000 + 9 * 100 + 10);
    assert_int_equal(last_rows_of(1, 1), 8 * 10000 + 9 * 100 + 10);
    assert_int_equal(last_rows_of(2, 3), 38 * 10000 + 39 * 100 + 40);
    assert_int_equal(last_rows_of(4, 2), 38 * 10000 + 39 * 100 + 40);
    static const uint64_t bad[][2] = { { 0, 0 }, { 0, 7 }, { 6, 1 }, { 5, UINT64_MAX } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arrivals_reader *reader = NULL;
        struct fault fault = { 0 };
        assert_int_equal(arrivals_reader_open_range(&reader, "log", bad[i][0], bad[i][1],
                                                    &fault), STATUS_BAD_INPUT);
        assert_non_null(strstr(fault.text, "of 6"));
        assert_null(reader);
    }
}

static void test_standard_input(void **state)
{
    (void)state;
    write_log("log");
    int saved = dup(STDIN_FILENO);
    int file = open("log", O_RDONLY);
    dup2(file, STDIN_FILENO);
    struct reading got = read_and_compare("-");
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(file);
    assert_int_equal(got.status, 0);
    assert_int_equal(got.requests, REQUESTS);
    assert_false(got.loss.index_missing);
}

/* Memory that a few bytes could claim: refused, or taken as it fills. */
static void test_bombs(void **state)
{
    (void)state;
    size_t len = 65 * 1024 * 1024;
    char *stream = calloc(len, 1);
    write_stream("bomb", stream, len);
    struct reading got = read_all("bomb");
    assert_int_equal(got.status, STATUS_LIMIT);
    assert_non_null(strstr(got.fault.text, "offset 0 holds more than 67108864 bytes"));
    free(stream);
    /* A frame of zstd with a window of 2^30 bytes (descriptor 0xa0), and no block. */
    scratch_write("window", "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 9);
    got = read_all("window");
    assert_int_equal(got.status, STATUS_LIMIT);
    /* A skippable frame that claims 4 GiB. */
    scratch_write("skip", "\x50\x2a\x4d\x18\xff\xff\xff\xff", 8);
    got = read_all("skip");
    assert_int_equal(got.status, STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_in_the_first_frame),
        cmocka_unit_test(test_every_flip_is_seen),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_later_minor_version),
        cmocka_unit_test(test_hostile_streams),
        cmocka_unit_test(test_no_log),
        cmocka_unit_test(test_bytes_after_the_index),
        cmocka_unit_test(test_missing_frame),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
