#include "record/extract_report.h"

#include <stddef.h>
#include <stdio.h>

#include "formats/arrivals.h"
#include "formats/base/clock.h"
#include "formats/base/json.h"
#include "formats/base/units.h"

/* A counter, by its place in one of the structs. */
struct line {
    const char *label; /* for people */
    const char *key;   /* of JSON */
    size_t offset;
};

static const struct line packet_lines[] = {
    { "packets", "packets", offsetof(struct packet_counts, packets) },
    { "of TCP", "tcp", offsetof(struct packet_counts, decoded[DECODED_TCP]) },
    { "of other protocols", "other",
      offsetof(struct packet_counts, decoded[DECODED_OTHER]) },
    { "later IP fragments", "fragments",
      offsetof(struct packet_counts, decoded[DECODED_FRAGMENT]) },
    { "headers cut by the snap length", "cut",
      offsetof(struct packet_counts, decoded[DECODED_CUT]) },
    { "malformed", "malformed",
      offsetof(struct packet_counts, decoded[DECODED_MALFORMED]) },
    { "of another server", "other_server", offsetof(struct packet_counts, other_server) },
    { NULL, "wire_bytes", offsetof(struct packet_counts, wire_bytes) },
    { 0 },
};

static const struct line flow_lines[] = {
    { "connections", "connections", offsetof(struct flow_counts, flows) },
    { "refused", "refused", offsetof(struct flow_counts, refused) },
    { "reset", "reset", offsetof(struct flow_counts, reset) },
    { "on ports used before", "reused", offsetof(struct flow_counts, reused) },
    { "dropped, over --max-flows", "dropped", offsetof(struct flow_counts, dropped) },
    { NULL, "stray_segments", offsetof(struct flow_counts, stray) },
    { 0 },
};

static const struct line stream_lines[] = {
    { "retransmissions", "retransmitted",
      offsetof(struct reassembly_counts, retransmitted) },
    { "reordered segments", "reordered", offsetof(struct reassembly_counts, reordered) },
    { "copies made by the tap", "duplicates",
      offsetof(struct reassembly_counts, duplicates) },
    { "overlaps with other bytes", "mismatched",
      offsetof(struct reassembly_counts, mismatched) },
    { "keep-alive probes", "keep_alives",
      offsetof(struct reassembly_counts, keep_alives) },
    { "implausible segments", "implausible",
      offsetof(struct reassembly_counts, implausible) },
    { "holes, lost by the capture", "lost_gaps",
      offsetof(struct reassembly_counts, lost_gaps) },
    { "holes, cut by the snap length", "snaplen_gaps",
      offsetof(struct reassembly_counts, snaplen_gaps) },
    { "holes, over --max-buffer", "memory_gaps",
      offsetof(struct reassembly_counts, memory_gaps) },
    { "bytes in holes", "gap_bytes", offsetof(struct reassembly_counts, gap_bytes) },
    { 0 },
};

static const struct line http_lines[] = {
    { "exchanges", "exchanges", offsetof(struct http_counts, exchanges) },
    { "streamed", "streamed", offsetof(struct http_counts, streamed) },
    { "token events", "token_events", offsetof(struct http_counts, token_events) },
    { "events of unknown time", "unknown_events",
      offsetof(struct http_counts, unknown_events) },
    { "without an answer", "unanswered", offsetof(struct http_counts, unanswered) },
    { "without their request", "no_request", offsetof(struct http_counts, no_request) },
    { "of connections older than the capture", "no_syn",
      offsetof(struct http_counts, no_syn) },
    { "with retransmissions", "retransmission",
      offsetof(struct http_counts, retransmission) },
    { "with reordering", "reordered", offsetof(struct http_counts, reordered) },
    { "with holes", "hole", offsetof(struct http_counts, hole) },
    { "cut by the snap length", "snaplen", offsetof(struct http_counts, snaplen) },
    { "with overlaps of other bytes", "overlap", offsetof(struct http_counts, overlap) },
    { "opaque: compressed answers", "opaque_coded",
      offsetof(struct http_counts, opaque_coded) },
    { "opaque: TLS connections", "opaque_tls", offsetof(struct http_counts, opaque_tls) },
    { "opaque: HTTP/2 connections", "opaque_http2",
      offsetof(struct http_counts, opaque_http2) },
    { "opaque: upgraded connections", "opaque_upgraded",
      offsetof(struct http_counts, opaque_upgraded) },
    { "connections of other protocols", "not_http",
      offsetof(struct http_counts, not_http) },
    { "streams lost from sight", "lost_streams",
      offsetof(struct http_counts, lost_streams) },
    { "connections given up, over --max-buffer", "given_up",
      offsetof(struct http_counts, given_up) },
    { 0 },
};

