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

static void emit(struct answer *answer, const struct sink *sink, const struct answer_event *event)
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
    memset(&answer->result, 0, offsetof(struct answer, body) - offsetof(struct answer, result));
    answer->result.outcome = OUTCOME_TRUNCATED;
    answer->result.usage_prompt_tokens = COUNT_NONE;
    answer->result.usage_completion_tokens = COUNT_NONE;
    answer->result.usage_cached_tokens = COUNT_NONE;
    answer->result.usage_reasoning_tokens = COUNT_NONE;
    answer->continuous_usage = true;
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
    if (http_status < 200 || http_status > 299)
        set_mode(answer, ANSWER_IGNORE);
    else if (content_type != NULL && is_event_stream(content_type))
        set_mode(answer, ANSWER_STREAM);
    else
        set_mode(answer, ANSWER_SNIFF);
}

bool answer_is_done(const struct answer *answer)
{
    return answer->done_seen;
}

/* Choices. */

static unsigned choice_slot(const struct chunk_choice *choice)
{
    return choice->index < CHUNK_CHOICES_MAX ? choice->index : CHUNK_CHOICES_MAX - 1;
}

static void mark_choice(struct answer_choices *choices, const struct chunk_choice *choice)
{
    unsigned slot = choice_slot(choice);
    uint64_t bit = UINT64_C(1) << slot % 64;
    choices->seen[slot / 64] |= bit;
    if (choice->finished)
        choices->finished[slot / 64] |= bit;
}

static bool several_choices(const struct answer_choices *choices)
{
    return __builtin_popcountll(choices->seen[0]) + __builtin_popcountll(choices->seen[1]) > 1;
}

/* A finish reason came, and for every choice that was seen. */
static bool all_finished(const struct answer_choices *choices)
{
    return (choices->finished[0] | choices->finished[1]) != 0
           && choices->seen[0] == choices->finished[0]
           && choices->seen[1] == choices->finished[1];
}

/* Of the choices of an event: how many bring tokens, and the slot of the first that does. */
static unsigned count_token_choices(const struct chunk *chunk, unsigned *first_slot)
{
    unsigned count = 0;
    for (unsigned i = chunk->choice_count; i-- > 0;) {
        if (!event_kind_is_token(chunk->choices[i].kind))
            continue;
        *first_slot = choice_slot(&chunk->choices[i]);
        count++;
    }
    return count;
}

/* What usage on a token event adds to the tokens so far, of the choice in `slot` or of all; 0 where it
 * does not say. */
static uint32_t usage_increment(struct answer *answer, const struct chunk *chunk, unsigned slot)
{
    uint32_t reported = chunk->has_usage ? chunk->usage.completion_tokens : COUNT_NONE;
    answer->continuous_usage &= reported != COUNT_NONE;
    if (!answer->continuous_usage)
        return 0;
    if (reported <= answer->tokens && several_choices(&answer->choices))
        answer->usage_per_choice = true;
    uint64_t before = answer->usage_per_choice ? answer->choices.tokens[slot] : answer->tokens;
    return reported > before ? (uint32_t)(reported - before) : 0;
}

static uint32_t bring_tokens(struct answer *answer, const struct chunk_choice *choice,
                             uint32_t share)
{
    uint32_t tokens = share > 0 ? share : 1;
    answer->tokens += tokens;
    answer->choices.tokens[choice_slot(choice)] += tokens;
    return tokens;
}

/* Emits one event per choice, each like `event` but for what the choice says. An increment that several
 * choices share is split evenly, the remainder to the first. */
static void emit_choices(struct answer *answer, const struct sink *sink, const struct chunk *chunk,
                         const struct answer_event *event)
{
    unsigned first_slot = 0;
    for (unsigned i = 0; i < chunk->choice_count; i++)
        mark_choice(&answer->choices, &chunk->choices[i]);
    unsigned sharers = count_token_choices(chunk, &first_slot);
    uint32_t increment = sharers > 0 ? usage_increment(answer, chunk, first_slot) : 0;
    uint32_t remainder = sharers > 0 ? increment % sharers : 0;
    for (unsigned i = 0; i < chunk->choice_count; i++) {
        const struct chunk_choice *choice = &chunk->choices[i];
        struct answer_event own = *event;
        own.choice = choice->index;
        own.kind = choice->kind;
        own.flags |= choice->finished ? EVENT_FLAG_FINISH : 0;
        if (event_kind_is_token(choice->kind)) {
            own.tokens = bring_tokens(answer, choice, increment / sharers + remainder);
            remainder = 0;
        }
        emit(answer, sink, &own);
    }
}

/* Events. */

static void keep_count(uint32_t *kept, uint32_t reported)
{
    if (reported != COUNT_NONE)
        *kept = reported;
}

/* Where usage counts per choice, what one event reports is not the answer's count: that is the sum. */
static void keep_usage(struct answer *answer, const struct chunk *chunk)
{
    const struct chunk_usage *usage = &chunk->usage;
    struct answer_result *result = &answer->result;
    keep_count(&result->usage_prompt_tokens, usage->prompt_tokens);
    keep_count(&result->usage_cached_tokens, usage->cached_tokens);
    keep_count(&result->usage_reasoning_tokens, usage->reasoning_tokens);
    if (answer->usage_per_choice && chunk->choice_count > 0)
        result->usage_completion_tokens = (uint32_t)answer->tokens;
    else
        keep_count(&result->usage_completion_tokens, usage->completion_tokens);
}

