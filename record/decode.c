#include "record/decode.h"

#include <arpa/inet.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/bytes.h"

enum ether_type {
    ETHER_IPV4 = 0x0800,
    ETHER_VLAN = 0x8100,
    ETHER_IPV6 = 0x86dd,
    ETHER_QINQ = 0x88a8,
    ETHER_QINQ_OLD = 0x9100,
};

enum ip_protocol {
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_TCP = 6,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_AUTHENTICATION = 51,
    PROTOCOL_DESTINATION = 60,
};

/* The rest of a packet, from the header that is looked at. */
struct view {
    const uint8_t *at;
    uint32_t captured; /* bytes at `at` */
    uint32_t wire;     /* bytes that were on the link, >= captured */
};

static bool view_skip(struct view *view, uint32_t bytes)
{
    if (view->captured < bytes)
        return false;
    view->at += bytes;
    view->captured -= bytes;
    view->wire -= bytes;
    return true;
}

/* Takes `wire` as the length instead of the link's: cuts padding, and notices bytes that
 * are missing. */
static void view_set_wire(struct view *view, uint32_t wire)
{
    view->wire = wire;
    if (view->captured > wire)
        view->captured = wire;
}

static enum decoded decode_tcp(struct view *view, struct segment *segment)
{
    enum { FIXED_HEADER = 20, NEEDED = 14 }; /* up to the flags */
    if (view->captured < NEEDED)
        return view->wire < FIXED_HEADER ? DECODED_MALFORMED : DECODED_CUT;
    const uint8_t *header = view->at;
    uint32_t header_bytes = (uint32_t)(header[12] >> 4) * 4;
    if (header_bytes < FIXED_HEADER || header_bytes > view->wire)
        return DECODED_MALFORMED;
    segment->from.port = load_be16(header);
    segment->to.port = load_be16(header + 2);
    segment->seq = load_be32(header + 4);
    segment->ack = load_be32(header + 8);
    segment->flags = header[13];
    segment->payload_bytes = view->wire - header_bytes;
    segment->captured_bytes = view->captured > header_bytes
                                  ? view->captured - header_bytes
                                  : 0;
    segment->payload = header + (view->captured - segment->captured_bytes);
    return DECODED_TCP;
}

static void set_ipv4_address(struct endpoint *endpoint, const uint8_t *address)
{
    memset(endpoint->address, 0, 10);
    memset(endpoint->address + 10, 0xff, 2);
    memcpy(endpoint->address + 12, address, 4);
}

static enum decoded decode_ipv4(struct view *view, struct segment *segment)
{
    enum { FIXED_HEADER = 20, OFFSET_MASK = 0x1fff };
    if (view->captured < FIXED_HEADER)
        return DECODED_CUT;
    const uint8_t *header = view->at;
    uint32_t header_bytes = (uint32_t)(header[0] & 0x0f) * 4;
    uint32_t total_bytes = load_be16(header + 2);
    if (total_bytes ==
        0) /* segmentation offload: the packet was too long for the field */
        total_bytes = view->wire;
    if (header[0] >> 4 != 4 || header_bytes < FIXED_HEADER || total_bytes < header_bytes)
        return DECODED_MALFORMED;
    if (header[9] != PROTOCOL_TCP)
        return DECODED_OTHER;
    if (load_be16(header + 6) & OFFSET_MASK)
        return DECODED_FRAGMENT;
    set_ipv4_address(&segment->from, header + 12);
    set_ipv4_address(&segment->to, header + 16);
    view_set_wire(view, total_bytes);
    if (!view_skip(view, header_bytes))
        return DECODED_CUT;
    return decode_tcp(view, segment);
}

/* Walks the extension headers; each takes at least 8 bytes, so the walk ends with the
 * packet. */
static enum decoded decode_ipv6_payload(struct view *view, uint8_t protocol,
                                        struct segment *segment)
{
    enum { SMALLEST_EXTENSION = 8, OFFSET_MASK = 0xfff8 };
    while (protocol != PROTOCOL_TCP) {
        if (view->captured < SMALLEST_EXTENSION)
            return view->wire < SMALLEST_EXTENSION ? DECODED_OTHER : DECODED_CUT;
        uint32_t bytes;
        switch (protocol) {
        case PROTOCOL_HOP_BY_HOP:
        case PROTOCOL_ROUTING:
        case PROTOCOL_DESTINATION:
            bytes = ((uint32_t)view->at[1] + 1) * 8;
            break;
        case PROTOCOL_AUTHENTICATION:
            bytes = ((uint32_t)view->at[1] + 2) * 4;
            break;
        case PROTOCOL_FRAGMENT:
            if (load_be16(view->at + 2) & OFFSET_MASK)
                return DECODED_FRAGMENT;
            bytes = SMALLEST_EXTENSION;
            break;
        default:
            return DECODED_OTHER;
        }
        protocol = view->at[0];
        if (bytes > view->wire)
            return DECODED_MALFORMED;
        if (!view_skip(view, bytes))
            return DECODED_CUT;
    }
    return decode_tcp(view, segment);
}