static const struct line trace_lines[] = {
    { "trace rows", "rows", offsetof(struct trace_counts, rows) },
    { "with estimated input tokens", "estimated",
      offsetof(struct trace_counts, estimated) },
    { "exchanges left out", "left_out", offsetof(struct trace_counts, left_out) },
    { 0 },
};

static uint64_t counter(const struct line *line, const void *counts)
{
    return *(const uint64_t *)(const void *)((const char *)counts + line->offset);
}

static void print_value(const char *label, uint64_t value, FILE *out)
{
    char text[UNITS_TEXT_MAX];
    fprintf(out, "%15s  %s\n", units_format_count(text, (int64_t)value), label);
}

/* Those that are not zero. */
static void print_lines(const struct line *lines, const void *counts, FILE *out)
{
    for (const struct line *line = lines; line->key; line++)
        if (line->label && counter(line, counts))
            print_value(line->label, counter(line, counts), out);
}

static void print_outcomes(const struct http_counts *counts, FILE *out)
{
    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
        if (counts->outcomes[outcome])
            print_value(outcome_name(outcome), counts->outcomes[outcome], out);
}

static void print_text(const struct extract_report *report, FILE *out)
{
    const struct flow_counts *flows = extractor_flows(report->extractor);
    const struct http_counts *http = extractor_http(report->extractor);
    const struct packet_counts *packets = extractor_packets(report->extractor);
    if (packets->packets == 0)
        print_value("packets", 0, out);
    print_lines(packet_lines, packets, out);
    if (report->first_ns != TIME_NONE) {
        char from[CLOCK_TEXT_MAX], span[UNITS_TEXT_MAX];
        clock_format_utc(from, report->first_ns);
        units_format_duration(span,
                              (double)(report->last_ns - report->first_ns) / NS_PER_S);
        fprintf(out, "%15s  from %s\n", span, from);
    }
    if (report->dropped > 0)
        print_value("packets dropped while capturing", (uint64_t)report->dropped, out);
    print_lines(flow_lines, flows, out);
    print_lines(stream_lines, &flows->streams, out);
    if (http->exchanges == 0)
        print_value("exchanges", 0, out);
    print_lines(http_lines, http, out);
    print_outcomes(http, out);
    if (report->trace)
        print_lines(trace_lines, report->trace, out);
}

static json_t *lines_json(const struct line *lines, const void *counts)
{
    json_t *object = json_object();
    for (const struct line *line = lines; line->key; line++)
        json_object_set_new(object, line->key,
                            json_integer((json_int_t)counter(line, counts)));
    return object;
}

static json_t *outcomes_json(const struct http_counts *counts)
{
    json_t *object = json_object();
    for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
        json_object_set_new(object, outcome_name(outcome),
                            json_integer((json_int_t)counts->outcomes[outcome]));
    return object;
}

static json_t *time_or_null(int64_t ns)
{
    return ns == TIME_NONE ? json_null() : json_integer(ns);
}

static json_t *document(const struct extract_report *report)
{
    const struct flow_counts *flows = extractor_flows(report->extractor);
    const struct http_counts *http = extractor_http(report->extractor);
    json_t *object = json_pack(
        "{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", "tokrecord.extract/1",
        "first_packet_realtime_ns", time_or_null(report->first_ns),
        "last_packet_realtime_ns", time_or_null(report->last_ns), "dropped_by_capture",
        report->dropped < 0 ? json_null() : json_integer(report->dropped), "packets",
        lines_json(packet_lines, extractor_packets(report->extractor)), "flows",
        lines_json(flow_lines, flows), "streams",
        lines_json(stream_lines, &flows->streams), "http", lines_json(http_lines, http),
        "outcomes", outcomes_json(http));
    json_object_set_new(object, "damage", report->damage ? json_string(report->damage)
                                                           : json_null());
    json_object_set_new(object, "damaged_files",
                        json_integer((json_int_t)report->damaged_files));
    json_object_set_new(object, "trace",
                        report->trace ? lines_json(trace_lines, report->trace)
                                      : json_null());
    return object;
}

int extract_report_print(const struct extract_report *report,
                         const struct common_options *common, struct fault *fault)
{
    if (common->json) {
        json_t *whole = document(report);
        int status = json_write_stream(whole, stdout, fault);
        json_decref(whole);
        return status;
    }
    if (!common->quiet)
        print_text(report, stdout);
    return STATUS_OK;
}
