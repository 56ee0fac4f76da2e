#include "formats/answer.h"

#include <string.h>
#include <strings.h>

/* A body that has not shown within so many bytes what it is, is no event stream. */
enum { SNIFF_MAX = 1024 };

/* Where the events of one call go. */
struct sink {
    answer_event_fn *on_event;
    void *context;
};

static void emit(struct answer *answer, const struct sink *sink,
                 const struct answer_event *event)
{
    if (event_kind_is_token(event->kind))
        answer->result.token_events++;
    sink->on_event(sink->context, event);
}

void answer_start(struct answer *answer)
{
    sse_start(&answer->sse);
    if (answer->body.capacity > SSE_KEPT_CAPACITY)
        buffer_release(&answer->body);
    buffer_clear(&answer->body);
    memset(&answer->result, 0,
           offsetof(struct answer, count) - offsetof(struct answer, result));
    answer->result.outcome = OUTCOME_TRUNCATED;
    answer->result.usage_prompt_tokens = COUNT_NONE;
    answer->result.usage_completion_tokens = COUNT_NONE;
    answer->result.usage_cached_tokens = COUNT_NONE;
    answer->result.usage_reasoning_tokens = COUNT_NONE;
    token_count_start(&answer->count);
}

size_t answer_memory(const struct answer *answer)
{
    return answer->sse.carry.heap.capacity + answer->body.capacity;
}

void answer_release(struct answer *answer)
{
    sse_release(&answer->sse);
    buffer_release(&answer->body);
}

static void set_mode(struct answer *answer, enum answer_mode mode)
{
    answer->mode = (uint8_t)mode;
    if (mode == ANSWER_STREAM)
        answer->result.flags |= REQUEST_STREAMED;
    else if (mode == ANSWER_WHOLE)
        answer->result.flags &= ~(uint32_t)REQUEST_STREAMED;
}

static bool is_streamed(const struct answer *answer)
{
    return (answer->result.flags & REQUEST_STREAMED) != 0;
}

static bool is_event_stream(const char *content_type)
{
    static const char name[] = "text/event-stream";
    content_type += strspn(content_type, " \t");
    return strncasecmp(content_type, name, sizeof name - 1) == 0
           && strchr("; \t", content_type[sizeof name - 1]) != NULL;
}

void answer_head(struct answer *answer, unsigned http_status, const char *content_type)
{
    answer->http_status = (uint16_t)http_status;
    if (http_status < 200 || http_status > 299) {
        set_mode(answer, ANSWER_IGNORE);
        return;
    }
    set_mode(answer, ANSWER_SNIFF);
    if (content_type != NULL && is_event_stream(content_type))
        answer->result.flags |= REQUEST_STREAMED;
}

bool answer_is_done(const struct answer *answer)
{
    return answer->done_seen;
}

/* Emits one event per choice, each like `event` but for what the choice says. */
static void emit_choices(struct answer *answer, const struct sink *sink,
                         const struct chunk *chunk, const struct answer_event *event)
{
    uint32_t tokens[CHUNK_CHOICES_MAX];
    token_count_take(&answer->count, chunk, tokens);
    for (unsigned i = 0; i < chunk->choice_count; i++) {
        const struct chunk_choice *choice = &chunk->choices[i];
        struct answer_event own = *event;
        own.choice = choice->index;
        own.kind = choice->kind;
        own.flags |= choice->finished ? EVENT_FLAG_FINISH : 0;
        own.tokens = tokens[i];
        emit(answer, sink, &own);
    }
}

static void keep_count(uint32_t *kept, uint32_t reported)
{
    if (reported != COUNT_NONE)
        *kept = reported;
}

/* Where usage counts per choice, what one event reports is not the answer's count: that
 * is the sum. */
