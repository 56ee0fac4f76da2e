/* One direction of a connection: segments by hand, then shuffled ones against the
 * definition of the delivery time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/base/buffer.h"
#include "record/reassemble.h"
#include "tests/unit/packet_builder.h"

#define MS INT64_C(1000000)

/* What came out, as text: "abc@5 " for bytes delivered at 5 ms, "[3 lost] " for a gap. */
struct fixture {
    struct reassembly stream;
    struct reassembly_budget budget;
    struct reassembly_sink sink;
    struct buffer out;
};

static void record_bytes(void *context, const uint8_t *bytes, size_t len,
                         int64_t delivered_ns)
{
    struct fixture *f = context;
    buffer_append(&f->out, bytes, len);
    buffer_printf(&f->out, "@%d ", (int)(delivered_ns / MS));
}

static void record_gap(void *context, uint64_t len, enum gap_reason reason)
{
    static const char *const names[] = { "lost", "snaplen", "memory" };
    struct fixture *f = context;
    buffer_printf(&f->out, "[%d %s] ", (int)len, names[reason]);
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .budget.limit = 1 << 20 };
    f.sink = (struct reassembly_sink){ record_bytes, record_gap, &f };
    reassembly_init(&f.stream);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    reassembly_release(&f->stream, &f->budget);
    assert_int_equal(f->budget.used, 0);
    buffer_release(&f->out);
    return 0;
}

static void push(struct fixture *f, uint32_t seq, const char *payload, int64_t time_ns)
{
    struct segment segment = segment_of(0, seq, 0, SEGMENT_ACK, payload, time_ns);
    reassembly_segment(&f->stream, &segment, &f->budget, &f->sink);
    reassembly_expire(&f->stream, time_ns, &f->budget, &f->sink);
}

static void assert_out(struct fixture *f, const char *expected)
{
    assert_string_equal(buffer_text(&f->out), expected);
}

static void in_order(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 100);
    push(f, 100, "abc", 1 * MS);
    push(f, 103, "de", 2 * MS);
    assert_out(f, "abc@1 de@2 ");
    assert_int_equal(f->stream.next, 5);
}

static void sequence_numbers_wrap(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, UINT32_MAX - 1);
    push(f, UINT32_MAX - 1, "abc", 1 * MS);
    push(f, 1, "de", 2 * MS);
    assert_out(f, "abc@1 de@2 ");
    f->stream.next = f->stream.highest = (uint64_t)1 << 33; /* 8 GB later */
    assert_int_equal(reassembly_offset(&f->stream, UINT32_MAX), ((int64_t)1 << 33) + 1);
    assert_int_equal(reassembly_offset(&f->stream, UINT32_MAX - 2),
                     ((int64_t)1 << 33) - 1);
}

static void a_hole_delays_what_follows(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    push(f, 4, "ef", 2 * MS);
    push(f, 6, "gh", 3 * MS);
    assert_out(f, "ab@1 ");
    push(f, 2, "cd", 4 * MS);
    assert_out(f, "ab@1 cd@4 ef@4 gh@4 ");
    assert_int_equal(f->stream.counts.reordered, 1);
    assert_int_equal(f->stream.counts.retransmitted, 0);
}

static void filled_after_a_round_trip_is_retransmission(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 2, "cd", 1 * MS);
    push(f, 0, "ab", 201 * MS);
    assert_out(f, "ab@201 cd@201 ");
    assert_int_equal(f->stream.counts.reordered, 0);
    assert_int_equal(f->stream.counts.retransmitted, 1);
}

static void first_copy_wins(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "abcd", 1 * MS);
    push(f, 0, "abcd", 200 * MS);   /* the same again */
    push(f, 2, "XYef", 201 * MS);   /* other bytes over delivered ones */
    push(f, 8, "ij", 202 * MS);
    push(f, 6, "ghQQkl", 203 * MS); /* and over held ones */
    assert_out(f, "abcd@1 ef@201 gh@203 ij@203 kl@203 ");
    assert_int_equal(f->stream.counts.mismatched, 2);
    assert_int_equal(f->stream.counts.retransmitted, 1);
}

