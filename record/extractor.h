/* Packets in, HTTP exchanges out: decoder, flow table and HTTP in one piece, for files
 * and for live capture. */
#ifndef TOKTRACE_EXTRACTOR_H
#define TOKTRACE_EXTRACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "record/decode.h"
#include "record/flows.h"
#include "record/http_flows.h"
#include "record/packet_source.h"

struct packet_counts {
    uint64_t packets;
    uint64_t decoded[DECODED_KINDS];
    uint64_t other_server; /* TCP, but not of the server asked for */
    uint64_t wire_bytes;
};

struct extractor; /* opaque */

struct extractor *extractor_create(const struct flow_limits *limits,
                                   const struct http_settings *http);

/* One packet, in the order of capture; its time_ns is on whatever clock the records shall
 * have. */
void extractor_packet(struct extractor *extractor, const struct captured_packet *packet);

/* Ends what is open: the capture is over. */
void extractor_finish(struct extractor *extractor);

const struct packet_counts *extractor_packets(const struct extractor *extractor);
const struct flow_counts *extractor_flows(const struct extractor *extractor);
const struct http_counts *extractor_http(const struct extractor *extractor);

void extractor_free(struct extractor *extractor); /* NULL is allowed */

#endif
