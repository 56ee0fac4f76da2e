/* Text from outside as well-formed UTF-8. */
#ifndef TOKTRACE_UTF8_H
#define TOKTRACE_UTF8_H

#include <stddef.h>

#include "formats/base/buffer.h"

/* Bytes of the UTF-8 sequence at text[0..len), len > 0; 0 when it is not well formed
 * (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t utf8_sequence_len(const char *text, size_t len);

/* Appends text[0..len); each byte that is not part of a well-formed sequence becomes
 * U+FFFD. */
void buffer_append_utf8(struct buffer *buffer, const char *text, size_t len);

#endif
