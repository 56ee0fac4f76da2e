/* Text from outside as well-formed UTF-8. */
#ifndef TOKTRACE_UTF8_H
#define TOKTRACE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

enum { UTF8_SEQUENCE_MAX = 4 };

/* Bytes of the UTF-8 sequence at text[0..len), len > 0; 0 when it is not well formed
 * (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t utf8_sequence_len(const char *text, size_t len);

/* The code point of a sequence of that length; U+FFFD when the length is 0. */
uint32_t utf8_point(const char *text, size_t sequence_len);

/* Controls, marks that turn the direction of what follows or have no width, and U+FFFD:
 * what must not reach a label or a page as it is. */
bool utf8_point_steers(uint32_t point);

/* Appends text[0..len); each byte that is not part of a well-formed sequence becomes
 * U+FFFD. */
void buffer_append_utf8(struct buffer *buffer, const char *text, size_t len);

#endif
