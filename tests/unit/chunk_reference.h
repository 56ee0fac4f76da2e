/* The chunk scanner once more: slow and straight, over a tree that jansson built.
 * Whatever jansson accepts, the scanner must accept and understand alike. */
#ifndef TOKTRACE_CHUNK_REFERENCE_H
#define TOKTRACE_CHUNK_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "formats/chunk_scanner.h"
#include "formats/json_cursor.h"

/* What jansson says to a payload. */
enum reference_verdict {
    REFERENCE_VALID,
    REFERENCE_INVALID, /* the scanner must refuse it too */
    REFERENCE_OPEN,    /* refused where the scanner may be more lenient: not UTF-8, lone
                        * surrogates, NUL in a key, numbers beyond 64 bits */
};

enum { CONTENT = 1, REASONING = 2, TOOL = 4, ROLE = 8 };

static inline const json_t *ref_get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

/* The member's text, NULL unless it is a string that is not empty. */
static inline const char *ref_text(const json_t *object, const char *key)
{
    const json_t *value = ref_get(object, key);
    return json_string_length(value) > 0 ? json_string_value(value) : NULL;
}

static inline bool ref_is(const json_t *object, const char *key, const char *expected)
{
    const json_t *value = ref_get(object, key);
    return json_string_length(value) == strlen(expected)
           && memcmp(json_string_value(value), expected, strlen(expected)) == 0;
}

