/* The event-stream splitter (WHATWG HTML, "server-sent events"): bytes in, events out,
 * the same events with the same offsets however the bytes were cut. Knows no sockets and
 * no JSON.
 *
 * Use: sse_start, then for each read sse_feed followed by sse_next until it returns 0; at
 * an orderly end of the body sse_finish and sse_next until 0 once more. Between an
 * sse_next that returned 0 and the next sse_feed the parser borrows nothing and may be
 * moved in memory. */
#ifndef TOKTRACE_SSE_H
#define TOKTRACE_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"

/* An event whose data would be larger, or a line that could not be part of a smaller one,
 * is a fault of the stream. */
enum { SSE_DATA_MAX = 64 * 1024 * 1024, SSE_LINE_MAX = SSE_DATA_MAX + 64 };

enum {
    SSE_TYPE_MAX = 64,
    /* an event split over reads allocates only beyond this */
    SSE_CARRY_SPACE = 1024,
    /* a larger carry is given back at the next sse_start */
    SSE_KEPT_CAPACITY = 64 * 1024,
};

struct sse_event {
    /* data lines joined by LF, not NUL-terminated; borrowed until the next call */
    const char *data;
    size_t data_len;
    /* the event: field, cut to SSE_TYPE_MAX - 1 bytes; "" when there was none */
    const char *type;
    /* a comment line: data is its text, handed out when the line ends */
    bool comment;
    /* In the stream: behind the first byte that completes the blank line (comment: the
     * line), which of a CRLF is the CR. At an end without blank line: the length of the
     * stream. */
    uint64_t end_offset;
};

/* Bytes kept from one read to the next: the data of the event so far, then the raw line
 * so far. */
struct sse_carry {
    size_t len;
    struct buffer heap; /* used instead of space while heap.len > 0 */
    char space[SSE_CARRY_SPACE];
};

/* Declared in full so that callers can embed it; touch it through the functions only. The
 * first use needs zeroed memory. */
struct sse_parser {
    const char *next; /* unread bytes of the feed, borrowed: [next, end) */
    const char *end;
    /* first LF at or behind next, or end; NULL when not searched for */
    const char *next_lf;
    uint64_t fed;        /* stream offset of end */
    /* data of the event inside the feed; NULL when it is in the carry */
    const char *view;
    size_t data_len;
    bool has_data; /* a data line came, maybe an empty one */
    bool has_type;
    bool after_cr; /* an LF that comes next belongs to the line end before */
    bool first_line;
    bool lost;       /* bytes are missing: lines are dropped until an event begins */
    bool lost_first; /* and this is the first line behind them */
    bool finished;
    bool failed;
    char type[SSE_TYPE_MAX];
    struct sse_carry carry;
};

/* Ready for a new stream. Keeps the memory of the one before, up to SSE_KEPT_CAPACITY. */
void sse_start(struct sse_parser *parser);

/* The next bytes, borrowed until sse_next returns 0 or fails. The ones before must be
 * used up. */
void sse_feed(struct sse_parser *parser, const char *bytes, size_t len);

/* 1: an event or a comment; 0: all bytes are used up; STATUS_LIMIT: beyond SSE_DATA_MAX
 * or SSE_LINE_MAX, now and for the rest of the stream. */
int sse_next(struct sse_parser *parser, struct sse_event *event);

/* Bytes of the stream are missing here. What came of the event is dropped, and so is the
 * rest of it: events go on behind the next blank line, or at once where the next line
 * begins with "data:" or another field. Offsets go on without the missing bytes. */
void sse_skip(struct sse_parser *parser);

/* The body ended in good order: sse_next hands out an event or comment that lacks its
 * last line ends. (The standard discards it; here it would lose tokens that did arrive.)
 * After a broken end do not call this: the rest is then a fragment. */
void sse_finish(struct sse_parser *parser);

void sse_release(struct sse_parser *parser);

#endif
