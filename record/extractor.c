#include "record/extractor.h"

#include <stdlib.h>

#include "formats/base/memory.h"

struct extractor {
    struct server_filter server;
    struct packet_counts counts;
    struct http_flows *http;
    struct flow_table *flows;
};

struct extractor *extractor_create(const struct flow_limits *limits,
                                   const struct http_settings *http)
{
    struct extractor *extractor = memory_new(1, sizeof(*extractor));
    struct http_settings settings = *http;
    if (settings.server)
        extractor->server = *settings.server;
    settings.server = &extractor->server;
    extractor->http = http_flows_create(&settings);
    struct flow_handler handler = http_flows_handler(extractor->http);
    extractor->flows = flow_table_create(limits, &handler);
    return extractor;
}

void extractor_packet(struct extractor *extractor, const struct captured_packet *packet)
{
    struct segment segment;
    struct packet_counts *counts = &extractor->counts;
    enum decoded decoded = decode_packet(packet->link_type, packet->bytes,
                                         packet->captured, packet->wire, &segment);
    counts->packets++;
    counts->wire_bytes += packet->wire;
    counts->decoded[decoded]++;
    if (decoded != DECODED_TCP)
        return;
    if (!server_filter_wants(&extractor->server, &segment)) {
        counts->other_server++;
        return;
    }
    segment.time_ns = packet->time_ns;
    flow_table_segment(extractor->flows, &segment);
}

void extractor_finish(struct extractor *extractor)
{
    flow_table_finish(extractor->flows);
}

const struct packet_counts *extractor_packets(const struct extractor *extractor)
{
    return &extractor->counts;
}

const struct flow_counts *extractor_flows(const struct extractor *extractor)
{
    return flow_table_counts(extractor->flows);
}

const struct http_counts *extractor_http(const struct extractor *extractor)
{
    return http_flows_counts(extractor->http);
}

void extractor_free(struct extractor *extractor)
{
    if (!extractor)
        return;
    flow_table_free(extractor->flows);
    http_flows_free(extractor->http);
    free(extractor);
}
