#include "formats/chunk_texts.h"

#include <string.h>

bool chunk_collect(struct chunk_fields *fields, json_read_fn *read, uint8_t *set)
{
    unsigned outer = fields->pieces;
    fields->pieces = 0;
    bool ok = read(fields, 0);
    *set = (uint8_t)fields->pieces;
    fields->pieces = outer;
    return ok;
}

/* A string; anything else reads as an empty one. */
static bool read_string(struct chunk_fields *fields, struct json_text *text)
{
    *text = (struct json_text){ 0 };
    if (json_peek(&fields->cursor) == '"')
        return json_cursor_string(&fields->cursor, text);
    return json_cursor_skip(&fields->cursor);
}

bool chunk_read_label(void *context, unsigned slot)
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

/* Parts of content: {type, text}, {type, thinking}, a tool call {function: {name,
 * arguments}}, an output item {type, content: [parts]}, ... nested as the APIs like. */

static bool read_part_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return chunk_collect(fields, chunk_read_text, &fields->part.texts[slot]);
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
    JSON_FIELD("stop_reason", chunk_read_label, LABEL_DELTA_STOP_REASON),
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

bool chunk_read_text(void *context, unsigned slot)
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
        return json_cursor_array(&fields->cursor, chunk_read_text, fields);
    default:
        return json_cursor_skip(&fields->cursor);
    }
}

bool chunk_read_delta(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    if (json_peek(&fields->cursor) == '{')
        return read_part(fields, delta_event_table);
    return chunk_read_text(fields, slot);
}

/* A delta, or the message of an answer that was not streamed. */

static bool read_message_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return chunk_collect(fields, chunk_read_text, &fields->message_texts[slot]);
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
    memset(fields->message_texts, 0, sizeof fields->message_texts);
    bool ok = json_cursor_object(&fields->cursor, message_table, fields);
    fields->pieces |= pieces_of(fields->message_texts, message_classes, MESSAGE_TEXTS);
    return ok;
}

/* Choices. */

static bool read_choice_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    return chunk_collect(fields, slot == CHOICE_TEXT ? chunk_read_text : read_message,
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

bool chunk_read_choices(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    (void)slot;
    fields->choice_count = 0;
    fields->aborted = false;
    fields->finish_reason = (struct json_text){ 0 };
    fields->has_choices = json_peek(&fields->cursor) == '[';
    return json_cursor_array(&fields->cursor, read_choice, fields);
}