static void take_done(struct answer *answer)
{
    answer->done_seen = true;
    answer->result.flags |= REQUEST_DONE_SEEN;
}

static void take_chunk(struct answer *answer, const struct sink *sink, const struct chunk *chunk,
                       uint64_t end_offset)
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
    struct answer_event event = { .end_offset = sse_event->end_offset, .kind = EVENT_OTHER };
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

static const char *const sse_fields[] = { "data:", "event:", "id:", "retry:", ":" };

enum { SSE_FIELDS = sizeof sse_fields / sizeof sse_fields[0] };

/* What a body under some other Content-Type is; ANSWER_SNIFF while it is too short to tell. */
static enum answer_mode sniff(const char *bytes, size_t len)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool cut = len < SNIFF_MAX;
    size_t at = len >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    len = cut ? len : SNIFF_MAX;
    while (at < len && memchr(" \t\r\n", bytes[at], 4) != NULL)
        at++;
    size_t left = len - at;
    bool undecided = cut && (left == 0 || (at == 0 && left < 3 && memcmp(bytes, mark, left) == 0));
    for (size_t i = 0; i < SSE_FIELDS; i++) {
        size_t field_len = strlen(sse_fields[i]);
        if (left >= field_len && memcmp(bytes + at, sse_fields[i], field_len) == 0)
            return ANSWER_STREAM;
        undecided |= cut && left < field_len && memcmp(bytes + at, sse_fields[i], left) == 0;
    }
    return undecided ? ANSWER_SNIFF : ANSWER_WHOLE;
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
    if (answer->mode == ANSWER_STREAM || answer->mode == ANSWER_RESUME) {
        sse_start(&answer->sse);
        answer->mode = ANSWER_RESUME;
        answer->resume_started = answer->resume_after_cr = answer->resume_line_start = false;
    } else if (answer->mode != ANSWER_NO_HEAD) {
        set_mode(answer, ANSWER_IGNORE);
    }
}

static bool begins_with_field(const char *bytes, size_t len)
{
    for (size_t i = 0; i < SSE_FIELDS; i++) {
        size_t field_len = strlen(sse_fields[i]);
        if (len >= field_len && memcmp(bytes, sse_fields[i], field_len) == 0)
            return true;
    }
    return false;
}

/* Passes over the rest of an event whose beginning is missing: up to its blank line, or nothing where a
 * field begins at once. Returns how many bytes; the mode is STREAM once an event may begin. */
static size_t resume(struct answer *answer, const char *bytes, size_t len)
{
    if (!answer->resume_started && begins_with_field(bytes, len)) {
        answer->mode = ANSWER_STREAM;
        return 0;
    }
    answer->resume_started = true;
    for (size_t i = 0; i < len; i++) {
        bool line_end = bytes[i] == '\r' || (bytes[i] == '\n' && !answer->resume_after_cr);
        answer->resume_after_cr = bytes[i] == '\r';
        if (line_end && answer->resume_line_start) {
            answer->mode = ANSWER_STREAM;
            return i + 1;
        }
        answer->resume_line_start = line_end || (answer->resume_line_start && bytes[i] == '\n');
    }
    return len;
}

void answer_feed(struct answer *answer, const char *bytes, size_t len, answer_event_fn *on_event,
                 void *context)
{
    const struct sink sink = { .on_event = on_event, .context = context };
    if (len == 0)
        return;
    if (answer->mode == ANSWER_SNIFF || answer->mode == ANSWER_WHOLE) {
        collect_body(answer, bytes, len);
        if (answer->mode != ANSWER_SNIFF)
            return;
        set_mode(answer, sniff(answer->body.data, answer->body.len));
        bytes = answer->body.data;
        len = answer->body.len;
    } else if (answer->mode == ANSWER_RESUME) {
        size_t passed = resume(answer, bytes, len);
        bytes += passed;
        len -= passed;
    }
    if (answer->mode == ANSWER_STREAM && len > 0) {
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
    bool streamed = (answer->result.flags & REQUEST_STREAMED) != 0;
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
    if (streamed)
        return all_finished(&answer->choices) ? OUTCOME_OK : OUTCOME_TRUNCATED;
    return answer->answer_seen ? OUTCOME_OK : OUTCOME_HTTP_STATUS;
}

void answer_finish(struct answer *answer, enum body_end end, answer_event_fn *on_event,
                   void *context)
{
    const struct sink sink = { .on_event = on_event, .context = context };
    struct answer_result *result = &answer->result;
    if (answer->mode == ANSWER_STREAM && end == BODY_COMPLETE) {
        sse_finish(&answer->sse);
        take_events(answer, &sink);
    } else if ((answer->mode == ANSWER_SNIFF || answer->mode == ANSWER_WHOLE) &&
               end == BODY_COMPLETE) {
        take_whole(answer, &sink);
    }
    result->outcome = judge(answer, end);
    if (result->usage_completion_tokens != COUNT_NONE
        && result->usage_completion_tokens != answer->tokens)
        result->flags |= REQUEST_TOKEN_MISMATCH;
}
