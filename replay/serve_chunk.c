#include "replay/serve_chunk.h"

#include <inttypes.h>
#include <string.h>

#include "formats/base/json.h"

#define WORD " token"

/* Room in front of an event for its chunk-size line. */
enum { CHUNK_LINE_ROOM = 18 };

static void append_identity(struct buffer *out, const char *prefix, const char *object,
                            const struct serve_identity *identity)
{
    buffer_printf(
        out,
        "{\"id\":\"%s-%016" PRIx64 "%016" PRIx64 "\",\"object\":\"%s\",\"created\":%lld",
        prefix, identity->id[0], identity->id[1], object, (long long)identity->created_s);
    buffer_append_text(out, ",\"model\":\"");
    buffer_append(out, identity->model.bytes, identity->model.len);
    buffer_append_text(out, "\",\"choices\":[");
}

void serve_stream_start(struct serve_stream *stream, bool chat, bool framed,
                        const struct serve_identity *identity)
{
    stream->chat = chat;
    stream->framed = framed;
    stream->null_usage = !chat;
    stream->finish_reason = identity->finish_reason;
    buffer_clear(&stream->start);
    buffer_append_text(&stream->start, "data: ");
    if (chat)
        append_identity(&stream->start, "chatcmpl", "chat.completion.chunk", identity);
    else
        append_identity(&stream->start, "cmpl", "text_completion", identity);
}

void serve_stream_release(struct serve_stream *stream)
{
    buffer_release(&stream->start);
}

static void begin(struct buffer *scratch)
{
    buffer_clear(scratch);
    buffer_reserve(scratch, CHUNK_LINE_ROOM);
    scratch->len = CHUNK_LINE_ROOM;
}

/* Ends the event and, in a chunked answer, writes the chunk-size line in front of it. */
static struct serve_event end(const struct serve_stream *stream, struct buffer *scratch)
{
    buffer_append(scratch, "\n\n\r\n", stream->framed ? 4 : 2);
    char *first = scratch->data + CHUNK_LINE_ROOM;
    size_t len = scratch->len - CHUNK_LINE_ROOM;
    if (!stream->framed)
        return (struct serve_event){ first, len };
    size_t rest = len - 2;
    *--first = '\n';
    *--first = '\r';
    do
        *--first = "0123456789abcdef"[rest & 15];
    while (rest >>= 4);
    return (struct serve_event){ first, (size_t)(scratch->data + scratch->len - first) };
}

/* A choice up to where its delta or text comes. */
static void begin_choice(const struct serve_stream *stream, struct buffer *scratch,
                         uint32_t choice)
{
    begin(scratch);
    buffer_append(scratch, stream->start.data, stream->start.len);
    buffer_append_text(scratch, "{\"index\":");
    buffer_append_int(scratch, choice);
}

static void append_usage(struct buffer *out, const struct serve_usage *usage)
{
    buffer_append_text(out, "{\"prompt_tokens\":");
    buffer_append_int(out, (long long)usage->prompt_tokens);
    buffer_append_text(out, ",\"total_tokens\":");
    buffer_append_int(out, (long long)(usage->prompt_tokens + usage->completion_tokens));
    buffer_append_text(out, ",\"completion_tokens\":");
    buffer_append_int(out, (long long)usage->completion_tokens);
    if (usage->cached_tokens) {
        buffer_append_text(out, ",\"prompt_tokens_details\":{\"cached_tokens\":");
        buffer_append_int(out, (long long)usage->cached_tokens);
        buffer_append_text(out, "}}");
    } else {
        buffer_append_text(out, ",\"prompt_tokens_details\":null}");
    }
}

/* The rest of the event behind its choices. */
static struct serve_event end_choices(const struct serve_stream *stream,
                                      struct buffer *scratch,
                                      const struct serve_usage *usage)
{
    buffer_append_byte(scratch, ']');
    if (usage) {
        buffer_append_text(scratch, ",\"usage\":");
        append_usage(scratch, usage);
    } else if (stream->null_usage) {
        buffer_append_text(scratch, ",\"usage\":null");
    }
    buffer_append_byte(scratch, '}');
    return end(stream, scratch);
}

struct serve_event serve_event_role(const struct serve_stream *stream,
                                    struct buffer *scratch, uint32_t choice,
                                    const struct serve_usage *usage)
{
    begin_choice(stream, scratch, choice);
    buffer_append_text(scratch, ",\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
                                "\"logprobs\":null,\"finish_reason\":null}");
    return end_choices(stream, scratch, usage);
}

