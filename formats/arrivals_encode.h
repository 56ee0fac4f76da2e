/* Records to bytes: type, length, fields. Internal to the writer and its tests. */
#ifndef TOKTRACE_ARRIVALS_ENCODE_H
#define TOKTRACE_ARRIVALS_ENCODE_H

#include "formats/arrivals.h"
#include "formats/record_fields.h"

/* Requests of up to so many events are encoded without taking memory. */
enum { ENCODER_EVENTS = 16 * 1024 };

struct arrivals_encoder {
    uint8_t *columns; /* owned, like record; sized for capacity_events */
    uint8_t *record;
    size_t capacity_events;
};

void arrivals_encoder_init(struct arrivals_encoder *encoder);
void arrivals_encoder_release(struct arrivals_encoder *encoder);

/* Each returns the bytes of one whole record, borrowed until the next call. */
struct byte_span arrivals_encode_header(struct arrivals_encoder *encoder,
                                        const struct arrivals_header *header);

/* *events_kept: how many of its events the record holds. */
struct byte_span arrivals_encode_request(struct arrivals_encoder *encoder,
                                         const struct arrival_request *request,
                                         size_t *events_kept);
struct byte_span arrivals_encode_loop(struct arrivals_encoder *encoder,
                                      const struct loop_record *record);
struct byte_span arrivals_encode_clock(struct arrivals_encoder *encoder,
                                       const struct clock_record *record);
struct byte_span arrivals_encode_end(struct arrivals_encoder *encoder,
                                     const struct end_record *record);

#endif
