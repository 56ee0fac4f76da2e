/* Logs kept in tests/broken and tests/golden (make-logs says how they were made): what a
 * reader says of each. */
#include "tests/unit/arrival_samples.h"

#include "formats/frame_index.h"
#include "tests/unit/arrival_files.h"

/* What is told of the end of a log. */
enum {
    CUT = 1 << 0,
    NO_END = 1 << 1,
    NO_INDEX = 1 << 2,
    BAD_INDEX = 1 << 3,
};

static unsigned loss_bits(const struct arrivals_loss *loss)
{
    return (loss->truncated ? CUT : 0u) | (loss->end_missing ? NO_END : 0u)
           | (loss->index_missing ? NO_INDEX : 0u)
           | (loss->index_damaged ? BAD_INDEX : 0u);
}

static void test_broken_logs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int status;
        unsigned loss;
        uint64_t requests;
        const char *text; /* after the file's name */
    } cases[] = {
        { "empty", STATUS_BAD_INPUT, 0, 0, "empty, expected an arrival log" },
        { "text", STATUS_BAD_INPUT, 0, 0,
          "no zstd frame at offset 0; expected an arrival log" },
        { "other-content", STATUS_BAD_INPUT, 0, 0,
          "compressed, but no arrival log: its content does not start with the format's "
          "magic bytes" },
        { "cut-in-header", STATUS_BAD_INPUT, 0, 0,
          "cut at byte 29, inside its header: nothing can be read" },
        { "cut-in-request", STATUS_OK, CUT | NO_END | NO_INDEX, 0, "" },
        { "cut-after-request", STATUS_OK, NO_END | NO_INDEX, 1, "" },
        { "cut-in-index", STATUS_OK, NO_INDEX, 1, "" },
        { "no-index", STATUS_OK, NO_INDEX, 1, "" },
        { "flipped-checksum", STATUS_BAD_INPUT, NO_END | NO_INDEX, 0,
          "the frame at offset 39 is damaged: Restored data doesn't match checksum" },
        { "flipped-index", STATUS_OK, BAD_INDEX, 1, "" },
        { "garbage-at-end", STATUS_BAD_INPUT, 0, 1, "no zstd frame at offset 313" },
        { "newer-major", STATUS_UNSUPPORTED, 0, 0,
          "an arrival log of format version 2.3; this program reads version 1" },
        { "newer-minor", STATUS_OK, NO_INDEX, 1, "" },
        { "record-of-2-to-the-63", STATUS_LIMIT, NO_END | NO_INDEX, 0,
          "frame at offset 39, byte 0 of its content: a record of 9223372036854775808 "
          "bytes, at most 41943040 are allowed" },
        { "record-longer-than-frame", STATUS_BAD_INPUT, NO_END | NO_INDEX, 0,
          "frame at offset 39, byte 0 of its content: a record is longer than its "
          "frame" },
        { "events-2-to-the-32", STATUS_LIMIT, NO_END | NO_INDEX, 0,
          "frame at offset 39, byte 0 of its content: a request of 4294967296 events, "
          "at most 1048576 are allowed" },
        { "events-without-bytes", STATUS_BAD_INPUT, NO_END | NO_INDEX, 0,
          "frame at offset 39, byte 0 of its content: the kinds column of the events is "
          "malformed" },
        { "request-lost", STATUS_BAD_INPUT, NO_INDEX, 0,
          "frame at offset 39, byte 0 of its content: the end record counts 1 requests "
          "and 4 events, read were 0 and 0" },
        { "record-after-end", STATUS_BAD_INPUT, NO_INDEX, 0,
          "frame at offset 39, byte 2 of its content: a record after the end record" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[100], expected[300] = "";
        snprintf(path, sizeof path, "broken/%s.toklog", cases[i].name);
        if (cases[i].status)
            snprintf(expected, sizeof expected, "%s: %s", path, cases[i].text);
        struct reading got = read_all(path);
        assert_string_equal(got.fault.text, expected);
        assert_int_equal(got.status, cases[i].status);
        assert_int_equal(loss_bits(&got.loss), cases[i].loss);
        assert_int_equal(got.requests, cases[i].requests);
    }
}

static void test_cut_is_located(void **state)
{
    (void)state;
    struct reading got = read_all("broken/cut-in-request.toklog");
    assert_int_equal(got.loss.offset, 39);
    assert_int_equal(got.loss.lost_bytes, 40);
}

static void test_newer_minor_is_counted(void **state)
{
    (void)state;
    struct reading got = read_all("broken/newer-minor.toklog");
    assert_int_equal(got.loss.unknown_records, 1);
    assert_int_equal(got.loss.unknown_fields, 1);
}

/* The example of the paper, as version 1.0 wrote it. */
static void test_golden_1_0(void **state)
{
    (void)state;
    struct arrival_event events[PAPER_EVENTS];
    struct arrival_request request = paper_request(events);
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    struct fault fault = { 0 };
    arrivals_reader_open(&reader, "golden/arrivals-1.0.toklog", &fault);
    assert_string_equal(fault.text, "");
    assert_string_equal(arrivals_reader_header(reader)->producer, "demo");
    assert_int_equal(arrivals_reader_header(reader)->t0_monotonic_ns, 5);
    assert_int_equal(arrivals_reader_version(reader).major, 1);
    assert_int_equal(arrivals_reader_version(reader).minor, 0);
    assert_int_equal(arrivals_reader_next(reader, &record, &fault), 1);
    assert_int_equal(record.type, RECORD_REQUEST);
    assert_same_request(&record.request, &request);
    assert_int_equal(arrivals_reader_next(reader, &record, &fault), 1);
    assert_int_equal(record.type, RECORD_END);
    assert_int_equal(record.end.at_ns, 6000000);
    assert_int_equal(arrivals_reader_next(reader, &record, &fault), 0);
    struct arrivals_loss loss = arrivals_reader_loss(reader);
    assert_int_equal(loss_bits(&loss), 0);
    arrivals_reader_close(reader);
}

static void test_index_of_golden(void **state)
{
    (void)state;
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    assert_int_equal(frame_index_read(&index, "golden/arrivals-1.0.toklog", &fault), 1);
    assert_int_equal(index.count, 3);
    assert_int_equal(index.entries[1].offset, 39);
    assert_int_equal(index.entries[1].content_bytes, 85);
    assert_int_equal(index.entries[1].requests, 1);
    assert_int_equal(index.entries[1].events, 4);
    assert_int_equal(index.entries[2].offset, 137);
    frame_index_release(&index);
    assert_int_equal(frame_index_read(&index, "broken/no-index.toklog", &fault), 0);
    assert_int_equal(frame_index_read(&index, "broken/empty.toklog", &fault), 0);
    assert_string_equal(fault.text, "");
    assert_int_equal(frame_index_read(&index, "broken/flipped-index.toklog", &fault),
                     STATUS_BAD_INPUT);
    assert_string_equal(fault.text,
                        "broken/flipped-index.toklog: the index does not match its "
                        "checksum");
    frame_index_release(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_logs),   cmocka_unit_test(test_cut_is_located),
        cmocka_unit_test(test_newer_minor_is_counted), cmocka_unit_test(test_golden_1_0),
        cmocka_unit_test(test_index_of_golden),
    };
    const char *directory = getenv("TESTS");
    if (chdir(directory ? directory : "tests"))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