static inline bool ref_begins(const json_t *object, const char *key, const char *prefix)
{
    const char *text = ref_text(object, key);
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What text a value brings: a string, a part of content, or an array of either. */
static inline int ref_pieces(const json_t *value)
{
    int pieces = 0;
    if (json_is_string(value))
        return json_string_length(value) > 0 ? CONTENT : 0;
    for (size_t i = 0; i < json_array_size(value); i++)
        pieces |= ref_pieces(json_array_get(value, i));
    if (!json_is_object(value))
        return pieces;
    pieces = ref_pieces(ref_get(value, "text")) | ref_pieces(ref_get(value, "content"));
    if (ref_pieces(ref_get(value, "refusal")))
        pieces |= CONTENT;
    if (ref_pieces(ref_get(value, "thinking")) || ref_pieces(ref_get(value, "summary")))
        pieces |= REASONING;
    static const char *const tools[] = { "function", "custom",       "name",
                                         "arguments", "partial_json", "input" };
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        pieces |= ref_pieces(ref_get(value, tools[i])) ? TOOL : 0;
    bool thought = ref_begins(value, "type", "thinking")
                   || ref_begins(value, "type", "reasoning");
    if (thought && (pieces & CONTENT))
        pieces = (pieces & TOOL) | REASONING;
    return pieces;
}

static inline int ref_message_pieces(const json_t *message)
{
    int pieces = ref_pieces(ref_get(message, "content"));
    if (ref_pieces(ref_get(message, "role")))
        pieces |= ROLE;
    if (ref_pieces(ref_get(message, "refusal")))
        pieces |= CONTENT;
    if (ref_pieces(ref_get(message, "reasoning"))
        || ref_pieces(ref_get(message, "reasoning_content")))
        pieces |= REASONING;
    if (ref_pieces(ref_get(message, "tool_calls"))
        || ref_pieces(ref_get(message, "function_call")))
        pieces |= TOOL;
    return pieces;
}

static inline void ref_set_choice(struct chunk *chunk, int pieces, uint16_t index,
                                  const char *finish_reason)
{
    struct chunk_choice *choice = &chunk->choices[chunk->choice_count++];
    choice->index = index;
    choice->finished = finish_reason != NULL;
    choice->kind = pieces & CONTENT     ? EVENT_CONTENT
                   : pieces & REASONING ? EVENT_REASONING
                   : pieces & TOOL      ? EVENT_TOOL
                   : choice->finished   ? EVENT_FINISH
                   : pieces & ROLE      ? EVENT_ROLE
                                        : EVENT_EMPTY;
    chunk->kind = chunk->choices[0].kind;
    if (finish_reason != NULL && index == 0)
        snprintf(chunk->finish_reason, FINISH_REASON_MAX, "%s", finish_reason);
}

static inline void ref_choice(struct chunk *chunk, const json_t *choice, size_t position)
{
    const json_t *index = ref_get(choice, "index");
    json_int_t number = json_is_integer(index) ? json_integer_value(index) : -1;
    int pieces = ref_pieces(ref_get(choice, "text"))
                 | ref_message_pieces(ref_get(choice, "delta"))
                 | ref_message_pieces(ref_get(choice, "message"));
    if (number < 0 || number > UINT16_MAX)
        number = (json_int_t)position;
    ref_set_choice(chunk, pieces, (uint16_t)number, ref_text(choice, "finish_reason"));
    chunk->aborted |= ref_is(choice, "finish_reason", "error")
                      || ref_is(choice, "finish_reason", "abort");
}

static inline uint32_t ref_count(const json_t *object, const char *key)
{
    const json_t *value = ref_get(object, key);
    json_int_t count = json_is_integer(value) ? json_integer_value(value) : -1;
    return count >= 0 && count < COUNT_NONE ? (uint32_t)count : COUNT_NONE;
}

static inline uint32_t ref_or(uint32_t count, uint32_t other)
{
    return count != COUNT_NONE ? count : other;
}

static inline void ref_usage(struct chunk *chunk, const json_t *root)
{
    const json_t *usage = ref_get(root, "usage");
    if (!json_is_object(usage))
        usage = ref_get(ref_get(root, "message"), "usage");
    if (!json_is_object(usage))
        usage = ref_get(ref_get(root, "response"), "usage");
    if (!json_is_object(usage))
        return;
    chunk->has_usage = true;
    uint64_t input = ref_count(usage, "input_tokens");
    uint32_t read = ref_count(usage, "cache_read_input_tokens");
    uint32_t written = ref_count(usage, "cache_creation_input_tokens");
    input += (uint64_t)ref_or(read, 0) + ref_or(written, 0);
    uint32_t all_input = input < COUNT_NONE ? (uint32_t)input : COUNT_NONE;
    chunk->usage.prompt_tokens = ref_or(ref_count(usage, "prompt_tokens"), all_input);
    chunk->usage.completion_tokens = ref_or(ref_count(usage, "completion_tokens"),
                                            ref_count(usage, "output_tokens"));
    const json_t *details = ref_get(usage, "prompt_tokens_details");
    uint32_t cached = ref_count(details, "cached_tokens");
    details = ref_get(usage, "input_tokens_details");
    cached = ref_or(cached, ref_count(details, "cached_tokens"));
    cached = ref_or(ref_or(cached, read), ref_count(usage, "prompt_cache_hit_tokens"));
    chunk->usage.cached_tokens = cached;
    details = ref_get(usage, "completion_tokens_details");
    uint32_t thought = ref_count(details, "reasoning_tokens");
    details = ref_get(usage, "output_tokens_details");
    thought = ref_or(thought, ref_count(details, "reasoning_tokens"));
    chunk->usage.reasoning_tokens = ref_or(thought, ref_count(usage, "reasoning_tokens"));
}

static inline bool ref_error_value(const json_t *error)
{
    return error != NULL && !json_is_null(error) && !json_is_false(error)
           && !(json_is_string(error) && json_string_length(error) == 0);
}

static inline bool ref_is_error(const json_t *root, const char *sse_type)
{
    return ref_error_value(ref_get(root, "error"))
           || ref_error_value(ref_get(ref_get(root, "response"), "error"))
           || ref_is(root, "type", "error") || ref_is(root, "type", "response.failed")
           || ref_is(root, "type", "response.cancelled") || strcmp(sse_type, "error") == 0
           || ref_is(root, "object", "error") || ref_is(root, "status", "failed")
           || ref_is(root, "status", "cancelled")
           || (json_is_string(ref_get(root, "message"))
               && !json_is_array(ref_get(root, "choices")));
}

/* The deltas of response events, by the end of their names. */
static inline int ref_response_delta(const json_t *root)
{
    static const struct {
        const char *type;
        int piece;
    } deltas[] = {
        { "response.output_text.delta", CONTENT },
        { "response.refusal.delta", CONTENT },
        { "response.reasoning.delta", REASONING },
        { "response.reasoning_summary.delta", REASONING },
        { "response.reasoning_summary_text.delta", REASONING },
        { "response.reasoning_text.delta", REASONING },
        { "response.code_interpreter_call_code.delta", TOOL },
        { "response.custom_tool_call_input.delta", TOOL },
        { "response.function_call_arguments.delta", TOOL },
        { "response.mcp_call_arguments.delta", TOOL },
    };
    for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
        if (ref_is(root, "type", deltas[i].type))
            return deltas[i].piece;
    }
    return 0;
}