static void tap_duplicates_are_no_retransmissions(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    push(f, 0, "ab", 1 * MS + 3000);
    assert_out(f, "ab@1 ");
    assert_int_equal(f->stream.counts.duplicates, 1);
    assert_int_equal(f->stream.counts.retransmitted, 0);
}

static void keep_alive_probes_are_ignored(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    reassembly_acknowledge(&f->stream, 2, 1 * MS);
    push(f, 1, "", 9000 * MS);
    push(f, 1, "\1", 18000 * MS);
    push(f, 2, "cd", 18001 * MS);
    assert_out(f, "ab@1 cd@18001 ");
    assert_int_equal(f->stream.counts.keep_alives, 2);
    assert_int_equal(f->stream.counts.mismatched, 0);
    assert_int_equal(f->stream.counts.retransmitted, 0);
}

static void data_on_syn_is_offset_0(void **state)
{
    struct fixture *f = *state;
    struct segment syn = segment_of(1, 99, 0, SEGMENT_SYN, "GET", 1 * MS);
    reassembly_segment(&f->stream, &syn, &f->budget, &f->sink);
    push(f, 103, " /", 2 * MS);
    assert_out(f, "GET@1  /@2 ");
}

static void acknowledged_holes_are_capture_loss(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    push(f, 5, "fg", 2 * MS);
    reassembly_acknowledge(&f->stream, 7, 3 * MS);
    push(f, 7, "h", 4 * MS);
    assert_out(f, "ab@1 "); /* the tap may have swapped packets: not yet */
    push(f, 8, "i", 13 * MS);
    assert_out(f, "ab@1 [3 lost] fg@2 h@4 i@13 ");
    assert_int_equal(f->stream.counts.lost_gaps, 1);
    assert_int_equal(f->stream.counts.gap_bytes, 3);
}

static void an_acknowledgement_may_overtake_its_data(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    reassembly_acknowledge(&f->stream, 2, 1 * MS);
    push(f, 0, "ab", 2 * MS);
    push(f, 2, "cd", 50 * MS);
    assert_out(f, "ab@2 cd@50 ");
    assert_int_equal(f->stream.counts.lost_gaps, 0);
}

static void the_grace_counts_for_each_hole(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    reassembly_acknowledge(&f->stream, 2, 1 * MS); /* no hole: starts no grace */
    push(f, 4, "ef", 50 * MS);
    reassembly_acknowledge(&f->stream, 6, 50 * MS);
    push(f, 2, "cd", 51 * MS);
    assert_out(f, "ab@1 cd@51 ef@51 ");
}

static void all_holes_go_at_the_end(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 2, "c", 1 * MS);
    push(f, 5, "f", 2 * MS);
    reassembly_acknowledge(&f->stream, 3, 3 * MS);
    reassembly_expire(&f->stream, INT64_MAX, &f->budget, &f->sink);
    assert_out(f, "[2 lost] c@1 ");
    reassembly_flush(&f->stream, &f->budget, &f->sink);
    assert_out(f, "[2 lost] c@1 [2 lost] f@2 ");
}

static void the_snap_length_leaves_gaps_in_place(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    struct segment cut = segment_of(0, 0, 0, SEGMENT_ACK, "abcdef", 1 * MS);
    cut.captured_bytes = 2;
    reassembly_segment(&f->stream, &cut, &f->budget, &f->sink);
    push(f, 6, "gh", 2 * MS);
    push(f, 0, "abcdef", 900 * MS); /* the first copy stays */
    assert_out(f, "ab@1 [4 snaplen] gh@2 ");
    assert_int_equal(f->stream.counts.mismatched, 0);
    assert_int_equal(f->stream.counts.snaplen_gaps, 1);
}

