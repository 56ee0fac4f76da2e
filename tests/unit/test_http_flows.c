/* Exchanges from segments: an answer streamed in chunks, its event times, and all that
 * goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/base/memory.h"
#include "record/http_flows.h"
#include "tests/unit/packet_builder.h"

#define MS INT64_C(1000000)

enum { KEPT_MAX = 8, EVENTS_MAX = 16 };

enum { SYN = SEGMENT_SYN, ACK = SEGMENT_ACK, FIN = SEGMENT_FIN, RST = SEGMENT_RST };

struct fixture {
    struct http_flows *http;
    struct flow_table *table;
    struct arrival_request records[KEPT_MAX];
    struct arrival_event events[KEPT_MAX][EVENTS_MAX];
    size_t count;
    uint32_t sent[2]; /* payload bytes from the server, from the client */
    uint32_t isn;
};

static void keep_exchange(void *context, const struct exchange *exchange)
{
    struct fixture *f = context;
    assert_true(f->count < KEPT_MAX && exchange->record.event_count <= EVENTS_MAX);
    f->records[f->count] = exchange->record;
    if (exchange->record.event_count)
        memcpy(f->events[f->count], exchange->record.events,
               exchange->record.event_count * sizeof(struct arrival_event));
    f->count++;
}

static void create(struct fixture *f, size_t max_memory)
{
    static const struct server_filter any = { .any_address = false };
    struct http_settings settings = {
        .server = &any,
        .max_memory = max_memory,
        .session_header = "x-session-id",
        .on_exchange = keep_exchange,
        .context = f,
    };
    f->http = http_flows_create(&settings);
    struct flow_handler handler = http_flows_handler(f->http);
    struct flow_limits limits = { .max_flows = 100, .max_buffer = 1 << 20 };
    f->table = flow_table_create(&limits, &handler);
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .count = 0 };
    create(&f, 1 << 24);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    flow_table_free(f->table);
    http_flows_free(f->http);
    return 0;
}

static void push(struct fixture *f, int from_client, unsigned flags, const char *payload,
                 int64_t time_ns)
{
    uint32_t isn = f->isn + (from_client ? 100 : 200);
    uint32_t peer_isn = f->isn + (from_client ? 200 : 100);
    bool syn = flags & SYN;
    uint32_t seq = syn ? isn : isn + 1 + f->sent[from_client];
    uint32_t ack = peer_isn + 1 + f->sent[!from_client];
    struct segment segment = segment_of(from_client, seq, ack, flags, payload, time_ns);
    f->sent[from_client] += segment.payload_bytes;
    flow_table_segment(f->table, &segment);
}

static void client(struct fixture *f, const char *payload, int64_t time_ns)
{
    push(f, 1, ACK, payload, time_ns);
}

static void server(struct fixture *f, const char *payload, int64_t time_ns)
{
    push(f, 0, ACK, payload, time_ns);
}

/* Bytes of the server that the capture does not have. */
static void server_lost(struct fixture *f, const char *payload)
{
    f->sent[0] += (uint32_t)strlen(payload);
}

static void shake_hands(struct fixture *f)
{
    push(f, 1, SYN, "", 1 * MS);
    push(f, 0, SYN | ACK, "", 3 * MS);
    client(f, "", 4 * MS);
}

#define HEAD_STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" \
    "Transfer-Encoding: chunked\r\n\r\n"

/* Events of a completion and its end, each as one chunk. */
#define TOKEN_DATA \
    "data: {\"choices\":[{\"index\":0,\"text\":\"x\",\"finish_reason\":null}]}\n\n"
#define TOKEN "41\r\n" TOKEN_DATA "\r\n"
#define USAGE "48\r\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":5," \
    "\"completion_tokens\":3}}\n\n\r\n"
#define DONE "e\r\ndata: [DONE]\n\n\r\n"
#define END "0\r\n\r\n"

static void chunk_sizes_are_right(void **state)
{
    (void)state;
    assert_int_equal(strlen(TOKEN_DATA), 0x41);
    assert_int_equal(strlen(USAGE), 4 + 0x48 + 2);
    assert_int_equal(strlen(DONE), 3 + 0xe + 2);
}

