#include "analyze/html_text.h"

#include <string.h>

#include "formats/base/utf8.h"

static void append_character(struct buffer *page, const char *text, size_t len)
{
    uint32_t point = utf8_point(text, len);
    switch (point) {
    case '\n':
        buffer_append_byte(page, ' ');
        return;
    case '<':
        buffer_append_text(page, "&lt;");
        return;
    case '>':
        buffer_append_text(page, "&gt;");
        return;
    case '&':
        buffer_append_text(page, "&amp;");
        return;
    case '"':
        buffer_append_text(page, "&quot;");
        return;
    }
    if (len == 0 || utf8_point_steers(point))
        buffer_append_text(page, "\xef\xbf\xbd");
    else
        buffer_append(page, text, len);
}

void html_append_text(struct buffer *page, const char *text, size_t characters_max)
{
    for (size_t left = characters_max; *text; left--) {
        if (left == 0) {
            buffer_append_text(page, "…");
            return;
        }
        size_t len = utf8_sequence_len(text, strnlen(text, UTF8_SEQUENCE_MAX));
        append_character(page, text, len);
        text += len > 0 ? len : 1;
    }
}
