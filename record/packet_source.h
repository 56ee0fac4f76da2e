/* Packets from capture files: pcap and pcapng, plain, gzip or zstd, read by libpcap.
 * Several files, cut from one capture, are one stream. */
#ifndef TOKTRACE_PACKET_SOURCE_H
#define TOKTRACE_PACKET_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

struct captured_packet {
    const uint8_t *bytes; /* borrowed until the next call */
    uint32_t captured;
    uint32_t wire;     /* length on the link */
    int64_t time_ns;   /* CLOCK_REALTIME */
    int link_type;     /* a DLT_ of pcap that decode_packet knows */
};

struct packet_source; /* opaque */

/* Takes the files in the order of their first packets (the order given, where those are
 * equal). "-" is standard input and has to be the only one. Every file is opened here, so
 * that a wrong one is reported before any work. What libpcap refuses is STATUS_BAD_INPUT
 * with its reason; a link type that we do not know STATUS_UNSUPPORTED. The paths are
 * borrowed. */
int packet_source_open(struct packet_source **source, char *const *paths,
                       size_t path_count, struct fault *fault);

/* 1: a packet, 0: the end, <0: failure. A file that is damaged or cut off ends there: see
 * packet_source_damage. */
int packet_source_next(struct packet_source *source, struct captured_packet *packet,
                       struct fault *fault);

/* What was wrong with the last file that did not end as it should, or NULL; how many
 * there were, in *count. */
const char *packet_source_damage(const struct packet_source *source, uint64_t *count);

void packet_source_close(struct packet_source *source); /* NULL is allowed */

#endif
