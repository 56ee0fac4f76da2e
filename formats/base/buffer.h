/* A growable run of bytes. Start from {0} or BUFFER_INIT. */
#ifndef TOKTRACE_BUFFER_H
#define TOKTRACE_BUFFER_H

#include <stddef.h>

struct buffer {
    char *data; /* owned; NULL until something is appended */
    size_t len;
    size_t capacity;
};

#define BUFFER_INIT { 0 }

void buffer_release(struct buffer *buffer);

/* Keeps the memory, forgets the content. */
void buffer_clear(struct buffer *buffer);

/* Makes room for extra more bytes, so that data + len may be written up to there. */
void buffer_reserve(struct buffer *buffer, size_t extra);

void buffer_append(struct buffer *buffer, const void *bytes, size_t len);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_byte(struct buffer *buffer, char byte);
void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The decimal digits of value; several times faster than buffer_printf. */
void buffer_append_int(struct buffer *buffer, long long value);

/* Removes the first len bytes, len <= buffer->len. */
void buffer_consume(struct buffer *buffer, size_t len);

/* The content as a C string (a NUL is kept behind it, not counted). Borrowed until the
 * next call. */
const char *buffer_text(struct buffer *buffer);

#endif
