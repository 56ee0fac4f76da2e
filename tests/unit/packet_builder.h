/* Packets built by hand, header after header, for tests of what reads packets. */
#ifndef TOKTRACE_PACKET_BUILDER_H
#define TOKTRACE_PACKET_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "record/decode.h"

struct packet {
    uint8_t bytes[4096];
    uint32_t len;
};

static inline void packet_add(struct packet *packet, const void *bytes, size_t len)
{
    memcpy(packet->bytes + packet->len, bytes, len);
    packet->len += (uint32_t)len;
}

static inline void packet_add_be16(struct packet *packet, unsigned value)
{
    packet_add(packet, (uint8_t[]){ (uint8_t)(value >> 8), (uint8_t)value }, 2);
}

static inline void packet_add_be32(struct packet *packet, uint32_t value)
{
    packet_add_be16(packet, value >> 16);
    packet_add_be16(packet, value & 0xffff);
}

static inline void packet_add_zeros(struct packet *packet, size_t count)
{
    memset(packet->bytes + packet->len, 0, count);
    packet->len += (uint32_t)count;
}

static inline void packet_add_ethernet(struct packet *packet, unsigned type)
{
    packet_add_zeros(packet, 12);
    packet_add_be16(packet, type);
}

/* Total length and what follows: `payload` bytes behind a header with `options` bytes
 * more. */
static inline void packet_add_ipv4(struct packet *packet, unsigned protocol,
                                   unsigned total, unsigned options, unsigned fragment)
{
    unsigned header_words = 5 + options / 4;
    packet_add_be16(packet, 0x4000 | header_words << 8);
    packet_add_be16(packet, total);
    packet_add_be16(packet, 7); /* identification */
    packet_add_be16(packet, fragment);
    packet_add_be16(packet, 64 << 8 | protocol);
    packet_add_be16(packet, 0xdead); /* checksum: wrong on purpose */
    packet_add(packet, (uint8_t[]){ 192, 0, 2, 1 }, 4);
    packet_add(packet, (uint8_t[]){ 198, 51, 100, 2 }, 4);
    packet_add_zeros(packet, options);
}

static inline void packet_add_ipv6(struct packet *packet, unsigned next_header,
                                   unsigned payload)
{
    packet_add_be32(packet, 0x60000000);
    packet_add_be16(packet, payload);
    packet_add_be16(packet, next_header << 8 | 64);
    packet_add(packet, (uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, 16);
    packet_add(packet, (uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb8, [15] = 2 }, 16);
}

/* Ports 40000 to 8000. */
static inline void packet_add_tcp(struct packet *packet, uint32_t seq, uint32_t ack,
                                  unsigned flags, unsigned options, const char *payload)
{
    packet_add_be16(packet, 40000);
    packet_add_be16(packet, 8000);
    packet_add_be32(packet, seq);
    packet_add_be32(packet, ack);
    packet_add_be16(packet, (5 + options / 4) << 12 | flags);
    packet_add_be16(packet, 0xffff);
    packet_add_be32(packet, 0xbeef0000); /* checksum: wrong on purpose */
    packet_add_zeros(packet, options);
    packet_add(packet, payload, strlen(payload));
}

/* A segment as the decoder would give it; from_client chooses the direction. The payload
 * is borrowed. */
static inline struct segment segment_of(int from_client, uint32_t seq, uint32_t ack,
                                        unsigned flags, const char *payload,
                                        int64_t time_ns)
{
    struct endpoint client = { { [10] = 0xff, 0xff, 127, 0, 0, 1 }, 40000 };
    struct endpoint server = { { [10] = 0xff, 0xff, 127, 0, 0, 1 }, 8000 };
    uint32_t len = (uint32_t)strlen(payload);
    return (struct segment){
        .from = from_client ? client : server,
        .to = from_client ? server : client,
        .time_ns = time_ns,
        .seq = seq,
        .ack = ack,
        .payload = (const uint8_t *)payload,
        .payload_bytes = len,
        .captured_bytes = len,
        .flags = (uint8_t)flags,
    };
}

#endif