static void append_words(struct buffer *out, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        buffer_append(out, WORD, sizeof(WORD) - 1);
}

static void append_finish(struct buffer *out, const char *reason)
{
    buffer_append_text(out, reason ? "\"" : "null");
    if (reason) {
        buffer_append_text(out, reason);
        buffer_append_byte(out, '"');
    }
}

struct serve_event serve_event_tokens(const struct serve_stream *stream,
                                      struct buffer *scratch, uint32_t choice,
                                      uint32_t tokens, bool last,
                                      const struct serve_usage *usage)
{
    begin_choice(stream, scratch, choice);
    buffer_append_text(scratch,
                       stream->chat ? ",\"delta\":{\"content\":\"" : ",\"text\":\"");
    append_words(scratch, tokens);
    buffer_append_text(scratch, stream->chat ? "\"},\"logprobs\":null,\"finish_reason\":"
                                             : "\",\"logprobs\":null,\"finish_reason\":");
    append_finish(scratch, last ? stream->finish_reason : NULL);
    buffer_append_text(scratch, last || !stream->chat ? ",\"stop_reason\":null}" : "}");
    return end_choices(stream, scratch, usage);
}

struct serve_event serve_event_usage(const struct serve_stream *stream,
                                     struct buffer *scratch,
                                     const struct serve_usage *usage)
{
    begin(scratch);
    buffer_append(scratch, stream->start.data, stream->start.len);
    return end_choices(stream, scratch, usage);
}

struct serve_event serve_event_text(const struct serve_stream *stream,
                                    struct buffer *scratch, const char *payload)
{
    begin(scratch);
    buffer_append_text(scratch, "data: ");
    buffer_append_text(scratch, payload);
    return end(stream, scratch);
}

struct serve_event serve_event_done(const struct serve_stream *stream,
                                    struct buffer *scratch, bool last_chunk)
{
    begin(scratch);
    buffer_reserve(scratch, 64); /* so that what comes behind moves nothing */
    struct serve_event event = serve_event_text(stream, scratch, "[DONE]");
    if (!last_chunk || !stream->framed)
        return event;
    buffer_append_text(scratch, SERVE_LAST_CHUNK);
    event.len += strlen(SERVE_LAST_CHUNK);
    return event;
}

void serve_answer_append(struct buffer *body, bool chat,
                         const struct serve_identity *identity, uint32_t choices,
                         uint32_t tokens, const struct serve_usage *usage)
{
    append_identity(body, chat ? "chatcmpl" : "cmpl",
                    chat ? "chat.completion" : "text_completion", identity);
    for (uint32_t choice = 0; choice < choices; choice++) {
        buffer_append_text(body, choice ? ",{\"index\":" : "{\"index\":");
        buffer_append_int(body, choice);
        buffer_append_text(body,
                           chat ? ",\"message\":{\"role\":\"assistant\",\"content\":\""
                                : ",\"text\":\"");
        append_words(body, tokens);
        buffer_append_text(body, chat ? "\"}" : "\"");
        buffer_append_text(body, ",\"logprobs\":null,\"finish_reason\":");
        append_finish(body, identity->finish_reason);
        buffer_append_text(body, ",\"stop_reason\":null}");
    }
    buffer_append_text(body, "],\"usage\":");
    append_usage(body, usage);
    buffer_append_byte(body, '}');
}

static const char *error_type(unsigned status)
{
    switch (status) {
    case 401:
        return "AuthenticationError";
    case 404:
        return "NotFoundError";
    case 429:
        return "RateLimitError";
    case 500:
        return "InternalServerError";
    case 503:
        return "ServiceUnavailableError";
    default:
        return "BadRequestError";
    }
}

void serve_error_append(struct buffer *body, unsigned status, const char *message,
                        const char *param)
{
    buffer_append_text(body, "{\"error\":{\"message\":");
    buffer_append_json_string(body, message, strlen(message));
    buffer_printf(body, ",\"type\":\"%s\",\"param\":", error_type(status));
    if (param)
        buffer_append_json_string(body, param, strlen(param));
    else
        buffer_append_text(body, "null");
    buffer_printf(body, ",\"code\":%u}}", status);
}
