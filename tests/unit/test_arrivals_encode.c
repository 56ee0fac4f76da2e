/* Records to bytes and back: the worked example of the paper, and the extremes of every
 * field. */
#include "tests/unit/arrival_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/arrivals_decode.h"
#include "formats/arrivals_encode.h"
#include "formats/base/buffer.h"
#include "formats/base/memory.h"

/* The bytes of the lines of hex in arrivals.md, section 8. */
static struct buffer paper_bytes(void)
{
    struct buffer bytes = BUFFER_INIT;
    char path[400], line[400];
    const char *tests = getenv("TESTS");
    snprintf(path, sizeof path, "%s/../formats/arrivals.md", tests ? tests : "tests");
    FILE *paper = fopen(path, "r");
    assert_non_null(paper);
    while (fgets(line, sizeof line, paper)) {
        unsigned byte;
        int used;
        if (strncmp(line, "    ", 4) != 0)
            continue;
        for (const char *at = line + 4; sscanf(at, "%2x%n", &byte, &used) == 1; at += 3) {
            buffer_append_byte(&bytes, (char)byte);
            if (at[2] != ' ' || at[3] == ' ')
                break;
        }
    }
    fclose(paper);
    return bytes;
}

static void append_span(struct buffer *bytes, struct byte_span span)
{
    buffer_append(bytes, span.at, span.len);
}

static void test_paper_example(void **state)
{
    (void)state;
    struct arrival_event events[PAPER_EVENTS];
    struct arrival_request request = paper_request(events);
    struct arrivals_header header = {
        .producer = "demo",
        .workers = 1,
        .t0_monotonic_ns = 5,
    };
    struct end_record end = { .at_ns = 6000000, .requests = 1, .events = 4 };

    struct arrivals_encoder encoder;
    struct buffer got = BUFFER_INIT;
    size_t kept;
    arrivals_encoder_init(&encoder);
    buffer_append(&got, "toklog\r\n\1\0\0\0", 12);
    append_span(&got, arrivals_encode_header(&encoder, &header));
    append_span(&got, arrivals_encode_request(&encoder, &request, &kept));
    append_span(&got, arrivals_encode_end(&encoder, &end));
    struct buffer expected = paper_bytes();
    assert_int_equal(got.len, 12 + 14 + 85 + 11);
    assert_int_equal(expected.len, got.len);
    assert_memory_equal(got.data, expected.data, got.len);
    buffer_release(&got);
    buffer_release(&expected);
    arrivals_encoder_release(&encoder);
}

/* Encodes and decodes a request; release the decoder when done with *got. */
static void round_trip(const struct arrival_request *put, struct arrivals_record *got,
                       struct arrivals_decoder *decoder)
{
    struct arrivals_encoder encoder;
    struct fault fault = { 0 };
    struct byte_span payload;
    uint64_t type;
    size_t kept;
    *decoder = (struct arrivals_decoder){ 0 };
    arrivals_encoder_init(&encoder);
    struct byte_span record = arrivals_encode_request(&encoder, put, &kept);
    const uint8_t *at = record.at;
    int found =
        arrivals_split_record(&at, record.at + record.len, &type, &payload, &fault);
    assert_int_equal(found, 1);
    assert_ptr_equal(at, record.at + record.len);
    found = arrivals_decode_record(decoder, type, payload, got, &fault);
    assert_string_equal(fault.text, "");
    assert_int_equal(found, 1);
    assert_int_equal(got->request.event_count, kept);
    assert_int_equal(decoder->unknown_fields, 0);
    arrivals_encoder_release(&encoder);
}

static void assert_round_trip(const struct arrival_request *request)
{
    struct arrivals_record record;
    struct arrivals_decoder decoder;
    round_trip(request, &record, &decoder);
    assert_same_request(&record.request, request);
    arrivals_decoder_release(&decoder);
}

static void test_blank_request(void **state)
{
    (void)state;
    struct arrival_request request;
    arrival_request_init(&request);
    assert_int_equal(request.outcome, OUTCOME_NOT_SENT);
    assert_round_trip(&request);
}

