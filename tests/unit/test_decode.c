/* Link, IP and TCP headers: one packet of each kind, then the same packets cut at every
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pcap/dlt.h>

#include "formats/base/memory.h"
#include "tests/unit/packet_builder.h"

#define DATA "data: 1\n\n"

enum { DATA_BYTES = sizeof(DATA) - 1, TCP_BYTES = 20, IPV4_BYTES = 20 };

static void add_tcp(struct packet *packet)
{
    packet_add_tcp(packet, 1000, 2000, SEGMENT_ACK, 0, DATA);
}

static void add_ipv4_tcp(struct packet *packet)
{
    packet_add_ipv4(packet, 6, IPV4_BYTES + TCP_BYTES + DATA_BYTES, 0, 0);
    add_tcp(packet);
}

static void add_ipv6_tcp(struct packet *packet)
{
    packet_add_ipv6(packet, 6, TCP_BYTES + DATA_BYTES);
    add_tcp(packet);
}

static enum decoded decode(int link_type, const struct packet *packet,
                           struct segment *segment)
{
    return decode_packet(link_type, packet->bytes, packet->len, packet->len, segment);
}

static void assert_data_segment(int link_type, const struct packet *packet)
{
    struct segment segment;
    assert_int_equal(decode(link_type, packet, &segment), DECODED_TCP);
    assert_int_equal(segment.from.port, 40000);
    assert_int_equal(segment.to.port, 8000);
    assert_int_equal(segment.seq, 1000);
    assert_int_equal(segment.ack, 2000);
    assert_int_equal(segment.flags, SEGMENT_ACK);
    assert_int_equal(segment.payload_bytes, DATA_BYTES);
    assert_int_equal(segment.captured_bytes, DATA_BYTES);
    assert_memory_equal(segment.payload, DATA, DATA_BYTES);
}

static void ethernet_with_ipv4_and_ipv6(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ethernet(&packet, 0x0800);
    add_ipv4_tcp(&packet);
    assert_data_segment(DLT_EN10MB, &packet);

    packet.len = 0;
    packet_add_ethernet(&packet, 0x86dd);
    add_ipv6_tcp(&packet);
    assert_data_segment(DLT_EN10MB, &packet);
}

static void vlan_tags_are_passed(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ethernet(&packet, 0x88a8);
    packet_add_be16(&packet, 5);
    packet_add_be16(&packet, 0x8100);
    packet_add_be16(&packet, 6);
    packet_add_be16(&packet, 0x0800);
    add_ipv4_tcp(&packet);
    assert_data_segment(DLT_EN10MB, &packet);
}

static void ethernet_padding_is_no_payload(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    struct segment segment;
    packet_add_ethernet(&packet, 0x0800);
    packet_add_ipv4(&packet, 6, IPV4_BYTES + TCP_BYTES, 0, 0);
    packet_add_tcp(&packet, 1, 2, SEGMENT_ACK, 0, "");
    packet_add_zeros(&packet, 6);
    assert_int_equal(decode(DLT_EN10MB, &packet, &segment), DECODED_TCP);
    assert_int_equal(segment.payload_bytes, 0);
    assert_int_equal(segment.captured_bytes, 0);
}

static void linux_cooked_links(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_zeros(&packet, 14);
    packet_add_be16(&packet, 0x0800);
    add_ipv4_tcp(&packet);
    assert_data_segment(DLT_LINUX_SLL, &packet);

    packet.len = 0;
    packet_add_be16(&packet, 0x86dd);
    packet_add_zeros(&packet, 18);
    add_ipv6_tcp(&packet);
    assert_data_segment(DLT_LINUX_SLL2, &packet);
}

static void links_without_a_type(void **state)
{
    (void)state;
    static const int raw_links[] = { DLT_RAW, DLT_IPV4 };
    struct packet packet = { .len = 0 };
    add_ipv4_tcp(&packet);
    for (size_t i = 0; i < 2; i++)
        assert_data_segment(raw_links[i], &packet);
    packet.len = 0;
    add_ipv6_tcp(&packet);
    assert_data_segment(DLT_RAW, &packet);
    assert_data_segment(DLT_IPV6, &packet);

    packet.len = 0;
    packet_add_be32(&packet, 0x02000000);
    add_ipv4_tcp(&packet);
    assert_data_segment(DLT_NULL, &packet);
    packet.len = 0;
    packet_add_be32(&packet, 24);
    add_ipv6_tcp(&packet);
    assert_data_segment(DLT_LOOP, &packet);
}

static void options_are_passed(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ipv4(&packet, 6, IPV4_BYTES + 8 + TCP_BYTES + 12 + DATA_BYTES, 8, 0);
    packet_add_tcp(&packet, 1000, 2000, SEGMENT_ACK, 12, DATA);
    assert_data_segment(DLT_RAW, &packet);
}

static void ipv6_extension_headers(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ipv6(&packet, 0, 8 + 16 + 8 + 12 + TCP_BYTES + DATA_BYTES);
    packet_add_be16(&packet, 60 << 8 | 0); /* hop by hop, 8 bytes */
    packet_add_zeros(&packet, 6);
    packet_add_be16(&packet, 44 << 8 | 1); /* destination options, 16 bytes */
    packet_add_zeros(&packet, 14);
    /* fragment header: the first, and more to come */
    packet_add_be16(&packet, 51 << 8 | 0);
    packet_add_be16(&packet, 1);
    packet_add_zeros(&packet, 4);
    packet_add_be16(&packet, 6 << 8 | 1); /* authentication, 12 bytes */
    packet_add_zeros(&packet, 10);
    add_tcp(&packet);
    assert_data_segment(DLT_IPV6, &packet);
}

