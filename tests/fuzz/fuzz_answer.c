/* Any bytes as the body of an answer: every cut must be understood alike, and the counts
 * must add up. Byte 0 chooses the status, type and end, byte 1 the lengths of the
 * pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/answer_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void transcribe(struct answer_transcript *t, uint8_t choice, const char *bytes,
                       size_t len, size_t piece)
{
    static const char *const types[] = { "text/event-stream", NULL, "application/json",
                                         "text/plain" };
    answer_transcript_start(t, choice & 4 ? 500 : 200, types[choice & 3]);
    for (size_t at = 0; at < len; at += piece)
        answer_transcript_feed(t, bytes + at, len - at < piece ? len - at : piece);
    answer_transcript_finish(t, choice & 8 ? BODY_BROKEN : BODY_COMPLETE);
}

/* A failure must never look like a success. */
static void check(const struct answer_transcript *t)
{
    const struct answer_result *result = &t->answer.result;
    bool ok = result->outcome == OUTCOME_OK;
    if ((ok && t->answer.error_seen) || result->token_events > t->tokens
        || (ok && t->answer.http_status != 200))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct answer_transcript whole, cut; /* reused, as by a worker */
    if (size < 2)
        return 0;
    transcribe(&whole, data[0], (const char *)data + 2, size - 2, size);
    transcribe(&cut, data[0], (const char *)data + 2, size - 2, 1 + data[1] % 64U);
    check(&whole);
    if (strcmp(buffer_text(&whole.text), buffer_text(&cut.text)) != 0
        || whole.event_count != cut.event_count)
        abort();
    for (size_t i = 0; i < whole.event_count; i++) {
        if (whole.offsets[i] != cut.offsets[i])
            abort();
    }
    return 0;
}
