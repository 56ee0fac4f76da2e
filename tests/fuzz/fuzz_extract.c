/* The whole extractor on any packets. Byte 0 chooses the link type and limits; then each
 * packet: captured bytes (2, little-endian), bytes cut by the snap length (1), 10-us
 * steps since the packet before (1), the bytes. The packets are passed from memory of
 * exactly their size. */
#include <pcap/dlt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/base/memory.h"
#include "record/extractor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PACKET_HEADER = 4, STEP_NS = 10000 };

/* What is written must be consistent. */
static void check_exchange(void *context, const struct exchange *exchange)
{
    (void)context;
    const struct arrival_request *record = &exchange->record;
    if (record->outcome >= OUTCOMES || record->connection_request == 0)
        abort();
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < record->event_count; i++) {
        const struct arrival_event *event = &record->events[i];
        if (event->flags & EVENT_FLAG_UNKNOWN_TIME)
            continue;
        if (event->arrival_ns < latest || event->arrival_ns == TIME_NONE)
            abort();
        latest = event->arrival_ns;
    }
}

static void feed(struct extractor *extractor, int link_type, const uint8_t *data,
                 size_t size)
{
    int64_t time_ns = 0;
    while (size >= PACKET_HEADER) {
        size_t captured = load_le16(data);
        uint32_t cut = data[2];
        time_ns += data[3] * (int64_t)STEP_NS;
        data += PACKET_HEADER;
        size -= PACKET_HEADER;
        if (captured > size)
            captured = size;
        uint8_t *bytes = memory_new(1, captured ? captured : 1);
        memcpy(bytes, data, captured);
        struct captured_packet packet = { bytes, (uint32_t)captured,
                                          (uint32_t)captured + cut, time_ns, link_type };
        extractor_packet(extractor, &packet);
        free(bytes);
        data += captured;
        size -= captured;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int links[] = { DLT_RAW, DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2,
                                 DLT_NULL };
    if (size < 1)
        return 0;
    bool small = data[0] & 0x80;
    struct flow_limits limits = { .max_flows = small ? 2 : 64,
                                  .max_buffer = small ? 500 : 65536 };
    struct http_settings http = {
        .max_memory = small ? 8000 : 1 << 20,
        .keep_requests = data[0] & 0x40,
        .session_header = "x-session-id",
        .on_exchange = check_exchange,
    };
    struct extractor *extractor = extractor_create(&limits, &http);
    feed(extractor, links[(data[0] & 0x3f) % 5], data + 1, size - 1);
    extractor_finish(extractor);
    const struct flow_counts *flows = extractor_flows(extractor);
    if (flows->dropped > flows->flows)
        abort();
    extractor_free(extractor);
    return 0;
}
