#include "formats/chunk_fields.h"

#include <string.h>

/* Reads a value with `read`, which adds to fields->pieces; *set becomes what this value brought. */
static bool collect(struct chunk_fields *fields, json_read_fn *read, uint8_t *set)
{
    unsigned outer = fields->pieces;
    fields->pieces = 0;
    bool ok = read(fields, 0);
    *set = (uint8_t)fields->pieces;
    fields->pieces = outer;
    return ok;
}

/* A string that is not empty, as a label; anything else is none. */
static bool read_string(struct chunk_fields *fields, struct json_text *text)
{
    *text = (struct json_text){ 0 };
    if (json_peek(&fields->cursor) == '"')
        return json_cursor_string(&fields->cursor, text);
    return json_cursor_skip(&fields->cursor);
}

static bool read_label(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return read_string(fields, &fields->labels[slot]);
}

/* What a member's text counts as: the piece, or 0 for what it was read as. */
static unsigned pieces_of(const uint8_t *texts, const uint8_t *classes, size_t count)
{
    unsigned pieces = 0;
    for (size_t i = 0; i < count; i++)
        pieces |= texts[i] == 0 || classes[i] == 0 ? texts[i] : classes[i];
    return pieces;
}

/* Parts of content: {type, text}, {type, thinking}, a tool call {function: {name, arguments}}, an output
 * item {type, content: [parts]}, ... nested as the APIs like. */

static bool read_text(void *context, unsigned slot);

static bool read_part_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return collect(fields, read_text, &fields->part.texts[slot]);
}

static bool read_part_type(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    return read_string(fields, &fields->part.type);
}

static const struct json_field part_table[] = {
    JSON_FIELD("type", read_part_type, 0),
    JSON_FIELD("text", read_part_text, PART_TEXT),
    JSON_FIELD("name", read_part_text, PART_NAME),
    JSON_FIELD("input", read_part_text, PART_INPUT),
    JSON_FIELD("custom", read_part_text, PART_CUSTOM),
    JSON_FIELD("refusal", read_part_text, PART_REFUSAL),
    JSON_FIELD("content", read_part_text, PART_CONTENT),
    JSON_FIELD("summary", read_part_text, PART_SUMMARY),
    JSON_FIELD("thinking", read_part_text, PART_THINKING),
    JSON_FIELD("function", read_part_text, PART_FUNCTION),
    JSON_FIELD("arguments", read_part_text, PART_ARGUMENTS),
    JSON_FIELD("partial_json", read_part_text, PART_PARTIAL_JSON),
    JSON_FIELDS_END,
};

static const struct json_field delta_event_table[] = {
    JSON_FIELD("type", read_part_type, 0),
    JSON_FIELD("text", read_part_text, PART_TEXT),
    JSON_FIELD("thinking", read_part_text, PART_THINKING),
    JSON_FIELD("stop_reason", read_label, LABEL_DELTA_STOP_REASON),
    JSON_FIELD("partial_json", read_part_text, PART_PARTIAL_JSON),
    JSON_FIELDS_END,
};

static const uint8_t part_classes[PART_TEXTS] = {
    [PART_REFUSAL] = PIECE_CONTENT,
    [PART_THINKING] = PIECE_REASONING,
    [PART_SUMMARY] = PIECE_REASONING,
    [PART_FUNCTION] = PIECE_TOOL,
    [PART_CUSTOM] = PIECE_TOOL,
    [PART_NAME] = PIECE_TOOL,
    [PART_ARGUMENTS] = PIECE_TOOL,
    [PART_INPUT] = PIECE_TOOL,
    [PART_PARTIAL_JSON] = PIECE_TOOL,
};

static unsigned part_pieces(const struct part_fields *part)
{
    unsigned pieces = pieces_of(part->texts, part_classes, PART_TEXTS);
    bool thought = (pieces & PIECE_CONTENT) != 0
                   && (json_text_starts_with(&part->type, "reasoning")
                       || json_text_starts_with(&part->type, "thinking"));
    return thought ? (pieces & ~(unsigned)PIECE_CONTENT) | PIECE_REASONING : pieces;
}

static bool read_part(struct chunk_fields *fields, const struct json_field *table)
{
    struct part_fields outer = fields->part;
    fields->part = (struct part_fields){ 0 };
    bool ok = json_cursor_object(&fields->cursor, table, fields);
    fields->pieces |= part_pieces(&fields->part);
    fields->part = outer;
    return ok;
}

