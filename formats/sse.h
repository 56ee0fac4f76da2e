/* The event-stream splitter (WHATWG HTML, "server-sent events"): bytes in, events out, the same events
 * however the bytes were cut. Knows no sockets and no JSON. */
#ifndef TOKTRACE_SSE_H
#define TOKTRACE_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

/* An event whose data would be larger is a fault of the stream. */
enum { SSE_DATA_MAX = 64 * 1024 * 1024, SSE_TYPE_MAX = 64 };

struct sse_event {
    const char *data; /* data lines joined by LF; borrowed until the next call on the parser */
    size_t data_len;
    const char *type; /* the event: field, cut at SSE_TYPE_MAX; "" when there was none */
    bool comment;     /* a comment line: data is its text */
    uint64_t end_offset; /* in the stream: behind the last byte of the blank line (comment: of the line) */
};

struct sse_parser; /* declared in full below so that callers can embed it; touch only through functions */

#endif
