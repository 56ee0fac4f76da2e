/* Connections from segments: handshakes, ends, port reuse, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/arrivals.h"
#include "formats/base/buffer.h"
#include "record/flows.h"
#include "tests/unit/packet_builder.h"

#define MS INT64_C(1000000)

enum { SYN = SEGMENT_SYN, ACK = SEGMENT_ACK, FIN = SEGMENT_FIN };

/* What the handler was told: "c:abc " bytes from the client, "s." end of the server's
 * direction,
 * "[2] " a gap, "close 0 " how the flow was closed; "?" where the client is unknown. */
struct fixture {
    struct flow_table *table;
    struct buffer out;
    struct flow last; /* as it was when closed */
};

static char end_name(const struct flow *flow, unsigned direction)
{
    if (flow->client < 0)
        return '?';
    return (int)direction == flow->client ? 'c' : 's';
}

static void record_bytes(void *context, struct flow *flow, unsigned direction,
                         const uint8_t *bytes, size_t len, int64_t delivered_ns)
{
    (void)delivered_ns;
    struct fixture *f = context;
    buffer_printf(&f->out, "%c:%.*s ", end_name(flow, direction), (int)len,
                  (const char *)bytes);
}

static void record_gap(void *context, struct flow *flow, unsigned direction, uint64_t len,
                       enum gap_reason reason)
{
    (void)flow;
    (void)direction;
    (void)reason;
    struct fixture *f = context;
    buffer_printf(&f->out, "[%d] ", (int)len);
}

static void record_end(void *context, struct flow *flow, unsigned direction,
                       int64_t time_ns)
{
    (void)time_ns;
    struct fixture *f = context;
    buffer_printf(&f->out, "%c. ", end_name(flow, direction));
}

static void record_close(void *context, struct flow *flow, enum flow_close how,
                         int64_t time_ns)
{
    (void)time_ns;
    static const char *const names[] = { "finished", "reset", "replaced", "dropped",
                                         "over" };
    struct fixture *f = context;
    f->last = *flow;
    buffer_printf(&f->out, "%s ", names[how]);
}

static void create_table(struct fixture *f, size_t max_flows)
{
    struct flow_limits limits = { .max_flows = max_flows, .max_buffer = 1 << 20 };
    struct flow_handler handler = { record_bytes, record_gap, record_end, record_close,
                                    f };
    f->table = flow_table_create(&limits, &handler);
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .table = NULL };
    create_table(&f, 100);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    flow_table_free(f->table);
    buffer_release(&f->out);
    return 0;
}

static void push(struct fixture *f, int from_client, uint32_t seq, uint32_t ack,
                 unsigned flags, const char *payload, int64_t time_ns)
{
    struct segment segment = segment_of(from_client, seq, ack, flags, payload, time_ns);
    flow_table_segment(f->table, &segment);
}

static void assert_out(struct fixture *f, const char *expected)
{
    assert_string_equal(buffer_text(&f->out), expected);
}

static void shake_hands(struct fixture *f, uint32_t client_isn, uint32_t server_isn,
                        int64_t time_ns)
{
    push(f, 1, client_isn, 0, SYN, "", time_ns);
    push(f, 0, server_isn, client_isn + 1, SYN | ACK, "", time_ns + 5 * MS);
    push(f, 1, client_isn + 1, server_isn + 1, ACK, "", time_ns + 6 * MS);
}

static void a_whole_connection(void **state)
{
    struct fixture *f = *state;
    shake_hands(f, 10, 20, 1 * MS);
    push(f, 1, 11, 21, ACK, "ask", 8 * MS);
    push(f, 0, 21, 14, ACK, "answer", 9 * MS);
    push(f, 0, 27, 14, ACK | FIN, "", 10 * MS);
    push(f, 1, 14, 28, ACK | FIN, "", 11 * MS);
    push(f, 0, 28, 15, ACK, "", 12 * MS);
    assert_out(f, "c:ask s:answer s. c. finished ");
    assert_int_equal(f->last.client, 0);
    assert_int_equal(f->last.closed_by, 1);
    assert_int_equal(f->last.syn_ns, 1 * MS);
    assert_int_equal(f->last.syn_ack_ns, 6 * MS);
    assert_int_equal(f->last.established_ns, 7 * MS);
    assert_int_equal(flow_table_counts(f->table)->stray, 1); /* the last ACK */
    assert_int_equal(flow_table_counts(f->table)->flows, 1);
}

static void no_syn_leaves_the_client_open(void **state)
{
    struct fixture *f = *state;
    push(f, 0, 500, 14, ACK, "tail", 1 * MS);
    push(f, 1, 14, 504, ACK, "ask", 2 * MS);
    flow_table_finish(f->table);
    assert_out(f, "?:tail ?:ask over ");
    assert_false(f->last.syn_seen);
}

static void data_may_overtake_the_syn(void **state)
{
    struct fixture *f = *state;
    push(f, 1, 11, 21, ACK, "ask", 1 * MS);
    push(f, 1, 10, 0, SYN, "", 2 * MS);
    push(f, 0, 20, 11, SYN | ACK, "", 3 * MS);
    flow_table_finish(f->table);
    assert_out(f, "?:ask over ");
    assert_true(f->last.syn_seen);
    assert_int_equal(flow_table_counts(f->table)->flows, 1);
}

