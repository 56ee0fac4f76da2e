#include "formats/base/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

void buffer_release(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer)BUFFER_INIT;
}

void buffer_clear(struct buffer *buffer)
{
    buffer->len = 0;
}

void buffer_reserve(struct buffer *buffer, size_t extra)
{
    /* One byte more than asked, so that buffer_text has room for its NUL. */
    size_t wanted;
    if (__builtin_add_overflow(buffer->len, extra, &wanted) ||
        __builtin_add_overflow(wanted, 1, &wanted))
        wanted = SIZE_MAX;
    if (wanted <= buffer->capacity)
        return;
    size_t doubled = buffer->capacity < SIZE_MAX / 2 ? buffer->capacity * 2 : SIZE_MAX;
    if (wanted < doubled)
        wanted = doubled;
    if (wanted < 64)
        wanted = 64;
    buffer->data = memory_resize(buffer->data, wanted, 1);
    buffer->capacity = wanted;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t len)
{
    if (len == 0)
        return;
    buffer_reserve(buffer, len);
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
}

void buffer_append_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_append_byte(struct buffer *buffer, char byte)
{
    buffer_reserve(buffer, 1);
    buffer->data[buffer->len++] = byte;
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    buffer_reserve(buffer, 64);
    size_t room = buffer->capacity - buffer->len;
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(buffer->data + buffer->len, room, format, arguments);
    va_end(arguments);
    assert(len >= 0);
    if ((size_t)len >= room) {
        buffer_reserve(buffer, (size_t)len);
        va_start(arguments, format);
        vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, arguments);
        va_end(arguments);
    }
    buffer->len += (size_t)len;
}

void buffer_append_int(struct buffer *buffer, long long value)
{
    enum { DIGITS_MAX = 20 };
    char digits[DIGITS_MAX];
    size_t at = DIGITS_MAX;
    /* Unsigned, because the magnitude of LLONG_MIN does not fit a long long. */
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value
                                        : (unsigned long long)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        digits[--at] = '-';
    buffer_append(buffer, digits + at, DIGITS_MAX - at);
}

void buffer_consume(struct buffer *buffer, size_t len)
{
    assert(len <= buffer->len);
    buffer->len -= len;
    if (buffer->len > 0)
        memmove(buffer->data, buffer->data + len, buffer->len);
}

const char *buffer_text(struct buffer *buffer)
{
    buffer_reserve(buffer, 0);
    buffer->data[buffer->len] = '\0';
    return buffer->data;
}
