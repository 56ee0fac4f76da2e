/* The records of an arrival log as JSON, for debugging: every field that the log
 * holds. */
#ifndef TOKTRACE_DUMP_RECORDS_H
#define TOKTRACE_DUMP_RECORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "formats/arrivals_reader.h"

/* Each returns a new reference. Times that do not exist and counts that nobody said are
 * left out. */
json_t *dump_header_json(const struct arrivals_header *header,
                         struct arrivals_version version);
json_t *dump_record_json(const struct arrivals_record *record, bool events);
json_t *dump_frame_json(const struct arrivals_frame *frame);
json_t *dump_loss_json(const struct arrivals_loss *loss);

#endif
