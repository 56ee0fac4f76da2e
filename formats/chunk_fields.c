#include "formats/chunk_fields.h"

#include <string.h>

#include "formats/chunk_texts.h"

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
    JSON_FIELD("reason", chunk_read_label, LABEL_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};
static const struct json_field response_incomplete_table[] = {
    JSON_FIELD("reason", chunk_read_label, LABEL_RESPONSE_INCOMPLETE_REASON),
    JSON_FIELDS_END,
};

static bool read_incomplete(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    fields->labels[slot] = (struct json_text){ 0 };
    return json_cursor_object(&fields->cursor,
                              slot == LABEL_INCOMPLETE_REASON ? incomplete_table
                                                              : response_incomplete_table,
                              fields);
}

static const struct json_field response_table[] = {
    JSON_FIELD("usage", read_usage, USAGE_OF_RESPONSE),
    JSON_FIELD("error", read_error, ERROR_OF_RESPONSE),
    JSON_FIELD("status", chunk_read_label, LABEL_RESPONSE_STATUS),
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
    fields->has_usage[USAGE_OF_MESSAGE] = false;
    fields->message_is_text = json_peek(&fields->cursor) == '"';
    return json_cursor_object(&fields->cursor, message_event_table, fields);
}

static bool read_top_text(void *context, unsigned slot)
{
    struct chunk_fields *fields = context;
    if (slot == TOP_DELTA)
        fields->labels[LABEL_DELTA_STOP_REASON] = (struct json_text){ 0 };
    return chunk_collect(fields, slot == TOP_DELTA ? chunk_read_delta : chunk_read_text,
                         &fields->top_texts[slot]);
}

static const struct json_field top_table[] = {
    JSON_FIELD("type", chunk_read_label, LABEL_TYPE),
    JSON_FIELD("usage", read_usage, USAGE_TOP),
    JSON_FIELD("error", read_error, ERROR_TOP),
    JSON_FIELD("delta", read_top_text, TOP_DELTA),
    JSON_FIELD("object", chunk_read_label, LABEL_OBJECT),
    JSON_FIELD("output", read_top_text, TOP_OUTPUT),
    JSON_FIELD("status", chunk_read_label, LABEL_STATUS),
    JSON_FIELD("choices", chunk_read_choices, 0),
    JSON_FIELD("message", read_top_message, 0),
    JSON_FIELD("content", read_top_text, TOP_CONTENT),
    JSON_FIELD("response", read_response, 0),
    JSON_FIELD("stop_reason", chunk_read_label, LABEL_STOP_REASON),
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
    return json_cursor_object(&fields->cursor, top_table, fields)
           && json_cursor_at_end(&fields->cursor);
}
