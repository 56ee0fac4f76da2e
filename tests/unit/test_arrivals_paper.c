/* The paper is enough: a decoder in Python that was written from it reads what we write,
 * every field the same. */
#include "tests/unit/arrival_samples.h"

#include <inttypes.h>

#include "formats/base/buffer.h"
#include "formats/frame_index.h"
#include "tests/unit/arrival_draws.h"
#include "tests/unit/arrival_files.h"

enum { REQUESTS = 300, EVENTS_MAX = 60 };

static const char *time_text(char text[32], int64_t ns)
{
    snprintf(text, 32, "%" PRId64, ns);
    return ns == TIME_NONE ? "none" : text;
}

static void expect_time(struct buffer *out, const char *name, int64_t ns)
{
    char text[32];
    buffer_printf(out, " %s=%s", name, time_text(text, ns));
}

static void expect_request(struct buffer *out, const struct arrival_request *r)
{
    buffer_printf(out, "request row=%" PRIu64, r->row);
    expect_time(out, "due_ns", r->due_ns);
    expect_time(out, "start_ns", r->start_ns);
    expect_time(out, "connect_start_ns", r->connect_start_ns);
    expect_time(out, "connect_end_ns", r->connect_end_ns);
    expect_time(out, "tls_end_ns", r->tls_end_ns);
    expect_time(out, "sent_ns", r->sent_ns);
    expect_time(out, "headers_ns", r->headers_ns);
    expect_time(out, "end_ns", r->end_ns);
    buffer_printf(out, " planned_input_tokens=%u planned_output_tokens=%u",
                  r->planned_input_tokens, r->planned_output_tokens);
    buffer_printf(out, " usage_prompt_tokens=%u usage_completion_tokens=%u",
                  r->usage_prompt_tokens, r->usage_completion_tokens);
    buffer_printf(out, " usage_cached_tokens=%u usage_reasoning_tokens=%u",
                  r->usage_cached_tokens, r->usage_reasoning_tokens);
    buffer_printf(out, " bytes_sent=%" PRIu64 " bytes_received=%" PRIu64, r->bytes_sent,
                  r->bytes_received);
    buffer_printf(out, " min_rtt_us=%u retransmits=%u connection_request=%u",
                  r->min_rtt_us, r->retransmits, r->connection_request);
    buffer_printf(out, " local_port=%u remote_port=%u http_status=%u curl_code=%u",
                  r->local_port, r->remote_port, r->http_status, r->curl_code);
    buffer_printf(out, " attempts=%u outcome=%u flags=%u finish_reason=%s session=%s",
                  r->attempts, r->outcome, r->flags, r->finish_reason, r->session);
    buffer_printf(out, " event_count=%zu\n", r->event_count);
}

static void expect_event(struct buffer *out, const struct arrival_event *event)
{
    unsigned flags = event->flags & ~(unsigned)EVENT_FLAG_AFTER_WAKE;
    bool woke = event->flags & EVENT_FLAG_AFTER_WAKE;
    buffer_printf(out, "event kind=%u flags=%u", event->kind, flags);
    expect_time(out, "arrival_ns", stored_time(event->arrival_ns));
    expect_time(out, "app_ns", stored_time(event->app_ns));
    expect_time(out, "wake_ns", woke ? event->wake_ns - event->wake_ns % 100 : TIME_NONE);
    buffer_printf(out, " tokens=%u choice=%u\n", event->tokens, event->choice);
}

static void write_drawn_requests(struct arrivals_writer *writer, struct buffer *out)
{
    struct arrival_event events[EVENTS_MAX];
    for (int i = 0; i < REQUESTS; i++) {
        struct arrival_request request;
        draw_request(&request);
        request.events = events;
        request.event_count = draw_below(EVENTS_MAX + 1);
        for (size_t j = 0; j < request.event_count; j++)
            draw_event(&events[j]);
        arrivals_writer_request(writer, &request);
        expect_request(out, &request);
        for (size_t j = 0; j < request.event_count; j++)
            expect_event(out, &events[j]);
        if (i % 100 == 99)
            arrivals_writer_tick(writer, INT64_MAX);
    }
}

/* Writes a log and what the decoder should say of it. */
static void write_log(const char *path, struct buffer *out)
{
    struct arrivals_header header =
        { "run", "test 1", "boot", LOG_SERVER, 2, 3, 4, -5, 6 };
    struct arrivals_writer *writer = NULL;
    struct fault fault = { 0 };
    assert_int_equal(arrivals_writer_open(&writer, path, &header, &fault), STATUS_OK);
    buffer_append_text(out, "version 1.0\nheader run_id=run producer=test 1 boot_id=boot "
                            "source=1 worker=2 workers=3 planned_requests=4 "
                            "t0_monotonic_ns=-5 t0_realtime_ns=6\n");
    write_drawn_requests(writer, out);
    arrivals_writer_loop(writer,
                         &(struct loop_record){ -1, TIME_NONE, 3, 4, 5, 6, 7, 8 });
    arrivals_writer_clock(writer, &(struct clock_record){ 9, INT64_MAX, INT64_MIN });
    buffer_append_text(out, "loop from_ns=-1 to_ns=none busy_ns=3 iterations=4 reads=5 "
                            "events=6 stall_ns=7 log_wait_ns=8\n"
                            "clock at_ns=9 realtime_ns=9223372036854775807 "
                            "step_ns=-9223372036854775808\n");
    struct end_record end = { .at_ns = 10, .interrupted = true };
    assert_int_equal(arrivals_writer_close(writer, &end, &fault), STATUS_OK);
}

/* The end record's line, and the index's, which the library's reader confirms. */
static void expect_end(const char *path, struct buffer *out)
{
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    struct reading read = read_all(path);
    assert_int_equal(read.status, 0);
    assert_int_equal(read.requests, REQUESTS);
    buffer_printf(out, "end at_ns=10 requests=%d events=%" PRIu64 " interrupted=1\n",
                  REQUESTS, read.events);
    assert_int_equal(frame_index_read(&index, path, &fault), 1);
    for (size_t i = 0; i < index.count; i++) {
        const struct frame_entry *entry = &index.entries[i];
        buffer_printf(out,
                      "frame offset=%" PRIu64 " bytes=%" PRIu64 " content=%" PRIu64
                      " requests=%" PRIu64 " events=%" PRIu64 "\n",
                      entry->offset, entry->compressed_bytes, entry->content_bytes,
                      entry->requests, entry->events);
    }
    frame_index_release(&index);
}

/* Where the tests are: they run from the top of the tree, or say it in TESTS. */
static char decoder[500];

static void test_python_reads_the_same(void **state)
{
    (void)state;
    char command[600];
    if (system("(zstd -q --version && python3 --version) >/dev/null 2>&1")) {
        print_message("no zstd command, or no python3\n");
        skip();
    }
    struct buffer expected = BUFFER_INIT;
    write_log("log", &expected);
    expect_end("log", &expected);
    scratch_write("expected", expected.data, expected.len);
    buffer_release(&expected);
    snprintf(command, sizeof command, "python3 '%s' log >got && diff expected got",
             decoder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python_reads_the_same),
    };
    const char *directory = getenv("TESTS");
    char *full = realpath(directory ? directory : "tests", NULL);
    snprintf(decoder, sizeof decoder, "%s/arrivals-decode", full ? full : ".");
    free(full);
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