/* A string, a part, or an array of either. */
static bool read_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    struct json_text text;
    (void)slot;
    switch (json_peek(&fields->cursor)) {
    case '"':
        if (!json_cursor_string(&fields->cursor, &text))
            return false;
        fields->pieces |= text.len > 0 ? PIECE_CONTENT : 0;
        return true;
    case '{':
        return read_part(fields, part_table);
    case '[':
        return json_cursor_array(&fields->cursor, read_text, fields);
    default:
        return json_cursor_skip(&fields->cursor);
    }
}

/* A delta, or the message of an answer that was not streamed. */

static bool read_message_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return collect(fields, read_text, &fields->message_texts[slot]);
}

static const struct json_field message_table[] = {
    JSON_FIELD("role", read_message_text, MESSAGE_ROLE),
    JSON_FIELD("content", read_message_text, MESSAGE_CONTENT),
    JSON_FIELD("refusal", read_message_text, MESSAGE_REFUSAL),
    JSON_FIELD("reasoning", read_message_text, MESSAGE_REASONING),
    JSON_FIELD("tool_calls", read_message_text, MESSAGE_TOOL_CALLS),
    JSON_FIELD("function_call", read_message_text, MESSAGE_FUNCTION_CALL),
    JSON_FIELD("reasoning_content", read_message_text, MESSAGE_REASONING_CONTENT),
    JSON_FIELDS_END,
};

static const uint8_t message_classes[MESSAGE_TEXTS] = {
    [MESSAGE_ROLE] = PIECE_ROLE,
    [MESSAGE_REFUSAL] = PIECE_CONTENT,
    [MESSAGE_REASONING] = PIECE_REASONING,
    [MESSAGE_REASONING_CONTENT] = PIECE_REASONING,
    [MESSAGE_TOOL_CALLS] = PIECE_TOOL,
    [MESSAGE_FUNCTION_CALL] = PIECE_TOOL,
};

static bool read_message(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    if (json_peek(&fields->cursor) != '{')
        return json_cursor_skip(&fields->cursor);
    memset(fields->message_texts, 0, sizeof fields->message_texts);
    bool ok = json_cursor_object(&fields->cursor, message_table, fields);
    fields->pieces |= pieces_of(fields->message_texts, message_classes, MESSAGE_TEXTS);
    return ok;
}

/* Choices. */

static bool read_choice_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return collect(fields, slot == CHOICE_TEXT ? read_text : read_message,
                   &fields->choice.texts[slot]);
}

static bool read_choice_index(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    return json_cursor_count(&fields->cursor, UINT16_MAX, fields->choice.position,
                             &fields->choice.index);
}

static bool read_finish_reason(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    return read_string(fields, &fields->choice.finish_reason);
}

static const struct json_field choice_table[] = {
    JSON_FIELD("text", read_choice_text, CHOICE_TEXT),
    JSON_FIELD("index", read_choice_index, 0),
    JSON_FIELD("delta", read_choice_text, CHOICE_DELTA),
    JSON_FIELD("message", read_choice_text, CHOICE_MESSAGE),
    JSON_FIELD("finish_reason", read_finish_reason, 0),
    JSON_FIELDS_END,
};

uint8_t chunk_choice_kind(unsigned pieces, bool finished)
{
    if (pieces & PIECE_CONTENT)
        return EVENT_CONTENT;
    if (pieces & PIECE_REASONING)
        return EVENT_REASONING;
    if (pieces & PIECE_TOOL)
        return EVENT_TOOL;
    if (finished)
        return EVENT_FINISH;
    return pieces & PIECE_ROLE ? EVENT_ROLE : EVENT_EMPTY;
}

static void add_choice(struct chunk_fields *fields)
{
    const struct choice_fields *choice = &fields->choice;
    unsigned pieces = 0;
    for (size_t i = 0; i < CHOICE_TEXTS; i++)
        pieces |= choice->texts[i];
    bool finished = choice->finish_reason.len > 0;
    fields->choices[fields->choice_count++] = (struct chunk_choice){
        .index = (uint16_t)choice->index,
        .kind = chunk_choice_kind(pieces, finished),
        .finished = finished,
    };
    if (finished && choice->index == 0)
        fields->finish_reason = choice->finish_reason;
    fields->aborted |= finished
                       && (json_text_equals(&choice->finish_reason, "error")
                           || json_text_equals(&choice->finish_reason, "abort"));
}