static void keep_usage(struct answer *answer, const struct chunk *chunk)
{
    const struct chunk_usage *usage = &chunk->usage;
    struct answer_result *result = &answer->result;
    keep_count(&result->usage_prompt_tokens, usage->prompt_tokens);
    keep_count(&result->usage_cached_tokens, usage->cached_tokens);
    keep_count(&result->usage_reasoning_tokens, usage->reasoning_tokens);
    if (answer->count.per_choice && chunk->choice_count > 0)
        result->usage_completion_tokens = (uint32_t)answer->count.total;
    else
        keep_count(&result->usage_completion_tokens, usage->completion_tokens);
}

static void take_done(struct answer *answer)
{
    answer->done_seen = true;
    answer->result.flags |= REQUEST_DONE_SEEN;
}

static void take_chunk(struct answer *answer, const struct sink *sink,
                       const struct chunk *chunk, uint64_t end_offset)
{
    struct answer_event event = {
        .end_offset = end_offset,
        .kind = chunk->kind,
        .flags = chunk->has_usage ? EVENT_FLAG_USAGE : 0,
    };
    answer->answer_seen |= chunk->answer;
    answer->error_seen |= chunk->kind == EVENT_ERROR || chunk->aborted;
    if (chunk->finish_reason[0] != '\0')
        memcpy(answer->result.finish_reason, chunk->finish_reason, FINISH_REASON_MAX);
    if (chunk->kind == EVENT_DONE)
        take_done(answer);
    if (chunk->choice_count > 0)
        emit_choices(answer, sink, chunk, &event);
    else
        emit(answer, sink, &event);
    if (chunk->has_usage)
        keep_usage(answer, chunk);
}

/* "[DONE]", with or without blank space around it. */
static bool is_done_mark(const char *data, size_t len)
{
    while (len > 0 && (data[len - 1] == ' ' || data[len - 1] == '\t'))
        len--;
    while (len > 0 && (*data == ' ' || *data == '\t')) {
        data++;
        len--;
    }
    return len == 6 && memcmp(data, "[DONE]", 6) == 0;
}

static void take_event(struct answer *answer, const struct sink *sink,
                       const struct sse_event *sse_event)
{
    struct answer_event event = {
        .end_offset = sse_event->end_offset,
        .kind = EVENT_OTHER,
    };
    struct chunk chunk;
    if (sse_event->comment) {
        event.kind = EVENT_COMMENT;
    } else if (is_done_mark(sse_event->data, sse_event->data_len)) {
        event.kind = EVENT_DONE;
        take_done(answer);
    } else if (!answer->done_seen) {
        chunk_scan(&chunk, sse_event->data, sse_event->data_len, sse_event->type);
        take_chunk(answer, sink, &chunk, sse_event->end_offset);
        return;
    }
    emit(answer, sink, &event);
}

static void take_events(struct answer *answer, const struct sink *sink)
{
    struct sse_event event;
    int got;
    while ((got = sse_next(&answer->sse, &event)) == 1)
        take_event(answer, sink, &event);
    answer->error_seen |= got < 0 && !answer->done_seen;
}

/* The body. */

/* What a body that begins so is, where its type says nothing of an event stream. `cut`:
 * more bytes may follow. */
static enum answer_mode guess_mode(const char *start, size_t len, bool cut)
{
    static const char *const fields[] = { "data:", "event:", "id:", "retry:", ":" };
    bool undecided = false;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size_t field_len = strlen(fields[i]);
        if (len >= field_len && memcmp(start, fields[i], field_len) == 0)
            return ANSWER_STREAM;
        undecided |= cut && len < field_len && memcmp(start, fields[i], len) == 0;
    }
    return undecided ? ANSWER_SNIFF : ANSWER_WHOLE;
}

/* What the first bytes of a body show; ANSWER_SNIFF while they are too few to tell. */
static enum answer_mode sniff(const struct answer *answer, const char *bytes, size_t len)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool cut = len < SNIFF_MAX;
    size_t at = len >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    len = cut ? len : SNIFF_MAX;
    while (at < len && memchr(" \t\r\n", bytes[at], 4) != NULL)
        at++;
    size_t left = len - at;
    if (cut && (left == 0 || (at == 0 && left < 3 && memcmp(bytes, mark, left) == 0)))
        return ANSWER_SNIFF;
    if (!is_streamed(answer))
        return guess_mode(bytes + at, left, cut);
    bool whole = left > 0 && memchr("{[<", bytes[at], 3) != NULL;
    return whole ? ANSWER_WHOLE : ANSWER_STREAM;
}