static void ask(struct fixture *f, int64_t time_ns)
{
    client(
        f,
        "POST /v1/completions HTTP/1.1\r\nX-Session-Id: s7\r\nContent-Length: 4\r\n\r\n",
        time_ns);
    client(f, "{ }\n", time_ns + 1 * MS);
}

static void a_streamed_answer(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server(f, HEAD_STREAM, 20 * MS);
    server(f, TOKEN, 30 * MS);
    server(f, TOKEN TOKEN, 40 * MS);
    server(f, USAGE DONE, 50 * MS);
    server(f, END, 60 * MS);
    assert_int_equal(f->count, 1);
    const struct arrival_request *record = &f->records[0];
    assert_int_equal(record->outcome, OUTCOME_OK);
    assert_int_equal(record->row, 0);
    assert_int_equal(record->connection_request, 1);
    assert_int_equal(record->due_ns, 10 * MS);
    assert_int_equal(record->start_ns, 10 * MS);
    assert_int_equal(record->sent_ns, 11 * MS);
    assert_int_equal(record->headers_ns, 20 * MS);
    assert_int_equal(record->end_ns, 60 * MS);
    assert_int_equal(record->connect_start_ns, 1 * MS);
    assert_int_equal(record->connect_end_ns, 4 * MS);
    assert_int_equal(record->min_rtt_us, 2000);
    assert_int_equal(record->local_port, 40000);
    assert_int_equal(record->remote_port, 8000);
    assert_int_equal(record->bytes_sent, f->sent[1]);
    assert_int_equal(record->bytes_received, f->sent[0]);
    assert_int_equal(record->http_status, 200);
    assert_int_equal(record->usage_completion_tokens, 3);
    assert_int_equal(record->flags, REQUEST_STREAMED | REQUEST_DONE_SEEN);
    assert_string_equal(record->session, "s7");
    static const struct {
        int64_t arrival_ns;
        int kind;
    } expected[] = { { 30 * MS, EVENT_CONTENT },
                     { 40 * MS, EVENT_CONTENT },
                     { 40 * MS, EVENT_CONTENT },
                     { 50 * MS, EVENT_USAGE },
                     { 50 * MS, EVENT_DONE } };
    assert_int_equal(record->event_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(f->events[0][i].arrival_ns, expected[i].arrival_ns);
        assert_int_equal(f->events[0][i].kind, expected[i].kind);
        assert_int_equal(f->events[0][i].app_ns, TIME_NONE);
    }
}

static void an_event_ends_with_its_blank_line(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server(f,
           HEAD_STREAM "41\r\n"
                       "data: {\"choices\":[{\"index\":0,\"text\":\"x\",",
           20 * MS);
    server(f, "\"finish_reason\":null}]}\n", 21 * MS);
    server(f, "\n", 22 * MS);
    server(f, "\r\n", 23 * MS);
    server(f, DONE, 30 * MS);
    server(f, END, 31 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->events[0][0].kind, EVENT_CONTENT);
    assert_int_equal(f->events[0][0].arrival_ns, 22 * MS);
}

static void requests_on_one_connection_are_numbered(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    for (int i = 0; i < 3; i++) {
        ask(f, (10 + 10 * i) * MS);
        server(f, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
               (15 + 10 * i) * MS);
    }
    assert_int_equal(f->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(f->records[i].connection_request, i + 1);
        assert_int_equal(f->records[i].outcome, OUTCOME_HTTP_STATUS);
        assert_int_equal(f->records[i].headers_ns, (15 + 10 * (int64_t)i) * MS);
    }
    assert_int_equal(f->records[2].flags, REQUEST_REUSED_CONNECTION);
    assert_int_equal(f->records[2].connect_start_ns, TIME_NONE);
}

static void pipelined_answers_go_to_their_requests(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    client(f, "HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n", 10 * MS);
    server(f, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", 20 * MS);
    server(f, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 21 * MS);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->records[0].http_status, 200);
    assert_int_equal(f->records[1].http_status, 404);
    assert_int_equal(f->records[1].connection_request, 2);
}