static bool read_choice(void *context, unsigned position)
{
    struct chunk_fields *fields = context;
    if (json_peek(&fields->cursor) != '{')
        return json_cursor_skip(&fields->cursor);
    if (position >= CHUNK_CHOICES_MAX)
        return false;
    fields->choice = (struct choice_fields){ .position = position, .index = position };
    if (!json_cursor_object(&fields->cursor, choice_table, fields))
        return false;
    add_choice(fields);
    return true;
}

static bool read_choices(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    fields->choice_count = 0;
    fields->aborted = false;
    fields->finish_reason = (struct json_text){ 0 };
    fields->has_choices = json_peek(&fields->cursor) == '[';
    if (!fields->has_choices)
        return json_cursor_skip(&fields->cursor);
    return json_cursor_array(&fields->cursor, read_choice, fields);
}

/* Usage. */

static bool read_count(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return json_cursor_count(&fields->cursor, COUNT_NONE - 1, COUNT_NONE,
                             &fields->usage[fields->place][slot]);
}

static const struct json_field prompt_details_table[] = {
    JSON_FIELD("cached_tokens", read_count, USAGE_PROMPT_CACHED),
    JSON_FIELDS_END,
};
static const struct json_field input_details_table[] = {
    JSON_FIELD("cached_tokens", read_count, USAGE_INPUT_CACHED),
    JSON_FIELDS_END,
};
static const struct json_field completion_details_table[] = {
    JSON_FIELD("reasoning_tokens", read_count, USAGE_COMPLETION_REASONING),
    JSON_FIELDS_END,
};
static const struct json_field output_details_table[] = {
    JSON_FIELD("reasoning_tokens", read_count, USAGE_OUTPUT_REASONING),
    JSON_FIELDS_END,
};

static bool read_details(void *context, unsigned slot)
{
    static const struct json_field *const tables[USAGE_COUNTS] = {
        [USAGE_PROMPT_CACHED] = prompt_details_table,
        [USAGE_INPUT_CACHED] = input_details_table,
        [USAGE_COMPLETION_REASONING] = completion_details_table,
        [USAGE_OUTPUT_REASONING] = output_details_table,
    };
    struct chunk_fields *fields = context;
    fields->usage[fields->place][slot] = COUNT_NONE;
    if (json_peek(&fields->cursor) != '{')
        return json_cursor_skip(&fields->cursor);
    return json_cursor_object(&fields->cursor, tables[slot], fields);
}

static const struct json_field usage_table[] = {
    JSON_FIELD("input_tokens", read_count, USAGE_INPUT),
    JSON_FIELD("prompt_tokens", read_count, USAGE_PROMPT),
    JSON_FIELD("output_tokens", read_count, USAGE_OUTPUT),
    JSON_FIELD("reasoning_tokens", read_count, USAGE_REASONING),
    JSON_FIELD("completion_tokens", read_count, USAGE_COMPLETION),
    JSON_FIELD("input_tokens_details", read_details, USAGE_INPUT_CACHED),
    JSON_FIELD("prompt_tokens_details", read_details, USAGE_PROMPT_CACHED),
    JSON_FIELD("output_tokens_details", read_details, USAGE_OUTPUT_REASONING),
    JSON_FIELD("cache_read_input_tokens", read_count, USAGE_CACHE_READ),
    JSON_FIELD("prompt_cache_hit_tokens", read_count, USAGE_CACHE_HIT),
    JSON_FIELD("completion_tokens_details", read_details, USAGE_COMPLETION_REASONING),
    JSON_FIELD("cache_creation_input_tokens", read_count, USAGE_CACHE_WRITTEN),
    JSON_FIELDS_END,
};

static bool read_usage(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    fields->has_usage[slot] = json_peek(&fields->cursor) == '{';
    if (!fields->has_usage[slot])
        return json_cursor_skip(&fields->cursor);
    for (size_t i = 0; i < USAGE_COUNTS; i++)
        fields->usage[slot][i] = COUNT_NONE;
    fields->place = (enum usage_place)slot;
    return json_cursor_object(&fields->cursor, usage_table, fields);
}

/* The top object. */

