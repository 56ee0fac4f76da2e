/* Reassembly on any segments of one direction: what comes out is checked against a plain
 * model. Each segment takes 4 bytes: place in the stream, length and flags, ms since the
 * segment before, an acknowledgement. The bytes of the stream are a fixed text, so that
 * overlaps agree. */
#include <stdint.h>
#include <stdlib.h>

#include "record/reassemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SEGMENT_INPUT = 4,
    STREAM_BYTES = 256 * 4 + 64,
    SPLIT_MAX = 64 * 64,
    MS = 1000 * 1000
};

struct model {
    int64_t first_seen_ns[STREAM_BYTES]; /* 0: never */
    uint8_t text[STREAM_BYTES];
    uint64_t at;
    int64_t latest_ns;
};

static void check_bytes(void *context, const uint8_t *bytes, size_t len,
                        int64_t delivered_ns)
{
    struct model *model = context;
    for (size_t i = 0; i < len; i++, model->at++) {
        if (model->at >= STREAM_BYTES || bytes[i] != model->text[model->at] ||
            model->first_seen_ns[model->at] == 0)
            abort();
        if (model->first_seen_ns[model->at] > model->latest_ns)
            model->latest_ns = model->first_seen_ns[model->at];
        if (delivered_ns != model->latest_ns)
            abort();
    }
}

static void check_gap(void *context, uint64_t len, enum gap_reason reason)
{
    struct model *model = context;
    if (len == 0 || reason == GAP_SNAPLEN)
        abort();
    model->at += len;
}

static void push(struct reassembly *stream, struct model *model, const uint8_t *input,
                 int64_t time_ns, struct reassembly_budget *budget,
                 const struct reassembly_sink *sink)
{
    uint32_t offset = (uint32_t)input[0] * 4;
    uint32_t len = input[1] & 0x3f;
    struct segment segment = {
        .time_ns = time_ns,
        .seq = 0xfffffff0u + offset,
        .payload = model->text + offset,
        .payload_bytes = len,
        .captured_bytes = len,
        .flags = input[1] == 0xff ? SEGMENT_FIN : SEGMENT_ACK,
    };
    for (uint32_t at = offset; at < offset + len; at++)
        if (model->first_seen_ns[at] == 0)
            model->first_seen_ns[at] = time_ns;
    reassembly_segment(stream, &segment, budget, sink);
    reassembly_acknowledge(stream, 0xfffffff0u + (uint32_t)input[3] * 4, time_ns);
    reassembly_expire(stream, time_ns, budget, sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model = { .latest_ns = 0 };
    struct reassembly stream;
    struct reassembly_budget budget = { .limit = size % 2 ? 1000 : 1 << 20 };
    struct reassembly_sink sink = { check_bytes, check_gap, &model };
    for (int i = 0; i < STREAM_BYTES; i++)
        model.text[i] = (uint8_t)(i * 7);
    reassembly_init(&stream);
    reassembly_start(&stream, 0xfffffff0u);
    int64_t time_ns = MS;
    for (; size >= SEGMENT_INPUT; data += SEGMENT_INPUT, size -= SEGMENT_INPUT) {
        time_ns += (data[2] + 1) * (int64_t)MS;
        push(&stream, &model, data, time_ns, &budget, &sink);
        if (stream.next != model.at || stream.counts.mismatched != 0 ||
            budget.used > budget.limit + SPLIT_MAX)
            abort();
    }
    reassembly_expire(&stream, INT64_MAX, &budget, &sink);
    reassembly_flush(&stream, &budget, &sink);
    reassembly_release(&stream, &budget);
    if (budget.used != 0)
        abort();
    return 0;
}
