/* The event-stream splitter on any bytes: every cut must give the same events at the same
 * offsets. Byte 0 sets the lengths of the pieces: up to 128, or random ones it seeds.
 * Byte 1, unless 0, sets where bytes are missing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sse_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A length from 1 to 32, from a linear congruential generator. */
static size_t random_piece(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return 1 + (*state >> 27);
}

static void feed(struct sse_transcript *t, const char *bytes, size_t len, unsigned choice)
{
    uint32_t state = choice;
    for (size_t at = 0; at < len;) {
        size_t piece = choice == 0 ? len : choice < 128 ? choice : random_piece(&state);
        piece = piece < len - at ? piece : len - at;
        if (sse_transcript_feed(t, bytes + at, piece) != 0)
            abort();
        at += piece;
    }
}

static void transcribe(struct sse_transcript *t, const char *bytes, size_t len,
                       unsigned choice, size_t gap)
{
    sse_start(&t->parser);
    if (gap > 0 && gap <= len) {
        feed(t, bytes, gap, choice);
        sse_skip(&t->parser);
        bytes += gap;
        len -= gap;
    }
    feed(t, bytes, len, choice);
    buffer_append_text(&t->text, "end\n");
    sse_finish(&t->parser);
    if (sse_transcript_drain(t) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sse_transcript whole = { 0 }, cut = { 0 };
    if (size < 2)
        return 0;
    transcribe(&whole, (const char *)data + 2, size - 2, 0, data[1]);
    transcribe(&cut, (const char *)data + 2, size - 2, data[0], data[1]);
    if (strcmp(buffer_text(&whole.text), buffer_text(&cut.text)) != 0)
        abort();
    sse_transcript_release(&whole);
    sse_transcript_release(&cut);
    return 0;
}
