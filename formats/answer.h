/* Understands the body of one answer as it streams in: which events bring tokens, what
 * usage says, how it ended. Shared by the client's loop, the packet extractor and
 * `tokanalyze dump --stream`, so that all three give the same tokens for the same bytes,
 * however they were cut. Allocates nothing unless an event is split over reads and larger
 * than the space inside, or the body is not an event stream.
 *
 * Outcome; the first row that fits counts:
 *
 *  status      | seen                                           | body     | outcome
 *  ------------+------------------------------------------------+----------+--------
 *  none        | (no head came)                                 | any      | TRUNCATED
 *  not 2xx     | (the body is not looked at)                    | any      | HTTP_STATUS
 *  2xx         | error object or event; finish reason "error"   | any      | STREAM_ERROR
 *              | or "abort"; an event or body beyond its limit  |          |
 *  2xx, stream | the closing event and a chunk of an answer     | any      | OK
 *  2xx, stream | the closing event, nothing of an answer        | any      | HTTP_STATUS
 *  2xx         | (anything else)                                | BROKEN   | TRUNCATED
 *  2xx, stream | a finish reason for every choice that was seen | COMPLETE | OK
 *  2xx, stream | none, or not for every choice                  | COMPLETE | TRUNCATED
 *  2xx, whole  | JSON of an answer                              | COMPLETE | OK
 *  2xx, whole  | HTML, empty, cut JSON, JSON of anything else   | COMPLETE | HTTP_STATUS
 *
 * The closing event is [DONE], or message_stop, or response.completed or .incomplete.
 * Behind it the answer is over by its own words: what follows is logged (a second [DONE]
 * as DONE, comments as such, all else as OTHER) and changes neither counts nor outcome.
 *
 * A body is a stream when its Content-Type is text/event-stream, unless its first byte
 * after blank space is one of { [ <; and under any other type when it begins like a
 * stream, with a field name and a colon. A whole answer is one event per choice, at the
 * end of the body. Tokens of an event: token_count.h. */
#ifndef TOKTRACE_ANSWER_H
#define TOKTRACE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/buffer.h"
#include "formats/chunk_scanner.h"
#include "formats/sse.h"
#include "formats/token_count.h"

/* A body that is not a stream is an error beyond this. */
enum { ANSWER_BODY_MAX = 64 * 1024 * 1024 };

/* One event as logged; the times are the caller's to add. */
struct answer_event {
    uint64_t end_offset; /* body offset behind the event: see sse.h */
    uint32_t tokens;     /* k of a token event: 1, or the increment of usage; else 0 */
    uint16_t choice;
    uint8_t kind;  /* enum event_kind */
    uint8_t flags; /* EVENT_FLAG_FINISH | EVENT_FLAG_USAGE, or 0 */
};

/* Called for each event in order; from answer_feed and answer_finish only. */
typedef void answer_event_fn(void *context, const struct answer_event *event);

/* How the body ended, as the transport saw it. */
enum body_end {
    BODY_COMPLETE, /* last chunk, all of Content-Length, or a close where it may end so */
    BODY_BROKEN,   /* closed, reset or given up before that */
};

/* What the answer amounts to. Counts are COUNT_NONE where the server did not say. */
struct answer_result {
    enum outcome outcome; /* OK, HTTP_STATUS, STREAM_ERROR or TRUNCATED */
    uint32_t flags; /* REQUEST_STREAMED, REQUEST_DONE_SEEN, REQUEST_TOKEN_MISMATCH */
    uint32_t usage_prompt_tokens;
    uint32_t usage_completion_tokens;
    uint32_t usage_cached_tokens;
    uint32_t usage_reasoning_tokens;
    uint32_t token_events; /* over all choices */
    char finish_reason[FINISH_REASON_MAX];
};

/* How the body is read. */
enum answer_mode {
    ANSWER_NO_HEAD, /* bytes before answer_head are not looked at */
    ANSWER_STREAM,  /* as an event stream */
    ANSWER_SNIFF,   /* collected until its first bytes tell */
    ANSWER_WHOLE,   /* collected to its end */
    ANSWER_IGNORE,  /* not 2xx, too large, or bytes of a WHOLE are missing */
};

/* Touch it through the functions only, but for result. */
struct answer {
    struct sse_parser sse;
    struct answer_result result; /* as far as known; final after answer_finish */
    uint16_t http_status;        /* 0 before answer_head */
    uint8_t mode;                /* enum answer_mode */
    bool answer_seen;            /* a chunk of a known API came */
    bool error_seen;
    bool done_seen;
    struct token_count count;
    struct buffer body; /* SNIFF and WHOLE: the bytes so far */
};

/* Ready for a new answer; keeps memory from the one before. The first use needs zeroed
 * memory. */
void answer_start(struct answer *answer);

/* What the head said; call once before the first byte of the body. content_type may be
 * NULL. */
void answer_head(struct answer *answer, unsigned http_status, const char *content_type);

/* The next bytes of the (dechunked, decompressed) body. */
void answer_feed(struct answer *answer, const char *bytes, size_t len,
                 answer_event_fn *on_event, void *context);

/* Bytes of the body are missing here: a hole in a capture. The event that they cut is
 * dropped, and the next is taken up where one begins; offsets go on without them. A body
 * that is no event stream cannot be read any more. */
void answer_skip(struct answer *answer);

/* True once the closing event came: silence or an open connection after it is no
 * fault. */
bool answer_is_done(const struct answer *answer);

/* No more bytes will come. Judges the answer; answer->result is final. Bytes that lack
 * their last line ends count after BODY_COMPLETE only: after BODY_BROKEN they are a
 * fragment. */
void answer_finish(struct answer *answer, enum body_end end, answer_event_fn *on_event,
                   void *context);

/* Bytes of memory that the answer holds beside itself. */
size_t answer_memory(const struct answer *answer);

void answer_release(struct answer *answer);

#endif