static void test_largest_values(void **state)
{
    (void)state;
    struct arrival_request request = sample_request(1, NULL, 0);
    request.row = UINT64_MAX;
    request.planned_input_tokens = UINT32_MAX - 1;
    request.usage_cached_tokens = 0;
    request.bytes_sent = UINT64_MAX;
    request.min_rtt_us = 0;
    request.retransmits = 0;
    request.connection_request = UINT32_MAX;
    request.local_port = UINT16_MAX;
    request.curl_code = UINT16_MAX;
    request.attempts = 0;
    request.outcome = UINT8_MAX;
    request.flags = UINT32_MAX;
    memset(request.session, 's', sizeof request.session - 1);
    memset(request.finish_reason, 'f', sizeof request.finish_reason - 1);
    assert_round_trip(&request);
}

/* Every pair of extreme times, so that each difference is taken once. */
static void test_extreme_times(void **state)
{
    (void)state;
    static const int64_t times[] = {
        TIME_NONE, -RUN_TIME_MAX_NS, RUN_TIME_MAX_NS, -1, 0, 1, -99, -100, -101, 99, 100,
    };
    enum { TIMES = sizeof times / sizeof *times };
    for (size_t i = 0; i < TIMES; i++)
        for (size_t j = 0; j < TIMES; j++) {
            struct arrival_event events[] = {
                { .arrival_ns = times[i], .app_ns = times[j], .kind = EVENT_ROLE },
                { .arrival_ns = times[j], .app_ns = times[i], .kind = EVENT_ROLE },
            };
            struct arrival_request request = sample_request(1, events, 2);
            request.due_ns = times[i];
            request.sent_ns = times[j];
            request.headers_ns = times[i];
            assert_round_trip(&request);
        }
}

/* What no run clock can show is no time, rather than a wrong one. */
static void test_impossible_times(void **state)
{
    (void)state;
    struct arrival_event event = {
        .arrival_ns = RUN_TIME_MAX_NS + 1,
        .app_ns = INT64_MIN + 1,
        .kind = EVENT_ROLE,
    };
    struct arrival_request request = sample_request(1, &event, 1);
    request.sent_ns = INT64_MAX;
    struct arrivals_record record;
    struct arrivals_decoder decoder;
    round_trip(&request, &record, &decoder);
    assert_int_equal(record.request.sent_ns, TIME_NONE);
    assert_int_equal(record.request.events[0].arrival_ns, TIME_NONE);
    assert_int_equal(record.request.events[0].app_ns, TIME_NONE);
    arrivals_decoder_release(&decoder);
}

static void test_too_many_events_are_cut_and_marked(void **state)
{
    (void)state;
    size_t count = REQUEST_EVENTS_MAX + 1;
    struct arrival_event *events = memory_new(count, sizeof *events);
    for (size_t i = 0; i < count; i++)
        events[i].arrival_ns = (int64_t)i * 100;
    struct arrival_request request = sample_request(1, events, count);
    struct arrivals_record record;
    struct arrivals_decoder decoder;
    round_trip(&request, &record, &decoder);
    request.event_count = REQUEST_EVENTS_MAX;
    request.flags |= REQUEST_EVENTS_CUT;
    assert_same_request(&record.request, &request);
    arrivals_decoder_release(&decoder);
    free(events);
}

/* Values that need the most bytes in every column still fit the bounds. */
static void test_worst_events(void **state)
{
    (void)state;
    enum { EVENTS = 20000 };
    struct arrival_event *events = memory_new(EVENTS, sizeof *events);
    for (size_t i = 0; i < EVENTS; i++)
        events[i] = (struct arrival_event){
            .arrival_ns = i % 2 ? RUN_TIME_MAX_NS : -RUN_TIME_MAX_NS,
            .app_ns = i % 2 ? -RUN_TIME_MAX_NS : RUN_TIME_MAX_NS,
            .wake_ns = i % 3 ? UINT32_MAX : 0,
            .tokens = UINT32_MAX,
            .choice = UINT16_MAX,
            .kind = i % 2 ? EVENT_OTHER : EVENT_CONTENT,
            .flags = i % 3 ? UINT8_MAX : UINT8_MAX - EVENT_FLAG_AFTER_WAKE,
        };
    struct arrival_request request = sample_request(1, events, EVENTS);
    assert_round_trip(&request);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_example),
        cmocka_unit_test(test_blank_request),
        cmocka_unit_test(test_largest_values),
        cmocka_unit_test(test_extreme_times),
        cmocka_unit_test(test_impossible_times),
        cmocka_unit_test(test_too_many_events_are_cut_and_marked),
        cmocka_unit_test(test_worst_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