static enum decoded decode_ipv6(struct view *view, struct segment *segment)
{
    enum { HEADER = 40 };
    if (view->captured < HEADER)
        return DECODED_CUT;
    const uint8_t *header = view->at;
    uint32_t payload_bytes = load_be16(header + 4);
    if (header[0] >> 4 != 6)
        return DECODED_MALFORMED;
    memcpy(segment->from.address, header + 8, 16);
    memcpy(segment->to.address, header + 24, 16);
    view_skip(view, HEADER);
    if (payload_bytes != 0) /* 0: segmentation offload or a jumbogram */
        view_set_wire(view, payload_bytes);
    return decode_ipv6_payload(view, header[6], segment);
}

/* IP without a word from the link on which version it is. */
static enum decoded decode_ip(struct view *view, struct segment *segment)
{
    if (view->captured < 1)
        return DECODED_CUT;
    return view->at[0] >> 4 == 6 ? decode_ipv6(view, segment)
                                 : decode_ipv4(view, segment);
}

/* What follows an Ethernet type, VLAN tags included. */
static enum decoded decode_ether_type(struct view *view, uint16_t type,
                                      struct segment *segment)
{
    enum { TAG = 4 };
    while (type == ETHER_VLAN || type == ETHER_QINQ || type == ETHER_QINQ_OLD) {
        if (view->captured < TAG)
            return DECODED_CUT;
        type = load_be16(view->at + 2);
        view_skip(view, TAG);
    }
    if (type == ETHER_IPV4)
        return decode_ipv4(view, segment);
    if (type == ETHER_IPV6)
        return decode_ipv6(view, segment);
    return DECODED_OTHER;
}

/* A link header of fixed size with an Ethernet type at `type_at`. */
static enum decoded decode_typed_link(struct view *view, uint32_t header_bytes,
                                      uint32_t type_at, struct segment *segment)
{
    const uint8_t *header = view->at;
    if (!view_skip(view, header_bytes))
        return DECODED_CUT;
    return decode_ether_type(view, load_be16(header + type_at), segment);
}

/* The 4-byte address family is in the byte order of the capturing host, or big-endian
 * (LOOP); IPv6 has a number of its own on every system, so the version nibble decides. */
static enum decoded decode_null_link(struct view *view, struct segment *segment)
{
    return view_skip(view, 4) ? decode_ip(view, segment) : DECODED_CUT;
}

bool decode_knows_link(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_NULL:
    case DLT_LOOP:
        return true;
    default:
        return false;
    }
}

enum decoded decode_packet(int link_type, const uint8_t *bytes, uint32_t captured,
                           uint32_t wire, struct segment *segment)
{
    struct view view = { bytes, captured, wire > captured ? wire : captured };
    switch (link_type) {
    case DLT_EN10MB:
        return decode_typed_link(&view, 14, 12, segment);
    case DLT_LINUX_SLL:
        return decode_typed_link(&view, 16, 14, segment);
    case DLT_LINUX_SLL2:
        return decode_typed_link(&view, 20, 0, segment);
    case DLT_NULL:
    case DLT_LOOP:
        return decode_null_link(&view, segment);
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
        return decode_ip(&view, segment);
    default:
        return DECODED_OTHER;
    }
}

void endpoint_format(char text[ENDPOINT_TEXT_MAX], const struct endpoint *endpoint)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    char address[INET6_ADDRSTRLEN];
    bool is_ipv4 = memcmp(endpoint->address, mapped, sizeof(mapped)) == 0;
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6,
              endpoint->address + (is_ipv4 ? sizeof(mapped) : 0), address,
              sizeof(address));
    snprintf(text, ENDPOINT_TEXT_MAX, is_ipv4 ? "%s:%u" : "[%s]:%u", address,
             endpoint->port);
}