static void memory_is_bounded(void **state)
{
    struct fixture *f = *state;
    f->budget.limit = 200;
    reassembly_start(&f->stream, 0);
    push(f, 1, "b", 1 * MS);
    for (uint32_t i = 0; i < 100; i++) {
        push(f, 3 + 2 * i, "x", 2 * MS);
        assert_true(f->budget.used <= f->budget.limit);
    }
    assert_true(f->stream.counts.memory_gaps > 0);
}

static void what_alone_exceeds_the_memory_does_not_wait(void **state)
{
    struct fixture *f = *state;
    f->budget.limit = 10;
    reassembly_start(&f->stream, 0);
    push(f, 5, "abcde", 1 * MS);
    push(f, 0, "01234", 2 * MS); /* given up already */
    push(f, 10, "fg", 3 * MS);
    assert_out(f, "[5 memory] abcde@1 fg@3 ");
    assert_int_equal(f->stream.counts.memory_gaps, 1);
}

static void a_segment_may_begin_before_the_stream(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 100);
    push(f, 96, "wxyzab", 1 * MS);
    push(f, 102, "cd", 2 * MS);
    assert_out(f, "ab@1 cd@2 ");
}

static void a_cut_segment_may_begin_before_the_stream(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 100);
    struct segment cut = segment_of(0, 97, 0, SEGMENT_ACK, "xyzabcd", 1 * MS);
    cut.captured_bytes = 5;
    reassembly_segment(&f->stream, &cut, &f->budget, &f->sink);
    assert_out(f, "ab@1 [2 snaplen] ");
}

static void a_segment_cut_before_the_stream_has_no_byte_of_it(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 100);
    struct segment cut = segment_of(0, 97, 0, SEGMENT_ACK, "xyzabcd", 1 * MS);
    cut.captured_bytes = 2;
    reassembly_segment(&f->stream, &cut, &f->budget, &f->sink);
    push(f, 104, "e", 2 * MS);
    assert_out(f, "[4 snaplen] e@2 ");
}

static void absurd_jumps_are_ignored(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    push(f, 0, "ab", 1 * MS);
    push(f, 0x60000000, "zz", 2 * MS);
    reassembly_acknowledge(&f->stream, 0x60000000, 2 * MS);
    push(f, 2, "cd", 900 * MS);
    assert_out(f, "ab@1 cd@900 ");
    assert_int_equal(f->stream.counts.implausible, 1);
}

static void the_end_is_known_from_fin(void **state)
{
    struct fixture *f = *state;
    reassembly_start(&f->stream, 0);
    struct segment fin = segment_of(0, 2, 0, SEGMENT_FIN | SEGMENT_ACK, "cd", 2 * MS);
    reassembly_segment(&f->stream, &fin, &f->budget, &f->sink);
    assert_false(reassembly_ended(&f->stream));
    push(f, 0, "ab", 3 * MS);
    assert_out(f, "ab@3 cd@3 ");
    assert_true(reassembly_ended(&f->stream));
    reassembly_acknowledge(&f->stream, 5, 4 * MS); /* the FIN counts for one */
    reassembly_expire(&f->stream, INT64_MAX, &f->budget, &f->sink);
    assert_int_equal(f->stream.counts.lost_gaps, 0);
}

/* Shuffled, cut and repeated segments of one text. */
enum { TEXT_BYTES = 400, SEGMENTS = 300 };

struct byte_times {
    char text[TEXT_BYTES + 1];
    int64_t delivered_ns[TEXT_BYTES]; /* by definition */
    size_t at;
};

