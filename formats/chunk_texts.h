/* The part of chunk_fields that reads text: parts of content, messages and deltas,
 * choices. */
#ifndef TOKTRACE_CHUNK_TEXTS_H
#define TOKTRACE_CHUNK_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chunk_fields.h"

/* Reads a value with `read`, which adds to fields->pieces; *set becomes what it
 * brought. */
bool chunk_collect(struct chunk_fields *fields, json_read_fn *read, uint8_t *set);

/* What follow are readers of values; the context is the struct chunk_fields. */

/* A string for fields->labels[slot]; anything else reads as an empty one. */
bool chunk_read_label(void *context, unsigned slot);

/* A string, a part of content, or an array of either: adds to fields->pieces. */
bool chunk_read_text(void *context, unsigned slot);

/* The delta of an event that has no choices: adds to fields->pieces. */
bool chunk_read_delta(void *context, unsigned slot);

/* Adds to fields->choices; the last array of choices replaces those before it. */
bool chunk_read_choices(void *context, unsigned slot);

#endif