static inline const char *ref_response_end(const json_t *response)
{
    const char *reason = ref_text(ref_get(response, "incomplete_details"), "reason");
    return reason != NULL ? reason : ref_text(response, "status");
}

/* False: none of the event types of Anthropic or of OpenAI's responses. */
static inline bool ref_typed_event(struct chunk *chunk, const json_t *root)
{
    const json_t *delta = ref_get(root, "delta");
    int response_piece = ref_response_delta(root);
    if (ref_is(root, "type", "message_start")) {
        ref_set_choice(chunk, ROLE, 0, NULL);
        chunk->usage.completion_tokens = COUNT_NONE;
    } else if (ref_is(root, "type", "content_block_start")
               || ref_is(root, "type", "content_block_delta")
               || ref_is(root, "type", "message_delta")) {
        int pieces = ref_pieces(ref_get(root, "content_block"));
        if (json_is_object(delta)) {
            json_t *known = json_pack("{}");
            static const char *const keys[] = { "type", "text", "thinking",
                                                "partial_json" };
            for (size_t i = 0; i < 4; i++)
                if (ref_get(delta, keys[i]) != NULL)
                    json_object_set(known, keys[i], json_object_get(delta, keys[i]));
            pieces |= ref_pieces(known);
            json_decref(known);
        } else {
            pieces |= ref_pieces(delta);
        }
        ref_set_choice(chunk, pieces, 0, ref_text(delta, "stop_reason"));
    } else if (response_piece != 0) {
        ref_set_choice(chunk, ref_pieces(delta) != 0 ? response_piece : 0, 0, NULL);
    } else if (ref_is(root, "type", "message")) {
        ref_set_choice(chunk, ROLE | ref_pieces(ref_get(root, "content")), 0,
                       ref_text(root, "stop_reason"));
    } else if (ref_is(root, "type", "message_stop")) {
        chunk->kind = EVENT_DONE;
    } else if (ref_is(root, "type", "response.completed")
               || ref_is(root, "type", "response.incomplete")) {
        const char *end = ref_response_end(ref_get(root, "response"));
        chunk->kind = EVENT_DONE;
        snprintf(chunk->finish_reason, FINISH_REASON_MAX, "%s", end != NULL ? end : "");
    } else if (!ref_begins(root, "type", "response.")
               && !ref_is(root, "type", "content_block_stop")) {
        return false;
    }
    chunk->answer = true;
    return true;
}

static inline void ref_whole_response(struct chunk *chunk, const json_t *root)
{
    bool over = ref_is(root, "status", "completed")
                || ref_is(root, "status", "incomplete");
    chunk->answer = true;
    ref_set_choice(chunk, ref_pieces(ref_get(root, "output")), 0,
                   over ? ref_response_end(root) : NULL);
}

