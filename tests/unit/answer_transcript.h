/* What an answer was understood as, as text: for the table of streams and the fuzz
 * target.
 *
 * One line per event: kind, tokens where it brings some, then "choice N", "finish" and
 * "usage" where they hold. Then the result, one "name: value" per line; what has its
 * usual value (no flags, counts that nobody gave, no finish reason) is left out. */
#ifndef TOKTRACE_ANSWER_TRANSCRIPT_H
#define TOKTRACE_ANSWER_TRANSCRIPT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/answer.h"
#include "formats/base/buffer.h"
#include "formats/base/memory.h"

struct answer_transcript {
    struct answer answer;
    struct buffer text;
    uint64_t *offsets; /* owned; of each event */
    size_t event_count;
    size_t event_capacity;
    uint64_t tokens;
    uint64_t first_tokens; /* of the first token event */
};

static inline void answer_transcript_release(struct answer_transcript *t)
{
    answer_release(&t->answer);
    buffer_release(&t->text);
    free(t->offsets);
}

static inline void answer_transcript_start(struct answer_transcript *t, unsigned status,
                                           const char *content_type)
{
    buffer_clear(&t->text);
    t->event_count = 0;
    t->tokens = 0;
    t->first_tokens = 0;
    answer_start(&t->answer);
    if (status != 0)
        answer_head(&t->answer, status, content_type);
}

static inline void answer_transcript_event(void *context,
                                           const struct answer_event *event)
{
    struct answer_transcript *t = context;
    buffer_append_text(&t->text, event_kind_name(event->kind));
    if (event->tokens > 0)
        buffer_printf(&t->text, " %u", event->tokens);
    if (event->choice > 0)
        buffer_printf(&t->text, " choice %u", event->choice);
    if (event->flags & EVENT_FLAG_FINISH)
        buffer_append_text(&t->text, " finish");
    if (event->flags & EVENT_FLAG_USAGE)
        buffer_append_text(&t->text, " usage");
    buffer_append_byte(&t->text, '\n');
    t->offsets = memory_grow(t->offsets, t->event_count, &t->event_capacity,
                             sizeof *t->offsets);
    t->offsets[t->event_count++] = event->end_offset;
    t->tokens += event->tokens;
    if (t->first_tokens == 0)
        t->first_tokens = event->tokens;
}

/* Feeds a copy that ends with its last byte, so that a sanitizer sees every read beyond
 * them. */
static inline void answer_transcript_feed(struct answer_transcript *t, const char *bytes,
                                          size_t len)
{
    if (len == 0)
        return;
    char *exact = memory_new(len, 1);
    memcpy(exact, bytes, len);
    answer_feed(&t->answer, exact, len, answer_transcript_event, t);
    free(exact);
}

static inline void answer_transcript_count(struct answer_transcript *t, const char *name,
                                           uint64_t count)
{
    if (count != COUNT_NONE)
        buffer_printf(&t->text, "%s: %llu\n", name, (unsigned long long)count);
}

static inline void answer_transcript_finish(struct answer_transcript *t,
                                            enum body_end end)
{
    const struct answer_result *result = &t->answer.result;
    answer_finish(&t->answer, end, answer_transcript_event, t);
    buffer_printf(&t->text, "outcome: %s\n", outcome_name(result->outcome));
    if (result->finish_reason[0] != '\0')
        buffer_printf(&t->text, "finish reason: %s\n", result->finish_reason);
    if (result->flags != 0)
        buffer_printf(&t->text, "flags:%s%s%s\n",
                      result->flags & REQUEST_STREAMED ? " streamed" : "",
                      result->flags & REQUEST_DONE_SEEN ? " done" : "",
                      result->flags & REQUEST_TOKEN_MISMATCH ? " mismatch" : "");
    answer_transcript_count(t, "prompt", result->usage_prompt_tokens);
    answer_transcript_count(t, "completion", result->usage_completion_tokens);
    answer_transcript_count(t, "cached", result->usage_cached_tokens);
    answer_transcript_count(t, "reasoning", result->usage_reasoning_tokens);
    answer_transcript_count(t, "token events", result->token_events);
    answer_transcript_count(t, "n", result->usage_completion_tokens != COUNT_NONE
                                        ? result->usage_completion_tokens
                                        : t->tokens);
    answer_transcript_count(t, "k1", t->first_tokens);
}

#endif