static void a_repeated_syn_is_the_same_connection(void **state)
{
    struct fixture *f = *state;
    push(f, 1, 10, 0, SYN, "", 1 * MS);
    push(f, 1, 10, 0, SYN, "", 1001 * MS);
    assert_int_equal(flow_table_counts(f->table)->flows, 1);
    flow_table_finish(f->table);
    assert_int_equal(f->last.syn_ns, 1 * MS);
}

static void ports_come_again(void **state)
{
    struct fixture *f = *state;
    shake_hands(f, 10, 20, 1 * MS);
    push(f, 1, 11, 21, ACK, "one", 9 * MS);
    shake_hands(f, 900000, 800000, 60000 * MS);
    push(f, 1, 900001, 800001, ACK, "two", 60009 * MS);
    flow_table_finish(f->table);
    assert_out(f, "c:one replaced c:two over ");
    assert_int_equal(f->last.generation, 1);
    assert_int_equal(flow_table_counts(f->table)->reused, 1);
}

static void ports_come_again_after_a_close(void **state)
{
    struct fixture *f = *state;
    shake_hands(f, 10, 20, 1 * MS);
    push(f, 1, 11, 21, ACK | SEGMENT_RST, "", 9 * MS);
    push(f, 0, 21, 11, ACK, "too late", 10 * MS);
    assert_out(f, "reset ");
    assert_int_equal(f->last.closed_by, 0);
    push(f, 1, 50 << 20, 0, ACK, "its SYN was lost", 99 * MS);
    assert_out(f, "reset ?:its SYN was lost ");
    assert_int_equal(flow_table_counts(f->table)->flows, 2);
}

static void refused_connections_are_counted(void **state)
{
    struct fixture *f = *state;
    push(f, 1, 10, 0, SYN, "", 1 * MS);
    push(f, 0, 0, 11, SEGMENT_RST | ACK, "", 2 * MS);
    assert_out(f, "reset ");
    assert_int_equal(flow_table_counts(f->table)->refused, 1);
    assert_int_equal(flow_table_counts(f->table)->reset, 0);
}

static void resets_from_far_away_are_ignored(void **state)
{
    struct fixture *f = *state;
    shake_hands(f, 10, 20, 1 * MS);
    push(f, 0, 1 << 30, 11, SEGMENT_RST, "", 8 * MS);
    push(f, 1, 11, 21, ACK, "ask", 9 * MS);
    assert_out(f, "c:ask ");
}

static void loss_shows_once_the_peer_acknowledged(void **state)
{
    struct fixture *f = *state;
    shake_hands(f, 10, 20, 1 * MS);
    push(f, 0, 21, 11, ACK, "ab", 10 * MS);
    push(f, 0, 25, 11, ACK, "ef", 11 * MS);
    push(f, 1, 11, 27, ACK, "", 12 * MS);
    push(f, 1, 11, 27, ACK, "x", 30 * MS);
    assert_out(f, "s:ab [2] s:ef c:x ");
}

static void one_direction_alone_is_enough(void **state)
{
    struct fixture *f = *state;
    push(f, 0, 21, 11, ACK, "ab", 10 * MS);
    push(f, 0, 25, 11, ACK, "ef", 11 * MS);
    flow_table_finish(f->table);
    assert_out(f, "?:ab [2] ?:ef over ");
}

static void the_oldest_flow_is_dropped(void **state)
{
    struct fixture *f = *state;
    flow_table_free(f->table);
    create_table(f, 2);
    for (uint16_t port = 1; port <= 3; port++) {
        struct segment syn = segment_of(1, 10, 0, SYN, "", port * (int64_t)MS);
        syn.from.port = port;
        flow_table_segment(f->table, &syn);
    }
    assert_out(f, "dropped ");
    assert_int_equal(f->last.ends[0].port, 1);
    assert_int_equal(flow_table_counts(f->table)->dropped, 1);
}

static void a_million_flows_need_no_more_memory(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 1000000; i++) {
        struct segment syn = segment_of(1, 10, 0, SYN, "", i * (int64_t)1000);
        memcpy(syn.from.address + 12, &i, sizeof(i));
        flow_table_segment(f->table, &syn);
        buffer_clear(&f->out);
    }
    assert_int_equal(flow_table_counts(f->table)->flows, 1000000);
    assert_int_equal(flow_table_counts(f->table)->dropped, 1000000 - 100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_whole_connection),
        TEST(no_syn_leaves_the_client_open),
        TEST(data_may_overtake_the_syn),
        TEST(a_repeated_syn_is_the_same_connection),
        TEST(ports_come_again),
        TEST(ports_come_again_after_a_close),
        TEST(refused_connections_are_counted),
        TEST(resets_from_far_away_are_ignored),
        TEST(loss_shows_once_the_peer_acknowledged),
        TEST(one_direction_alone_is_enough),
        TEST(the_oldest_flow_is_dropped),
        TEST(a_million_flows_need_no_more_memory),
    };
    return cmocka_run_group_tests_name("flows", tests, NULL, NULL);
}