static void offloaded_packets_have_no_length(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ipv4(&packet, 6, 0, 0, 0);
    add_tcp(&packet);
    assert_data_segment(DLT_RAW, &packet);
    packet.len = 0;
    packet_add_ipv6(&packet, 6, 0);
    add_tcp(&packet);
    assert_data_segment(DLT_RAW, &packet);
}

static void later_fragments_are_told_apart(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    struct segment segment;
    packet_add_ipv4(&packet, 6, IPV4_BYTES + 24, 0, 0x2000 | 3);
    packet_add_zeros(&packet, 24);
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_FRAGMENT);

    packet.len = 0;
    packet_add_ipv4(&packet, 6, IPV4_BYTES + TCP_BYTES + DATA_BYTES, 0, 0x2000);
    add_tcp(&packet);
    assert_data_segment(DLT_RAW, &packet);

    packet.len = 0;
    packet_add_ipv6(&packet, 44, 24);
    packet_add_be16(&packet, 6 << 8);
    packet_add_be16(&packet, 8);
    packet_add_zeros(&packet, 20);
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_FRAGMENT);
}

static void snap_length_leaves_the_true_size(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    struct segment segment;
    add_ipv4_tcp(&packet);
    assert_int_equal(
        decode_packet(DLT_RAW, packet.bytes, packet.len - 4, packet.len, &segment),
        DECODED_TCP);
    assert_int_equal(segment.payload_bytes, DATA_BYTES);
    assert_int_equal(segment.captured_bytes, DATA_BYTES - 4);
}

static void other_traffic(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    struct segment segment;
    packet_add_ethernet(&packet, 0x0806);
    packet_add_zeros(&packet, 28);
    assert_int_equal(decode(DLT_EN10MB, &packet, &segment), DECODED_OTHER);
    packet.len = 0;
    packet_add_ipv4(&packet, 17, IPV4_BYTES + 8, 0, 0);
    packet_add_zeros(&packet, 8);
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_OTHER);
    assert_false(decode_knows_link(160));
    assert_int_equal(decode(160, &packet, &segment), DECODED_OTHER);
}

static void contradicting_lengths(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    struct segment segment;
    packet_add_ipv4(&packet, 6, 19, 0, 0); /* shorter than its own header */
    add_tcp(&packet);
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_MALFORMED);
    packet.len = 0;
    packet_add_ipv4(&packet, 6, IPV4_BYTES + TCP_BYTES, 0, 0);
    packet_add_tcp(&packet, 1, 2, SEGMENT_ACK, 40, ""); /* options beyond the packet */
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_MALFORMED);
    packet.len = 0;
    packet_add_ipv4(&packet, 6, IPV4_BYTES + TCP_BYTES, 0, 0);
    packet.bytes[0] = 0x44; /* a header of 16 bytes */
    add_tcp(&packet);
    assert_int_equal(decode(DLT_RAW, &packet, &segment), DECODED_MALFORMED);
}

/* Every cut of a tagged IPv6 packet with extensions: from memory of exactly that size, so
 * that a sanitizer sees any read beyond it. */
static void no_cut_reads_beyond_the_bytes(void **state)
{
    (void)state;
    struct packet packet = { .len = 0 };
    packet_add_ethernet(&packet, 0x8100);
    packet_add_be16(&packet, 1);
    packet_add_be16(&packet, 0x86dd);
    packet_add_ipv6(&packet, 0, 8 + TCP_BYTES + 12 + DATA_BYTES);
    packet_add_be16(&packet, 6 << 8);
    packet_add_zeros(&packet, 6);
    uint32_t tcp_at = packet.len;
    packet_add_tcp(&packet, 1000, 2000, SEGMENT_ACK, 12, DATA);
    for (uint32_t cut = 0; cut < packet.len; cut++) {
        uint8_t *bytes = memory_new(1, cut ? cut : 1);
        memcpy(bytes, packet.bytes, cut);
        struct segment segment = { .captured_bytes = 0 };
        enum decoded got = decode_packet(DLT_EN10MB, bytes, cut, packet.len, &segment);
        bool ports_seq_ack_flags = cut >= tcp_at + 14;
        assert_int_equal(got, ports_seq_ack_flags ? DECODED_TCP : DECODED_CUT);
        uint32_t header_end = tcp_at + TCP_BYTES + 12;
        assert_int_equal(segment.captured_bytes, cut > header_end ? cut - header_end : 0);
        free(bytes);
    }
}

static void endpoints_as_text(void **state)
{
    (void)state;
    char text[ENDPOINT_TEXT_MAX];
    endpoint_format(text, &(struct endpoint){ { [10] = 0xff, 0xff, 192, 0, 2, 1 }, 80 });
    assert_string_equal(text, "192.0.2.1:80");
    endpoint_format(text,
                    &(struct endpoint){ { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, 443 });
    assert_string_equal(text, "[2001:db8::1]:443");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ethernet_with_ipv4_and_ipv6),
        cmocka_unit_test(vlan_tags_are_passed),
        cmocka_unit_test(ethernet_padding_is_no_payload),
        cmocka_unit_test(linux_cooked_links),
        cmocka_unit_test(links_without_a_type),
        cmocka_unit_test(options_are_passed),
        cmocka_unit_test(ipv6_extension_headers),
        cmocka_unit_test(offloaded_packets_have_no_length),
        cmocka_unit_test(later_fragments_are_told_apart),
        cmocka_unit_test(snap_length_leaves_the_true_size),
        cmocka_unit_test(other_traffic),
        cmocka_unit_test(contradicting_lengths),
        cmocka_unit_test(no_cut_reads_beyond_the_bytes),
        cmocka_unit_test(endpoints_as_text),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