/* An error is anything but null, false and "". */
static bool read_error(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    struct json_text text;
    char first = json_peek(&fields->cursor);
    if (first == '"') {
        if (!json_cursor_string(&fields->cursor, &text))
            return false;
        fields->errors[slot] = text.len > 0;
        return true;
    }
    fields->errors[slot] = first != 'n' && first != 'f';
    return json_cursor_skip(&fields->cursor);
}

static const struct json_field incomplete_table[] = {
    JSON_FIELD("reason", read_label, LABEL_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};
static const struct json_field response_incomplete_table[] = {
    JSON_FIELD("reason", read_label, LABEL_RESPONSE_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};

static bool read_incomplete(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    fields->labels[slot] = (struct json_text){ 0 };
    if (json_peek(&fields->cursor) != '{')
        return json_cursor_skip(&fields->cursor);
    return json_cursor_object(&fields->cursor,
                              slot == LABEL_INCOMPLETE_REASON ? incomplete_table
                                                              : response_incomplete_table,
                              fields);
}

static const struct json_field response_table[] = {
    JSON_FIELD("usage", read_usage, USAGE_OF_RESPONSE),
    JSON_FIELD("error", read_error, ERROR_OF_RESPONSE),
    JSON_FIELD("status", read_label, LABEL_RESPONSE_STATUS),
    JSON_FIELD("incomplete_details", read_incomplete, LABEL_RESPONSE_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};

static bool read_response(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    fields->has_usage[USAGE_OF_RESPONSE] = false;
    fields->errors[ERROR_OF_RESPONSE] = false;
    fields->labels[LABEL_RESPONSE_STATUS] = (struct json_text){ 0 };
    fields->labels[LABEL_RESPONSE_INCOMPLETE_REASON] = (struct json_text){ 0 };
    if (json_peek(&fields->cursor) != '{')
        return json_cursor_skip(&fields->cursor);
    return json_cursor_object(&fields->cursor, response_table, fields);
}

static const struct json_field message_event_table[] = {
    JSON_FIELD("usage", read_usage, USAGE_OF_MESSAGE),
    JSON_FIELDS_END,
};

static bool read_top_message(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    char first = json_peek(&fields->cursor);
    fields->has_usage[USAGE_OF_MESSAGE] = false;
    fields->message_is_text = first == '"';
    if (first != '{')
        return json_cursor_skip(&fields->cursor);
    return json_cursor_object(&fields->cursor, message_event_table, fields);
}

static bool read_delta(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    if (json_peek(&fields->cursor) == '{')
        return read_part(fields, delta_event_table);
    return read_text(fields, slot);
}

static bool read_top_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    if (slot == TOP_DELTA)
        fields->labels[LABEL_DELTA_STOP_REASON] = (struct json_text){ 0 };
    return collect(fields, slot == TOP_DELTA ? read_delta : read_text, &fields->top_texts[slot]);
}

static const struct json_field top_table[] = {
    JSON_FIELD("type", read_label, LABEL_TYPE),
    JSON_FIELD("usage", read_usage, USAGE_TOP),
    JSON_FIELD("error", read_error, ERROR_TOP),
    JSON_FIELD("delta", read_top_text, TOP_DELTA),
    JSON_FIELD("object", read_label, LABEL_OBJECT),
    JSON_FIELD("output", read_top_text, TOP_OUTPUT),
    JSON_FIELD("status", read_label, LABEL_STATUS),
    JSON_FIELD("choices", read_choices, 0),
    JSON_FIELD("message", read_top_message, 0),
    JSON_FIELD("content", read_top_text, TOP_CONTENT),
    JSON_FIELD("response", read_response, 0),
    JSON_FIELD("stop_reason", read_label, LABEL_STOP_REASON),
    JSON_FIELD("content_block", read_top_text, TOP_BLOCK),
    JSON_FIELD("incomplete_details", read_incomplete, LABEL_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};

bool chunk_fields_read(struct chunk_fields *fields, struct chunk_choice *choices,
                       const char *payload, size_t len)
{
    memset(fields, 0, offsetof(struct chunk_fields, usage));
    fields->choices = choices;
    json_cursor_start(&fields->cursor, payload, len);
    bool ok = json_peek(&fields->cursor) == '{'
                  ? json_cursor_object(&fields->cursor, top_table, fields)
                  : json_cursor_skip(&fields->cursor);
    return ok && json_cursor_at_end(&fields->cursor);
}
