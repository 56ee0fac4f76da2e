/* The packet decoder on any bytes. Byte 0 chooses the link type, byte 1 how many bytes
 * the snap length cut off; the payload it finds must lie in the bytes that it was given.
 */
#include <pcap/dlt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "record/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct segment *segment, const uint8_t *bytes, uint32_t captured,
                  uint32_t wire)
{
    if (segment->captured_bytes > segment->payload_bytes ||
        segment->captured_bytes > captured)
        abort();
    if (segment->captured_bytes &&
        (segment->payload < bytes ||
         segment->payload + segment->captured_bytes > bytes + captured))
        abort();
    /* more than the link had is what an IP header may claim, but no more than that can */
    if (segment->payload_bytes > wire && segment->payload_bytes > UINT16_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int links[] = { DLT_RAW,       DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2,
                                 DLT_NULL,      DLT_LOOP,   DLT_IPV4,      DLT_IPV6,
                                 DLT_IEEE802_11 };
    if (size < 2 || size > UINT16_MAX)
        return 0;
    int link = links[data[0] % (sizeof(links) / sizeof(links[0]))];
    uint32_t captured = (uint32_t)size - 2;
    uint32_t wire = captured + data[1];
    uint8_t *bytes = memory_new(1, captured ? captured : 1);
    memcpy(bytes, data + 2, captured);
    struct segment segment = { .payload = NULL };
    enum decoded decoded = decode_packet(link, bytes, captured, wire, &segment);
    if (decoded >= DECODED_KINDS || (decoded == DECODED_TCP && !decode_knows_link(link)))
        abort();
    if (decoded == DECODED_TCP)
        check(&segment, bytes, captured, wire);
    free(bytes);
    return 0;
}
