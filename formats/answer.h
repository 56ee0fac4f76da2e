/* Understands the body of one answer as it streams in: which events bring tokens, what usage says, how it
 * ended. Shared by the client's loop, the packet extractor and `tokanalyze dump --stream`, so that all
 * three give the same tokens for the same bytes, however they were cut. Allocates nothing unless an event
 * is split over reads and larger than the space inside. */
#ifndef TOKTRACE_ANSWER_H
#define TOKTRACE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/sse.h"

/* One event as logged; the times are the caller's to add. */
struct answer_event {
    uint64_t end_offset; /* body offset behind the event's last byte */
    uint32_t tokens;     /* k of a token event: 1, or the increment of continuous usage; else 0 */
    uint16_t choice;
    uint8_t kind;        /* enum event_kind */
    uint8_t flags;       /* EVENT_FLAG_FINISH | EVENT_FLAG_USAGE, or 0 */
};

/* Called for each event in order; from answer_feed and answer_finish only. */
typedef void answer_event_fn(void *context, const struct answer_event *event);

/* How the body ended, as the transport saw it. */
enum body_end {
    BODY_COMPLETE, /* last chunk, all of Content-Length, or an orderly close where that ends a body */
    BODY_BROKEN,   /* closed, reset or given up before that */
};

/* What the answer amounts to. */
struct answer_result {
    enum outcome outcome; /* OK, HTTP_STATUS, STREAM_ERROR or TRUNCATED */
    uint32_t flags;       /* REQUEST_STREAMED, REQUEST_DONE_SEEN, REQUEST_TOKEN_MISMATCH */
    uint32_t usage_prompt_tokens; /* COUNT_NONE where the server did not say; likewise below */
    uint32_t usage_completion_tokens;
    uint32_t usage_cached_tokens;
    uint32_t usage_reasoning_tokens;
    uint32_t token_events; /* over all choices */
    char finish_reason[FINISH_REASON_MAX];
};

struct answer {
    struct sse_parser sse;
    struct answer_result result; /* as far as known; final after answer_finish */
    uint32_t counted_tokens;     /* completion_tokens at the last continuous usage */
    uint16_t http_status;
    bool event_stream; /* Content-Type says text/event-stream */
    bool error_seen;
    bool finish_seen;
    /* the body of an answer that is not a stream is collected here, up to ANSWER_BODY_MAX */
    struct buffer body;
};

/* Ready for a new answer; keeps memory from the one before. The first use needs zeroed memory. */
void answer_start(struct answer *answer);

/* What the head said; call once before the first byte of the body. content_type may be NULL. */
void answer_head(struct answer *answer, unsigned http_status, const char *content_type);

/* The next bytes of the (dechunked, decompressed) body. */
void answer_feed(struct answer *answer, const char *bytes, size_t len, answer_event_fn *on_event,
                 void *context);

/* True once the answer is over by its own words ([DONE], or the API's closing event): silence or an open
 * connection after that is no fault. */
bool answer_is_done(const struct answer *answer);

/* No more bytes will come. Judges the answer; answer->result is final. */
void answer_finish(struct answer *answer, enum body_end end, answer_event_fn *on_event,
                   void *context);

void answer_release(struct answer *answer);

#endif
