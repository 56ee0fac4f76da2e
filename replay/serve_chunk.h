/* The bodies that the simulated server sends, in the shape of vLLM's: events of a stream,
 * each framed as one HTTP chunk where the answer is chunked, and whole answers. */
#ifndef TOKTRACE_SERVE_CHUNK_H
#define TOKTRACE_SERVE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/json_cursor.h"

struct serve_usage {
    uint64_t prompt_tokens;
    uint64_t completion_tokens;
    uint64_t cached_tokens;
};

/* What is the same in all events of one answer. */
struct serve_stream {
    struct buffer start;       /* up to and with `"choices":[`; owned */
    const char *finish_reason; /* of the identity */
    bool chat;
    bool framed;     /* as HTTP chunks */
    bool null_usage; /* events without usage say so, as vLLM's completions do */
};

/* One event, ready to be sent; borrowed from the scratch buffer that it was made in. */
struct serve_event {
    const char *bytes;
    size_t len;
};

/* Names an answer and how it will end. `model` is JSON text as it stood between its
 * quotes. */
struct serve_identity {
    uint64_t id[2];
    int64_t created_s; /* wall clock, seconds since 1970 */
    struct json_text model;
    const char *finish_reason; /* "length" or "stop"; static text */
};

/* Begins a stream; memory of an earlier one is kept. */
void serve_stream_start(struct serve_stream *stream, bool chat, bool framed,
                        const struct serve_identity *identity);
void serve_stream_release(struct serve_stream *stream);

/* Each replaces what is in `scratch`. `usage` may be NULL. */
struct serve_event serve_event_role(const struct serve_stream *stream,
                                    struct buffer *scratch, uint32_t choice,
                                    const struct serve_usage *usage);
/* `tokens` words; the last event of a choice carries its finish reason. With
 * tokens 0, a finish chunk of its own. */
struct serve_event serve_event_tokens(const struct serve_stream *stream,
                                      struct buffer *scratch, uint32_t choice,
                                      uint32_t tokens, bool last,
                                      const struct serve_usage *usage);
struct serve_event serve_event_usage(const struct serve_stream *stream,
                                     struct buffer *scratch,
                                     const struct serve_usage *usage);
/* Any payload behind "data: ". */
struct serve_event serve_event_text(const struct serve_stream *stream,
                                    struct buffer *scratch, const char *payload);

/* [DONE], and behind it, when asked for, the chunk that ends a chunked body. */
struct serve_event serve_event_done(const struct serve_stream *stream,
                                    struct buffer *scratch, bool last_chunk);

/* The chunk that ends a chunked body. */
#define SERVE_LAST_CHUNK "0\r\n\r\n"

/* Appends an answer that is not streamed: `tokens` words in each choice. */
void serve_answer_append(struct buffer *body, bool chat,
                         const struct serve_identity *identity, uint32_t choices,
                         uint32_t tokens, const struct serve_usage *usage);

/* Appends an error object. `param` may be NULL. */
void serve_error_append(struct buffer *body, unsigned status, const char *message,
                        const char *param);

#endif
