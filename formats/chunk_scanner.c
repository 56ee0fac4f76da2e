#include "formats/chunk_scanner.h"

#include <string.h>

#include "formats/chunk_fields.h"
#include "formats/json_cursor.h"

/* What the type of an Anthropic event or of an OpenAI response event makes of it. */
enum event_type {
    TYPE_UNKNOWN,
    TYPE_START,      /* opens the message */
    TYPE_PIECE,      /* its delta or content block says what it brings */
    TYPE_CONTENT,    /* delta is a string of that kind */
    TYPE_REASONING,
    TYPE_TOOL,
    TYPE_NOTE,       /* brings nothing */
    TYPE_WHOLE,      /* a message that was not streamed */
    TYPE_DONE,
    TYPE_COMPLETED,  /* done, with usage and a reason */
    TYPE_PING,
    TYPE_ERROR,
};

static const struct {
    const char *name;
    enum event_type type;
} event_types[] = {
    { "content_block_delta", TYPE_PIECE },
    { "content_block_start", TYPE_PIECE },
    { "content_block_stop", TYPE_NOTE },
    { "error", TYPE_ERROR },
    { "message", TYPE_WHOLE },
    { "message_delta", TYPE_PIECE },
    { "message_start", TYPE_START },
    { "message_stop", TYPE_DONE },
    { "ping", TYPE_PING },
    { "response.cancelled", TYPE_ERROR },
    { "response.code_interpreter_call_code.delta", TYPE_TOOL },
    { "response.completed", TYPE_COMPLETED },
    { "response.custom_tool_call_input.delta", TYPE_TOOL },
    { "response.failed", TYPE_ERROR },
    { "response.function_call_arguments.delta", TYPE_TOOL },
    { "response.incomplete", TYPE_COMPLETED },
    { "response.mcp_call_arguments.delta", TYPE_TOOL },
    { "response.output_text.delta", TYPE_CONTENT },
    { "response.reasoning.delta", TYPE_REASONING },
    { "response.reasoning_summary.delta", TYPE_REASONING },
    { "response.reasoning_summary_text.delta", TYPE_REASONING },
    { "response.reasoning_text.delta", TYPE_REASONING },
    { "response.refusal.delta", TYPE_CONTENT },
};

static enum event_type find_event_type(const struct json_text *name)
{
    if (name->len == 0)
        return TYPE_UNKNOWN;
    for (size_t i = 0; i < sizeof event_types / sizeof event_types[0]; i++) {
        if (json_text_equals(name, event_types[i].name))
            return event_types[i].type;
    }
    return json_text_starts_with(name, "response.") ? TYPE_NOTE : TYPE_UNKNOWN;
}

/* The first of the counts that the server gave. */
static uint32_t first_count(const uint32_t *counts, const enum usage_count *names,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (counts[names[i]] != COUNT_NONE)
            return counts[names[i]];
    }
    return COUNT_NONE;
}

#define FIRST_COUNT(counts, ...) \
    first_count(counts, (const enum usage_count[]){ __VA_ARGS__ }, \
                sizeof((const enum usage_count[]){ __VA_ARGS__ }) \
                    / sizeof(enum usage_count))

/* Anthropic's input_tokens leaves out what was read from or written to the cache. */
static uint32_t whole_input(const uint32_t *counts)
{
    uint64_t sum = counts[USAGE_INPUT];
    for (enum usage_count part = USAGE_CACHE_READ; part <= USAGE_CACHE_WRITTEN; part++)
        sum += counts[part] == COUNT_NONE ? 0 : counts[part];
    return sum < COUNT_NONE ? (uint32_t)sum : COUNT_NONE;
}

static void set_usage(struct chunk *chunk, const struct chunk_fields *fields)
{
    enum usage_place place = USAGE_TOP;
    while (place < USAGE_PLACES && !fields->has_usage[place])
        place++;
    chunk->has_usage = place < USAGE_PLACES;
    if (!chunk->has_usage)
        return;
    const uint32_t *counts = fields->usage[place];
    chunk->usage = (struct chunk_usage){
        .prompt_tokens = counts[USAGE_PROMPT] != COUNT_NONE ? counts[USAGE_PROMPT]
                                                            : whole_input(counts),
        .completion_tokens = FIRST_COUNT(counts, USAGE_COMPLETION, USAGE_OUTPUT),
        .cached_tokens = FIRST_COUNT(counts, USAGE_PROMPT_CACHED, USAGE_INPUT_CACHED,
                                     USAGE_CACHE_READ, USAGE_CACHE_HIT),
        .reasoning_tokens = FIRST_COUNT(counts, USAGE_COMPLETION_REASONING,
                                        USAGE_OUTPUT_REASONING, USAGE_REASONING),
    };
}

static void set_finish_reason(struct chunk *chunk, const struct json_text *reason)
{
    json_text_copy(reason, chunk->finish_reason, sizeof chunk->finish_reason);
}

/* The one choice of APIs that have no choices. */
static void set_single_choice(struct chunk *chunk, unsigned pieces,
                              const struct json_text *finish_reason)
{
    bool finished = finish_reason->len > 0;
    chunk->kind = chunk_choice_kind(pieces, finished);
    chunk->choices[0] = (struct chunk_choice){
        .kind = chunk->kind,
        .finished = finished,
    };
    chunk->choice_count = 1;
    set_finish_reason(chunk, finish_reason);
}