static void interim_answers_are_passed(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    client(f, "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
           10 * MS);
    server(f, "HTTP/1.1 100 Continue\r\n\r\n", 20 * MS);
    client(f, "x", 25 * MS);
    server(f, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 30 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].sent_ns, 25 * MS);
    assert_int_equal(f->records[0].headers_ns, 30 * MS);
    assert_int_equal(f->records[0].http_status, 200);
}

static void a_body_may_run_until_close(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server(f, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" TOKEN_DATA,
           20 * MS);
    server(f, "data: [DONE]\n\n", 30 * MS);
    push(f, 0, ACK | FIN, "", 40 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].outcome, OUTCOME_OK);
    assert_int_equal(f->records[0].end_ns, 40 * MS);
    assert_int_equal(f->records[0].event_count, 2);
}

/* One event is missing; the framing goes on with the chunk behind the hole. */
static void lost_tokens_are_unknown_not_late(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server(f, HEAD_STREAM TOKEN, 20 * MS);
    server_lost(f, TOKEN);
    server(f, TOKEN, 30 * MS);
    client(f, "", 31 * MS); /* acknowledges all of it */
    server(f, USAGE DONE, 50 * MS);
    server(f, END, 60 * MS);
    assert_int_equal(f->count, 1);
    const struct arrival_request *record = &f->records[0];
    assert_int_equal(record->outcome, OUTCOME_OK);
    assert_int_equal(record->flags,
                     REQUEST_STREAMED | REQUEST_DONE_SEEN | REQUEST_WIRE_HOLE);
    assert_int_equal(record->event_count, 5);
    const struct arrival_event *events = f->events[0];
    assert_int_equal(events[0].arrival_ns, 20 * MS);
    assert_int_equal(events[1].arrival_ns, TIME_NONE);
    assert_int_equal(events[1].flags, EVENT_FLAG_UNKNOWN_TIME);
    assert_int_equal(events[1].kind, EVENT_CONTENT);
    assert_int_equal(events[1].tokens, 1); /* usage says 3, two were seen */
    assert_int_equal(events[2].arrival_ns, 30 * MS);
}

static void a_hole_over_a_head_loses_one_exchange(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server_lost(f, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    client(f, "", 12 * MS);
    ask(f, 100 * MS);
    server(f, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 110 * MS);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->records[0].outcome, OUTCOME_TRUNCATED);
    assert_int_equal(f->records[1].http_status, 404);
    assert_int_equal(f->records[1].sent_ns, 101 * MS);
}

static void cut_answers_say_who_cut_them(void **state)
{
    struct fixture *f = *state;
    for (int by_client = 0; by_client < 2; by_client++) {
        f->sent[0] = f->sent[1] = 0;
        f->isn += 1 << 20;
        shake_hands(f);
        ask(f, 10 * MS);
        server(f, HEAD_STREAM TOKEN, 20 * MS);
        push(f, by_client, ACK | RST, "", 30 * MS);
    }
    assert_int_equal(f->count, 2);
    assert_int_equal(f->records[0].outcome, OUTCOME_TRUNCATED);
    assert_int_equal(f->records[1].outcome, OUTCOME_CANCELLED);
    assert_int_equal(f->records[1].event_count, 1);
    assert_int_equal(f->records[1].end_ns, 30 * MS);
}

static void open_at_the_end_of_the_capture(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    flow_table_finish(f->table);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].outcome, OUTCOME_CANCELLED);
    assert_int_equal(f->records[0].headers_ns, TIME_NONE);
    assert_int_equal(http_flows_counts(f->http)->unanswered, 1);
}

static void taken_up_in_the_middle(void **state)
{
    struct fixture *f = *state;
    server(f, TOKEN, 5 * MS); /* of an answer that began before */
    ask(f, 10 * MS);
    server(f, HEAD_STREAM TOKEN DONE END, 20 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].outcome, OUTCOME_OK);
    assert_int_equal(f->records[0].local_port, 40000);
    assert_true(f->records[0].flags & REQUEST_WIRE_NO_SYN);
}

