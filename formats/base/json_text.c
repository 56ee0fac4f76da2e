#include "formats/base/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/utf8.h"

static void append_escaped(struct buffer *buffer, unsigned char byte)
{
    switch (byte) {
    case '"':
        buffer_append_text(buffer, "\\\"");
        break;
    case '\\':
        buffer_append_text(buffer, "\\\\");
        break;
    case '\n':
        buffer_append_text(buffer, "\\n");
        break;
    case '\r':
        buffer_append_text(buffer, "\\r");
        break;
    case '\t':
        buffer_append_text(buffer, "\\t");
        break;
    default:
        buffer_printf(buffer, "\\u%04x", byte);
    }
}

void buffer_append_json_string(struct buffer *buffer, const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t plain_from = 0;
    buffer_append_byte(buffer, '"');
    for (size_t i = 0; i < len;) {
        size_t sequence = utf8_sequence_len(text + i, len - i);
        bool plain = sequence > 0 && bytes[i] >= 0x20 && bytes[i] != '"' &&
                     bytes[i] != '\\';
        if (!plain) {
            buffer_append(buffer, text + plain_from, i - plain_from);
            if (sequence == 0)
                buffer_append_text(buffer, "\xef\xbf\xbd");
            else
                append_escaped(buffer, bytes[i]);
            plain_from = i + 1;
        }
        i += plain ? sequence : 1;
    }
    buffer_append(buffer, text + plain_from, len - plain_from);
    buffer_append_byte(buffer, '"');
}

void buffer_append_json_number(struct buffer *buffer, double value)
{
    if (!isfinite(value)) {
        buffer_append_text(buffer, "null");
        return;
    }
    enum { DIGITS_LEAST = 15, DIGITS_EXACT = 17, NUMBER_MAX = 32 };
    char text[NUMBER_MAX];
    int digits = DIGITS_LEAST;
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && digits++ < DIGITS_EXACT);
    buffer_append_text(buffer, text);
}

static void append_line_break(struct buffer *buffer, int depth)
{
    enum { INDENT = 2 };
    buffer_printf(buffer, "\n%*s", depth * INDENT, "");
}

static void append_array(struct buffer *buffer, const json_t *array, int depth)
{
    size_t count = json_array_size(array);
    buffer_append_byte(buffer, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(buffer, ',');
        append_line_break(buffer, depth + 1);
        buffer_append_json(buffer, json_array_get(array, i), depth + 1);
    }
    if (count > 0)
        append_line_break(buffer, depth);
    buffer_append_byte(buffer, ']');
}

static void append_object(struct buffer *buffer, json_t *object, int depth)
{
    bool first = true;
    buffer_append_byte(buffer, '{');
    for (void *at = json_object_iter(object); at != NULL;
         at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);
        if (!first)
            buffer_append_byte(buffer, ',');
        first = false;
        append_line_break(buffer, depth + 1);
        buffer_append_json_string(buffer, key, strlen(key));
        buffer_append_text(buffer, ": ");
        buffer_append_json(buffer, json_object_iter_value(at), depth + 1);
    }
    if (!first)
        append_line_break(buffer, depth);
    buffer_append_byte(buffer, '}');
}

void buffer_append_json(struct buffer *buffer, const json_t *value, int depth)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        /* The iterator of jansson 2.14 is not const, but changes nothing. */
        append_object(buffer, (json_t *)(uintptr_t)value, depth);
        break;
    case JSON_ARRAY:
        append_array(buffer, value, depth);
        break;
    case JSON_STRING:
        buffer_append_json_string(buffer, json_string_value(value),
                                  json_string_length(value));
        break;
    case JSON_INTEGER:
        buffer_append_int(buffer, json_integer_value(value));
        break;
    case JSON_REAL:
        buffer_append_json_number(buffer, json_real_value(value));
        break;
    case JSON_TRUE:
        buffer_append_text(buffer, "true");
        break;
    case JSON_FALSE:
        buffer_append_text(buffer, "false");
        break;
    case JSON_NULL:
        buffer_append_text(buffer, "null");
        break;
    }
}