static bool is_error(const struct chunk_fields *fields, enum event_type type,
                     const char *sse_type)
{
    return fields->errors[ERROR_TOP] || fields->errors[ERROR_OF_RESPONSE]
           || type == TYPE_ERROR || strcmp(sse_type, "error") == 0
           || json_text_equals(&fields->labels[LABEL_OBJECT], "error")
           || json_text_equals(&fields->labels[LABEL_STATUS], "failed")
           || json_text_equals(&fields->labels[LABEL_STATUS], "cancelled")
           || (fields->message_is_text && !fields->has_choices);
}

/* A response ends with the reason why it is incomplete, or with its status. */
static const struct json_text *response_end(const struct chunk_fields *fields,
                                            enum label status, enum label reason)
{
    const struct json_text *labels = fields->labels;
    return labels[reason].len > 0 ? &labels[reason] : &labels[status];
}

/* OpenAI's response object as the whole answer. */
static void classify_response(struct chunk *chunk, const struct chunk_fields *fields)
{
    static const struct json_text none = { 0 };
    const struct json_text *status = &fields->labels[LABEL_STATUS];
    const struct json_text *end = &none;
    if (json_text_equals(status, "completed") || json_text_equals(status, "incomplete"))
        end = response_end(fields, LABEL_STATUS, LABEL_INCOMPLETE_REASON);
    chunk->answer = true;
    set_single_choice(chunk, fields->top_texts[TOP_OUTPUT], end);
}

static void classify_event(struct chunk *chunk, const struct chunk_fields *fields,
                           enum event_type type)
{
    static const uint8_t string_pieces[] = {
        [TYPE_CONTENT] = PIECE_CONTENT,
        [TYPE_REASONING] = PIECE_REASONING,
        [TYPE_TOOL] = PIECE_TOOL,
    };
    static const struct json_text none = { 0 };
    const uint8_t *texts = fields->top_texts;
    chunk->answer = true;
    switch (type) {
    case TYPE_START:
        set_single_choice(chunk, PIECE_ROLE, &none);
        /* a first guess; the count comes with message_delta */
        chunk->usage.completion_tokens = COUNT_NONE;
        break;
    case TYPE_PIECE:
        set_single_choice(chunk, texts[TOP_DELTA] | texts[TOP_BLOCK],
                          &fields->labels[LABEL_DELTA_STOP_REASON]);
        break;
    case TYPE_CONTENT:
    case TYPE_REASONING:
    case TYPE_TOOL:
        set_single_choice(chunk, texts[TOP_DELTA] != 0 ? string_pieces[type] : 0, &none);
        break;
    case TYPE_WHOLE:
        set_single_choice(chunk, texts[TOP_CONTENT] | PIECE_ROLE,
                          &fields->labels[LABEL_STOP_REASON]);
        break;
    case TYPE_COMPLETED:
        set_finish_reason(chunk, response_end(fields, LABEL_RESPONSE_STATUS,
                                              LABEL_RESPONSE_INCOMPLETE_REASON));
        chunk->kind = EVENT_DONE;
        break;
    case TYPE_DONE:
        chunk->kind = EVENT_DONE;
        break;
    default:
        break;
    }
}

static void classify_choices(struct chunk *chunk, const struct chunk_fields *fields)
{
    chunk->answer = true;
    chunk->aborted = fields->aborted;
    chunk->choice_count = fields->choice_count;
    chunk->kind = chunk->choices[0].kind;
    set_finish_reason(chunk, &fields->finish_reason);
}

static void classify(struct chunk *chunk, const struct chunk_fields *fields,
                     const char *sse_type)
{
    enum event_type type = find_event_type(&fields->labels[LABEL_TYPE]);
    set_usage(chunk, fields);
    if (is_error(fields, type, sse_type)) {
        chunk->kind = EVENT_ERROR;
    } else if (fields->choice_count > 0) {
        classify_choices(chunk, fields);
    } else if (type == TYPE_PING) {
        chunk->kind = EVENT_COMMENT;
    } else if (type != TYPE_UNKNOWN) {
        classify_event(chunk, fields, type);
    } else if (json_text_equals(&fields->labels[LABEL_OBJECT], "response")) {
        classify_response(chunk, fields);
    } else if (chunk->has_usage) {
        chunk->answer = true;
        chunk->kind = EVENT_USAGE;
    } else if (strcmp(sse_type, "ping") == 0) {
        chunk->kind = EVENT_COMMENT;
    } else {
        chunk->answer = fields->has_choices;
    }
}

void chunk_scan(struct chunk *chunk, const char *payload, size_t len, const char *type)
{
    struct chunk_fields fields;
    memset(chunk, 0, offsetof(struct chunk, choices));
    chunk->kind = EVENT_OTHER;
    chunk->valid = chunk_fields_read(&fields, chunk->choices, payload, len);
    if (chunk->valid)
        classify(chunk, &fields, type);
    else if (strcmp(type, "error") == 0)
        chunk->kind = EVENT_ERROR;
    else if (strcmp(type, "ping") == 0)
        chunk->kind = EVENT_COMMENT;
}