static inline void ref_classify(struct chunk *chunk, const json_t *root,
                                const char *sse_type)
{
    const json_t *choices = ref_get(root, "choices");
    chunk->kind = EVENT_OTHER;
    ref_usage(chunk, root);
    if (ref_is_error(root, sse_type)) {
        chunk->kind = EVENT_ERROR;
        return;
    }
    for (size_t i = 0; i < json_array_size(choices); i++) {
        if (json_is_object(json_array_get(choices, i)))
            ref_choice(chunk, json_array_get(choices, i), i);
    }
    if (chunk->choice_count > 0) {
        chunk->answer = true;
    } else if (ref_is(root, "type", "ping")) {
        chunk->kind = EVENT_COMMENT;
    } else if (ref_typed_event(chunk, root)) {
        return;
    } else if (ref_is(root, "object", "response")) {
        ref_whole_response(chunk, root);
    } else if (chunk->has_usage) {
        chunk->answer = true;
        chunk->kind = EVENT_USAGE;
    } else if (strcmp(sse_type, "ping") == 0) {
        chunk->kind = EVENT_COMMENT;
    } else {
        chunk->answer = json_is_array(choices);
    }
}

static inline unsigned ref_depth(const json_t *value)
{
    unsigned deepest = 0;
    const char *key;
    json_t *member;
    for (size_t i = 0; i < json_array_size(value); i++) {
        unsigned depth = ref_depth(json_array_get(value, i));
        deepest = depth > deepest ? depth : deepest;
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        unsigned depth = ref_depth(member);
        deepest = depth > deepest ? depth : deepest;
    }
    return json_is_array(value) || json_is_object(value) ? deepest + 1 : 0;
}

static inline enum reference_verdict ref_refusal(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_invalid_utf8:
    case json_error_null_byte_in_key:
    case json_error_null_character:
    case json_error_numeric_overflow:
        return REFERENCE_OPEN;
    default:
        return strncmp(error->text, "invalid Unicode", 15) == 0 ? REFERENCE_OPEN
                                                                : REFERENCE_INVALID;
    }
}

/* What chunk_scan should say; *chunk is set with REFERENCE_VALID only. */
static inline enum reference_verdict reference_scan(struct chunk *chunk,
                                                    const char *payload, size_t len,
                                                    const char *sse_type)
{
    json_error_t error;
    if (memchr(payload, '\0', len) != NULL)
        return REFERENCE_INVALID; /* jansson passes over some */
    json_t *root = json_loadb(payload, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    enum reference_verdict verdict = REFERENCE_VALID;
    memset(chunk, 0, sizeof *chunk);
    if (root == NULL)
        return ref_refusal(&error);
    if (ref_depth(root) > JSON_DEPTH_MAX
        || json_array_size(ref_get(root, "choices")) > CHUNK_CHOICES_MAX)
        verdict = REFERENCE_OPEN; /* beyond a limit, maybe in a part that was replaced */
    chunk->valid = true;
    ref_classify(chunk, root, sse_type);
    json_decref(root);
    return verdict;
}

static inline bool ref_is_ascii(const char *text)
{
    while (*text >= 0x20 && *text < 0x7f)
        text++;
    return *text == '\0';
}

/* True when both say the same of a valid payload. */
static inline bool reference_agrees(const struct chunk *expected,
                                    const struct chunk *actual)
{
    if (!actual->valid || expected->kind != actual->kind
        || expected->answer != actual->answer || expected->has_usage != actual->has_usage
        || expected->aborted != actual->aborted
        || expected->choice_count != actual->choice_count)
        return false;
    if (expected->has_usage
        && memcmp(&expected->usage, &actual->usage, sizeof expected->usage) != 0)
        return false;
    if (ref_is_ascii(expected->finish_reason)
        && strcmp(expected->finish_reason, actual->finish_reason) != 0)
        return false;
    for (unsigned i = 0; i < expected->choice_count; i++) {
        const struct chunk_choice *a = &expected->choices[i], *b = &actual->choices[i];
        if (a->index != b->index || a->kind != b->kind || a->finished != b->finished)
            return false;
    }
    return true;
}

#endif
