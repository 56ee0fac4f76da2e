#include "formats/base/utf8.h"

size_t utf8_sequence_len(const char *text, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char lead = bytes[0];
    if (lead < 0x80)
        return 1;
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || wanted > len)
        return 0;
    unsigned char lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (bytes[1] < lowest || bytes[1] > highest)
        return 0;
    for (size_t i = 2; i < wanted; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return wanted;
}

uint32_t utf8_point(const char *text, size_t sequence_len)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (sequence_len == 0)
        return 0xfffd;
    if (sequence_len == 1)
        return bytes[0];
    uint32_t point = bytes[0] & (0x7fu >> sequence_len);
    for (size_t i = 1; i < sequence_len; i++)
        point = point << 6 | (bytes[i] & 0x3f);
    return point;
}

bool utf8_point_steers(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfeff || point == 0xfffd;
}

void buffer_append_utf8(struct buffer *buffer, const char *text, size_t len)
{
    size_t good = 0; /* bytes at text that are well formed and not yet appended */
    while (good < len) {
        size_t sequence = utf8_sequence_len(text + good, len - good);
        good += sequence;
        if (sequence > 0)
            continue;
        buffer_append(buffer, text, good);
        buffer_append_text(buffer, "\xef\xbf\xbd");
        text += good + 1;
        len -= good + 1;
        good = 0;
    }
    buffer_append(buffer, text, good);
}
