/* Bytes to records. Internal to the reader and its tests; every length and count comes
 * from outside. */
#ifndef TOKTRACE_ARRIVALS_DECODE_H
#define TOKTRACE_ARRIVALS_DECODE_H

#include "formats/arrivals.h"
#include "formats/arrivals_reader.h"
#include "formats/arrivals_tables.h"
#include "formats/record_fields.h"

struct arrivals_decoder {
    struct arrival_event *events; /* owned; of the request decoded last */
    size_t capacity;
    uint64_t unknown_fields; /* so far */
};

void arrivals_decoder_release(struct arrivals_decoder *decoder);

/* Takes type, length and payload of one record apart. 1: done, *at moved past it; 0: the
 * bytes end before the record does; <0: no record. */
int arrivals_split_record(const uint8_t **at, const uint8_t *end, uint64_t *type,
                          struct byte_span *payload, struct fault *fault);

int arrivals_decode_header(struct arrivals_decoder *decoder,
                           struct arrivals_header *header, struct byte_span payload,
                           struct fault *fault);

/* Decodes a record other than the header. 1: done; 0: a type that this version does not
 * know; STATUS_BAD_INPUT or STATUS_LIMIT. The events of a request are borrowed until the
 * next call. */
int arrivals_decode_record(struct arrivals_decoder *decoder, uint64_t type,
                           struct byte_span payload, struct arrivals_record *record,
                           struct fault *fault);

#endif