static void an_answer_may_overtake_its_request(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    server(f, HEAD_STREAM TOKEN, 20 * MS);
    ask(f, 21 * MS);
    server(f, DONE END, 30 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].connection_request, 1);
    assert_int_equal(f->records[0].sent_ns, 22 * MS);
}

static void compressed_answers_are_opaque(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    ask(f, 10 * MS);
    server(f,
           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
           "3\r\n\r\n\x1f\x8b\x08",
           20 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].outcome, OUTCOME_OK);
    assert_int_equal(f->records[0].flags, REQUEST_WIRE_OPAQUE);
    assert_int_equal(f->records[0].event_count, 0);
    assert_int_equal(http_flows_counts(f->http)->opaque_coded, 1);
}

static void assert_first_bytes(struct fixture *f, const char *bytes,
                               const uint64_t *counter)
{
    shake_hands(f);
    client(f, bytes, 10 * MS);
    server(f, bytes, 20 * MS);
    flow_table_finish(f->table);
    assert_int_equal(f->count, 0);
    assert_int_equal(*counter, 1);
}

static void tls_is_opaque(void **state)
{
    struct fixture *f = *state;
    assert_first_bytes(f, "\x16\x03\x01\x02", &http_flows_counts(f->http)->opaque_tls);
}

static void tls_is_seen_in_the_middle_too(void **state)
{
    struct fixture *f = *state;
    server(f, "\x17\x03\x03\x01", 10 * MS);
    flow_table_finish(f->table);
    assert_int_equal(f->count, 0);
    assert_int_equal(http_flows_counts(f->http)->opaque_tls, 1);
}

static void http_2_is_opaque(void **state)
{
    struct fixture *f = *state;
    assert_first_bytes(f, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                       &http_flows_counts(f->http)->opaque_http2);
}

static void other_protocols_are_counted(void **state)
{
    struct fixture *f = *state;
    assert_first_bytes(f, "SSH-2.0-x\r\n", &http_flows_counts(f->http)->not_http);
}

static void upgrades_are_opaque(void **state)
{
    struct fixture *f = *state;
    shake_hands(f);
    client(f, "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
           10 * MS);
    server(f, "HTTP/1.1 101 Switching Protocols\r\n\r\n", 20 * MS);
    server(f, "\x81\x01x", 30 * MS);
    client(f, "\x81\x01y", 31 * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->records[0].http_status, 101);
    assert_int_equal(http_flows_counts(f->http)->opaque_upgraded, 1);
}

static void memory_is_bounded(void **state)
{
    struct fixture *f = *state;
    flow_table_free(f->table);
    http_flows_free(f->http);
    create(f, 20000);
    shake_hands(f);
    ask(f, 10 * MS);
    server(f,
           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
           "999999\r\n\r\n",
           20 * MS);
    server(f, "{", 20 * MS);
    for (int i = 0; i < 400; i++)
        server(f, TOKEN_DATA, (21 + i) * MS);
    assert_int_equal(f->count, 1);
    assert_int_equal(http_flows_counts(f->http)->given_up, 1);
    assert_true(f->records[0].flags & REQUEST_WIRE_HOLE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(chunk_sizes_are_right),
        TEST(a_streamed_answer),
        TEST(an_event_ends_with_its_blank_line),
        TEST(requests_on_one_connection_are_numbered),
        TEST(pipelined_answers_go_to_their_requests),
        TEST(interim_answers_are_passed),
        TEST(a_body_may_run_until_close),
        TEST(lost_tokens_are_unknown_not_late),
        TEST(a_hole_over_a_head_loses_one_exchange),
        TEST(cut_answers_say_who_cut_them),
        TEST(open_at_the_end_of_the_capture),
        TEST(taken_up_in_the_middle),
        TEST(an_answer_may_overtake_its_request),
        TEST(compressed_answers_are_opaque),
        TEST(tls_is_opaque),
        TEST(tls_is_seen_in_the_middle_too),
        TEST(http_2_is_opaque),
        TEST(other_protocols_are_counted),
        TEST(upgrades_are_opaque),
        TEST(memory_is_bounded),
    };
    return cmocka_run_group_tests_name("http_flows", tests, NULL, NULL);
}
