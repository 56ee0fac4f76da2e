/* The HTTP parser on any bytes: every cut must give the same transcript. Byte 0 chooses
 * the direction and the method answered, byte 1 the lengths of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/http_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void transcribe(struct http_transcript *t, uint8_t choice, const char *bytes,
                       size_t len, size_t piece)
{
    http_parser_start(&t->parser, choice & 1 ? HTTP_RESPONSES : HTTP_REQUESTS);
    if (choice & 2)
        http_parser_expect(&t->parser, "HEAD", 4);
    else if (choice & 4)
        http_parser_expect(&t->parser, "CONNECT", 7);
    int got = 0;
    for (size_t at = 0; at < len && got == 0; at += piece) {
        size_t count = len - at < piece ? len - at : piece;
        got = http_transcript_feed(t, bytes + at, count);
    }
    if (got == 0)
        http_transcript_finish(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *bytes = (const char *)data + 2;
    struct http_transcript whole = { 0 }, cut = { 0 };
    transcribe(&whole, data[0], bytes, size - 2, size);
    transcribe(&cut, data[0], bytes, size - 2, 1 + data[1] % 64U);
    if (strcmp(buffer_text(&whole.text), buffer_text(&cut.text)))
        abort();
    http_transcript_release(&whole);
    http_transcript_release(&cut);
    return 0;
}
