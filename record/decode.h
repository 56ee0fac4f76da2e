/* One captured packet to one TCP segment: link, IP and TCP headers. A pure function on
 * bytes that trusts no length in them. Checksums are never looked at: with offloads,
 * packets are captured before the hardware fills them in. */
#ifndef TOKTRACE_DECODE_H
#define TOKTRACE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

struct endpoint {
    uint8_t address[16]; /* IPv6, or IPv4 as ::ffff:a.b.c.d */
    uint16_t port;
};

/* Bits of the TCP header. */
enum segment_flags {
    SEGMENT_FIN = 1 << 0,
    SEGMENT_SYN = 1 << 1,
    SEGMENT_RST = 1 << 2,
    SEGMENT_ACK = 1 << 4,
};

struct segment {
    struct endpoint from;
    struct endpoint to;
    int64_t time_ns; /* CLOCK_REALTIME; not touched by decode_packet */
    uint32_t seq;
    uint32_t ack;
    const uint8_t *payload;  /* borrowed from the packet */
    uint32_t payload_bytes;  /* as sent */
    /* so many of them at `payload`: fewer where the snap length cut */
    uint32_t captured_bytes;
    uint8_t flags;           /* enum segment_flags */
};

enum decoded {
    DECODED_TCP,
    DECODED_OTHER,     /* no TCP: ARP, UDP, tunnels, ... */
    DECODED_FRAGMENT,  /* second or later IP fragment: its bytes count as lost */
    DECODED_CUT,       /* headers cut by the snap length */
    DECODED_MALFORMED, /* lengths that contradict each other */
    DECODED_KINDS,
};

/* True for the link types that decode_packet takes: pcap's DLT_EN10MB, DLT_LINUX_SLL,
 * DLT_LINUX_SLL2, DLT_RAW, DLT_IPV4, DLT_IPV6, DLT_NULL and DLT_LOOP. */
bool decode_knows_link(int link_type);

/* Decodes bytes[0..captured) of a packet that had `wire` bytes on the link. The first of
 * several IP fragments counts as a segment with the payload that it has. Fills *segment
 * for DECODED_TCP only. */
enum decoded decode_packet(int link_type, const uint8_t *bytes, uint32_t captured,
                           uint32_t wire, struct segment *segment);

/* "192.0.2.1:80" or "[2001:db8::1]:80". */
enum { ENDPOINT_TEXT_MAX = 64 };
void endpoint_format(char text[ENDPOINT_TEXT_MAX], const struct endpoint *endpoint);

#endif
