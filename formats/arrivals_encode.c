#include "formats/arrivals_encode.h"

#include <stdlib.h>
#include <string.h>

#include "formats/arrivals_tables.h"
#include "formats/base/bytes.h"
#include "formats/base/memory.h"

/* Room kept before the payload for type and length. */
enum { PREFIX_BYTES = 2 * VARINT_MAX_BYTES };

static void encoder_size(struct arrivals_encoder *encoder, size_t events)
{
    size_t columns_bytes = event_columns_bound(events);
    /* The request table has the largest bound of all. */
    size_t record_bytes =
        PREFIX_BYTES + fields_bound(&arrivals_request_fields) + columns_bytes;
    encoder->columns = memory_resize(encoder->columns, columns_bytes, 1);
    encoder->record = memory_resize(encoder->record, record_bytes, 1);
    encoder->capacity_events = events;
}

void arrivals_encoder_init(struct arrivals_encoder *encoder)
{
    *encoder = (struct arrivals_encoder){ 0 };
    encoder_size(encoder, ENCODER_EVENTS);
}

void arrivals_encoder_release(struct arrivals_encoder *encoder)
{
    free(encoder->columns);
    free(encoder->record);
    *encoder = (struct arrivals_encoder){ 0 };
}

static struct byte_span encode(struct arrivals_encoder *encoder,
                               enum stored_record_type type,
                               const struct field_table *table, const void *object)
{
    uint8_t *payload = encoder->record + PREFIX_BYTES;
    const uint8_t *end = fields_encode(table, object, payload);
    uint8_t prefix[PREFIX_BYTES];
    const uint8_t *prefix_end =
        varint_write(varint_write(prefix, type), (size_t)(end - payload));
    size_t prefix_len = (size_t)(prefix_end - prefix);
    memcpy(payload - prefix_len, prefix, prefix_len);
    return (struct byte_span){ payload - prefix_len,
                               prefix_len + (size_t)(end - payload) };
}

struct byte_span arrivals_encode_header(struct arrivals_encoder *encoder,
                                        const struct arrivals_header *header)
{
    return encode(encoder, STORED_HEADER, &arrivals_header_fields, header);
}

struct byte_span arrivals_encode_request(struct arrivals_encoder *encoder,
                                         const struct arrival_request *request,
                                         size_t *events_kept)
{
    struct stored_request stored = { .request = *request };
    size_t count = request->event_count;
    if (count > REQUEST_EVENTS_MAX) {
        count = REQUEST_EVENTS_MAX;
        stored.request.flags |= REQUEST_EVENTS_CUT;
    }
    if (count > encoder->capacity_events)
        encoder_size(encoder, count);
    event_columns_encode(&stored.columns, request->events, count, request->sent_ns,
                         encoder->columns);
    *events_kept = count;
    return encode(encoder, STORED_REQUEST, &arrivals_request_fields, &stored);
}

struct byte_span arrivals_encode_loop(struct arrivals_encoder *encoder,
                                      const struct loop_record *record)
{
    return encode(encoder, STORED_LOOP, &arrivals_loop_fields, record);
}

struct byte_span arrivals_encode_clock(struct arrivals_encoder *encoder,
                                       const struct clock_record *record)
{
    return encode(encoder, STORED_CLOCK, &arrivals_clock_fields, record);
}

struct byte_span arrivals_encode_end(struct arrivals_encoder *encoder,
                                     const struct end_record *record)
{
    return encode(encoder, STORED_END, &arrivals_end_fields, record);
}
