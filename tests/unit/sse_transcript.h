/* The events of a stream as text, for the unit test and the fuzz target: one line each,
 * "OFFSET type|data", comments "OFFSET :text"; LF in data shows as "\n", NUL as "\0". */
#ifndef TOKTRACE_SSE_TRANSCRIPT_H
#define TOKTRACE_SSE_TRANSCRIPT_H

#include <stdlib.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/memory.h"
#include "formats/sse.h"

struct sse_transcript {
    struct sse_parser parser;
    struct buffer text;
};

static inline void sse_transcript_release(struct sse_transcript *t)
{
    sse_release(&t->parser);
    buffer_release(&t->text);
}

static inline void sse_transcript_event(struct sse_transcript *t,
                                        const struct sse_event *event)
{
    buffer_printf(&t->text, "%llu %s%c", (unsigned long long)event->end_offset,
                  event->type, event->comment ? ':' : '|');
    for (size_t i = 0; i < event->data_len; i++) {
        if (event->data[i] == '\n')
            buffer_append_text(&t->text, "\\n");
        else if (event->data[i] == '\0')
            buffer_append_text(&t->text, "\\0");
        else
            buffer_append_byte(&t->text, event->data[i]);
    }
    buffer_append_byte(&t->text, '\n');
}

/* 0, or what sse_next failed with. */
static inline int sse_transcript_drain(struct sse_transcript *t)
{
    struct sse_event event;
    int got;
    while ((got = sse_next(&t->parser, &event)) == 1)
        sse_transcript_event(t, &event);
    return got;
}

/* Feeds a copy that ends with its last byte, so that a sanitizer sees every read beyond
 * them. */
static inline int sse_transcript_feed(struct sse_transcript *t, const char *bytes,
                                      size_t len)
{
    char *exact = memory_new(len > 0 ? len : 1, 1);
    memcpy(exact, bytes, len);
    sse_feed(&t->parser, exact, len);
    int got = sse_transcript_drain(t);
    free(exact);
    return got;
}

#endif