static void collect_body(struct answer *answer, const char *bytes, size_t len)
{
    if (len > ANSWER_BODY_MAX - answer->body.len) {
        answer->error_seen = true;
        set_mode(answer, ANSWER_IGNORE);
        buffer_release(&answer->body);
        return;
    }
    buffer_append(&answer->body, bytes, len);
}

void answer_skip(struct answer *answer)
{
    if (answer->mode == ANSWER_SNIFF && is_streamed(answer))
        set_mode(answer, ANSWER_STREAM);
    if (answer->mode == ANSWER_STREAM)
        sse_skip(&answer->sse);
    else if (answer->mode != ANSWER_NO_HEAD)
        set_mode(answer, ANSWER_IGNORE);
}

void answer_feed(struct answer *answer, const char *bytes, size_t len,
                 answer_event_fn *on_event, void *context)
{
    const struct sink sink = { .on_event = on_event, .context = context };
    if (len == 0)
        return;
    if (answer->mode == ANSWER_SNIFF && answer->body.len == 0)
        set_mode(answer, sniff(answer, bytes, len));
    if (answer->mode == ANSWER_WHOLE) {
        collect_body(answer, bytes, len);
    } else if (answer->mode == ANSWER_SNIFF) {
        collect_body(answer, bytes, len);
        bytes = answer->body.data;
        len = answer->body.len;
        set_mode(answer, sniff(answer, bytes, len));
    }
    if (answer->mode == ANSWER_STREAM) {
        sse_feed(&answer->sse, bytes, len);
        take_events(answer, &sink);
    }
}

/* Judges a body that was no stream and came to its end. */
static void take_whole(struct answer *answer, const struct sink *sink)
{
    struct chunk chunk = { 0 };
    if (answer->body.len == 0)
        return;
    chunk_scan(&chunk, answer->body.data, answer->body.len, "");
    take_chunk(answer, sink, &chunk, answer->body.len);
    answer->answer_seen = chunk.choice_count > 0;
}

static enum outcome judge(const struct answer *answer, enum body_end end)
{
    if (answer->http_status == 0)
        return OUTCOME_TRUNCATED;
    if (answer->http_status < 200 || answer->http_status > 299)
        return OUTCOME_HTTP_STATUS;
    if (answer->error_seen)
        return OUTCOME_STREAM_ERROR;
    if (answer->done_seen)
        return answer->answer_seen ? OUTCOME_OK : OUTCOME_HTTP_STATUS;
    if (end == BODY_BROKEN)
        return OUTCOME_TRUNCATED;
    if (is_streamed(answer))
        return token_count_all_finished(&answer->count) ? OUTCOME_OK : OUTCOME_TRUNCATED;
    return answer->answer_seen ? OUTCOME_OK : OUTCOME_HTTP_STATUS;
}

void answer_finish(struct answer *answer, enum body_end end, answer_event_fn *on_event,
                   void *context)
{
    const struct sink sink = { .on_event = on_event, .context = context };
    struct answer_result *result = &answer->result;
    bool whole = answer->mode == ANSWER_WHOLE
                 || (answer->mode == ANSWER_SNIFF && !is_streamed(answer));
    if (answer->mode == ANSWER_STREAM && end == BODY_COMPLETE) {
        sse_finish(&answer->sse);
        take_events(answer, &sink);
    } else if (whole && end == BODY_COMPLETE) {
        take_whole(answer, &sink);
    }
    result->outcome = judge(answer, end);
    if (result->usage_completion_tokens != COUNT_NONE
        && result->usage_completion_tokens != answer->count.total)
        result->flags |= REQUEST_TOKEN_MISMATCH;
}
