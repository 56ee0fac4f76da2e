/* The event-stream splitter on any bytes: every cut must give the same events at the same
 * offsets. Byte 0 sets the lengths of the pieces: up to 128, or random ones that it
 * seeds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sse_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A length from 1 to 32, from a linear congruential generator. */
static size_t next_piece(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return 1 + (*state >> 27);
}

static void transcribe(struct sse_transcript *t, const char *bytes, size_t len,
                       unsigned choice)
{
    uint32_t state = choice;
    sse_start(&t->parser);
    for (size_t at = 0; at < len;) {
        size_t piece = choice == 0 ? len : choice < 128 ? choice : next_piece(&state);
        piece = piece < len - at ? piece : len - at;
        if (sse_transcript_feed(t, bytes + at, piece) != 0)
            abort();
        at += piece;
    }
    buffer_append_text(&t->text, "end\n");
    sse_finish(&t->parser);
    if (sse_transcript_drain(t) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sse_transcript whole = { 0 }, cut = { 0 };
    if (size < 1)
        return 0;
    transcribe(&whole, (const char *)data + 1, size - 1, 0);
    transcribe(&cut, (const char *)data + 1, size - 1, data[0]);
    if (strcmp(buffer_text(&whole.text), buffer_text(&cut.text)) != 0)
        abort();
    sse_transcript_release(&whole);
    sse_transcript_release(&cut);
    return 0;
}
