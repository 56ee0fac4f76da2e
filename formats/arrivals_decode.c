#include "formats/arrivals_decode.h"

#include <stdlib.h>

#include "formats/base/bytes.h"
#include "formats/base/memory.h"

void arrivals_decoder_release(struct arrivals_decoder *decoder)
{
    free(decoder->events);
    *decoder = (struct arrivals_decoder){ 0 };
}

/* A varint of which the end is missing, as opposed to one that is too long. */
static bool varint_is_cut(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= VARINT_MAX_BYTES)
        return false;
    while (at < end && *at >= 0x80)
        at++;
    return at == end;
}

static int prefix_fault(const uint8_t *at, const uint8_t *end, const char *what,
                        struct fault *fault)
{
    if (varint_is_cut(at, end))
        return 0;
    return fault_set(fault, STATUS_BAD_INPUT, "malformed %s of a record", what);
}

int arrivals_split_record(const uint8_t **at, const uint8_t *end, uint64_t *type,
                          struct byte_span *payload, struct fault *fault)
{
    uint64_t len;
    const uint8_t *length = varint_read(*at, end, type);
    if (!length)
        return prefix_fault(*at, end, "type", fault);
    const uint8_t *start = varint_read(length, end, &len);
    if (!start)
        return prefix_fault(length, end, "length", fault);
    if (len > ARRIVALS_RECORD_MAX)
        return fault_set(fault, STATUS_LIMIT,
                         "a record of %llu bytes, at most %d are allowed",
                         (unsigned long long)len, ARRIVALS_RECORD_MAX);
    if (len > (uint64_t)(end - start))
        return 0;
    *payload = (struct byte_span){ start, (size_t)len };
    *at = start + len;
    return 1;
}

int arrivals_decode_header(struct arrivals_decoder *decoder,
                           struct arrivals_header *header, struct byte_span payload,
                           struct fault *fault)
{
    return fields_decode(&arrivals_header_fields, header, payload,
                         &decoder->unknown_fields, fault);
}

static int decode_request(struct arrivals_decoder *decoder, struct byte_span payload,
                          struct arrival_request *request, struct fault *fault)
{
    struct stored_request stored;
    int status = fields_decode(&arrivals_request_fields, &stored, payload,
                               &decoder->unknown_fields, fault);
    if (!status)
        status = event_columns_check(&stored.columns, fault);
    if (status)
        return status;
    size_t count = stored.columns.count;
    if (count > decoder->capacity) {
        free(decoder->events);
        decoder->events = memory_new(count, sizeof *decoder->events);
        decoder->capacity = count;
    }
    *request = stored.request;
    request->events = decoder->events;
    request->event_count = count;
    return event_columns_decode(&stored.columns, request->sent_ns, decoder->events,
                                fault);
}

int arrivals_decode_record(struct arrivals_decoder *decoder, uint64_t type,
                           struct byte_span payload, struct arrivals_record *record,
                           struct fault *fault)
{
    uint64_t *unknown = &decoder->unknown_fields;
    int status;
    switch (type) {
    case STORED_REQUEST:
        record->type = RECORD_REQUEST;
        status = decode_request(decoder, payload, &record->request, fault);
        break;
    case STORED_LOOP:
        record->type = RECORD_LOOP;
        status = fields_decode(&arrivals_loop_fields, &record->loop, payload, unknown,
                               fault);
        break;
    case STORED_CLOCK:
        record->type = RECORD_CLOCK;
        status = fields_decode(&arrivals_clock_fields, &record->clock, payload, unknown,
                               fault);
        break;
    case STORED_END:
        record->type = RECORD_END;
        status = fields_decode(&arrivals_end_fields, &record->end, payload, unknown,
                               fault);
        break;
    case STORED_HEADER:
        return fault_set(fault, STATUS_BAD_INPUT, "a second header record");
    default:
        return 0;
    }
    return status ? status : 1;
}