static void check_bytes(void *context, const uint8_t *bytes, size_t len,
                        int64_t delivered_ns)
{
    struct byte_times *expected = context;
    assert_memory_equal(bytes, expected->text + expected->at, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(delivered_ns, expected->delivered_ns[expected->at + i]);
    expected->at += len;
}

static void no_gap(void *context, uint64_t len, enum gap_reason reason)
{
    (void)context;
    (void)len;
    fail_msg("gap, reason %d", reason);
}

struct cut {
    uint32_t offset;
    uint32_t len;
    int64_t time_ns;
};

/* Random cuts, then one over everything, so that no byte is missing; times grow by 1
 * ms. */
static void make_cuts(struct cut cuts[SEGMENTS], struct byte_times *expected)
{
    int64_t first_seen[TEXT_BYTES] = { 0 };
    for (int i = 0; i < SEGMENTS; i++) {
        struct cut *cut = &cuts[i];
        cut->offset = i == SEGMENTS - 1 ? 0 : (uint32_t)rand() % TEXT_BYTES;
        uint32_t room = TEXT_BYTES - cut->offset;
        cut->len = i == SEGMENTS - 1 ? TEXT_BYTES : 2 + (uint32_t)rand() % 20;
        if (cut->len > room)
            cut->len = room;
        cut->time_ns = (i + 1) * (int64_t)MS;
        for (uint32_t at = cut->offset; at < cut->offset + cut->len; at++)
            if (!first_seen[at])
                first_seen[at] = cut->time_ns;
    }
    int64_t latest = 0;
    for (int at = 0; at < TEXT_BYTES; at++) {
        latest = first_seen[at] > latest ? first_seen[at] : latest;
        expected->delivered_ns[at] = latest;
    }
}

static void any_order_gives_the_text_and_its_times(void **state)
{
    struct fixture *f = *state;
    srand(5);
    for (int round = 0; round < 200; round++) {
        struct byte_times expected = { .at = 0 };
        struct cut cuts[SEGMENTS];
        for (int i = 0; i < TEXT_BYTES; i++)
            expected.text[i] = (char)('a' + rand() % 26);
        make_cuts(cuts, &expected);
        struct reassembly_sink sink = { check_bytes, no_gap, &expected };
        reassembly_start(&f->stream, 4294967200u);
        for (int i = 0; i < SEGMENTS; i++) {
            struct segment segment = segment_of(0, 4294967200u + cuts[i].offset, 0,
                                                SEGMENT_ACK, "", cuts[i].time_ns);
            segment.payload = (const uint8_t *)expected.text + cuts[i].offset;
            segment.payload_bytes = segment.captured_bytes = cuts[i].len;
            reassembly_segment(&f->stream, &segment, &f->budget, &sink);
        }
        assert_int_equal(expected.at, TEXT_BYTES);
        assert_int_equal(f->stream.counts.mismatched, 0);
        assert_int_equal(f->stream.held.count, 0);
        reassembly_release(&f->stream, &f->budget);
        reassembly_init(&f->stream);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(in_order),
        TEST(sequence_numbers_wrap),
        TEST(a_hole_delays_what_follows),
        TEST(filled_after_a_round_trip_is_retransmission),
        TEST(first_copy_wins),
        TEST(tap_duplicates_are_no_retransmissions),
        TEST(keep_alive_probes_are_ignored),
        TEST(data_on_syn_is_offset_0),
        TEST(acknowledged_holes_are_capture_loss),
        TEST(an_acknowledgement_may_overtake_its_data),
        TEST(the_grace_counts_for_each_hole),
        TEST(all_holes_go_at_the_end),
        TEST(the_snap_length_leaves_gaps_in_place),
        TEST(memory_is_bounded),
        TEST(what_alone_exceeds_the_memory_does_not_wait),
        TEST(a_segment_may_begin_before_the_stream),
        TEST(a_cut_segment_may_begin_before_the_stream),
        TEST(a_segment_cut_before_the_stream_has_no_byte_of_it),
        TEST(absurd_jumps_are_ignored),
        TEST(the_end_is_known_from_fin),
        TEST(any_order_gives_the_text_and_its_times),
    };
    return cmocka_run_group_tests_name("reassemble", tests, NULL, NULL);
}
