#include "replay/serve_request.h"

/* Context of the readers; the cursor stands at the value to be read. */
struct reading {
    struct json_cursor cursor;
    struct serve_request *request;
    struct serve_refusal refusal;
    struct serve_blocks *blocks; /* NULL: not wanted */
    char element; /* first byte of the prompt array's elements: 0, '0', '"' or '[' */
    uint32_t inner_count; /* ids in an inner array */
    bool has_prompt;
    bool has_messages;
    bool limit_named; /* by max_completion_tokens, which overrides max_tokens */
};

/* Stops the reading for good. */
static bool refuse(struct reading *reading, const char *message, const char *param)
{
    reading->refusal = (struct serve_refusal){ message, param };
    return false;
}

static bool is_space(unsigned code)
{
    return code == ' ' || (code >= '\t' && code <= '\r');
}

/* The character behind a backslash, as far as white space is concerned; *at moves over
 * it. */
static unsigned escaped_code(const char **at)
{
    char byte = *(*at)++;
    switch (byte) {
    case 'n':
    case 'r':
    case 't':
    case 'f':
        return ' ';
    case 'u': {
        unsigned code = 0;
        for (int i = 0; i < 4; i++) {
            char digit = *(*at)++;
            code = code << 4 |
                   (unsigned)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
        }
        return code;
    }
    default:
        return (unsigned char)byte;
    }
}

/* One character of a text, and whether a word ends with the one before it. */
static void take_character(struct serve_blocks *blocks, unsigned code, bool word_ends)
{
    if (word_ends)
        serve_blocks_end_token(blocks);
    if (!is_space(code))
        serve_blocks_add(blocks, &code, sizeof(code));
}

/* Runs of characters between ASCII white space, escaped or not. */
static uint32_t count_words(const struct json_text *text, struct serve_blocks *blocks)
{
    const char *at = text->bytes, *end = at + text->len;
    uint32_t words = 0;
    bool inside = false;
    while (at < end) {
        unsigned code = (unsigned char)*at++;
        if (code == '\\')
            code = escaped_code(&at);
        bool space = is_space(code);
        if (blocks)
            take_character(blocks, code, space && inside);
        words += !space && !inside;
        inside = !space;
    }
    if (blocks && inside)
        serve_blocks_end_token(blocks);
    return words;
}

static bool read_words(struct reading *reading, uint32_t *words)
{
    struct json_text text;
    if (!json_cursor_string(&reading->cursor, &text))
        return false;
    *words = count_words(&text, reading->blocks);
    return true;
}

static bool read_id(struct reading *reading)
{
    const char *start = reading->cursor.at;
    if (!json_cursor_skip(&reading->cursor))
        return false;
    if (reading->blocks) {
        serve_blocks_add(reading->blocks, start, (size_t)(reading->cursor.at - start));
        serve_blocks_end_token(reading->blocks);
    }
    return true;
}

/* A prompt begins; what was read of one before it is void. */
static void start_prompt(struct reading *reading)
{
    reading->request->prompts = 0;
    reading->request->prompt_tokens[0] = 0;
    if (reading->blocks)
        serve_blocks_start(reading->blocks);
}

static bool add_prompt(struct reading *reading, uint32_t tokens)
{
    struct serve_request *request = reading->request;
    if (request->prompts == SERVE_CHOICES_MAX)
        return refuse(reading, "more than 128 prompts in one request", "prompt");
    request->prompt_tokens[request->prompts++] = tokens;
    return true;
}

static bool at_number(const struct reading *reading)
{
    char byte = json_peek(&reading->cursor);
    return byte >= '0' && byte <= '9';
}

static bool read_inner_id(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    if (!at_number(reading))
        return refuse(reading,
                      "a prompt among several must be text or a list of token ids",
                      "prompt");
    reading->inner_count++;
    return read_id(reading);
}

static bool read_inner_prompt(struct reading *reading)
{
    reading->inner_count = 0;
    return json_cursor_array(&reading->cursor, read_inner_id, reading) &&
           (reading->inner_count || refuse(reading, "a prompt is empty", "prompt")) &&
           add_prompt(reading, reading->inner_count);
}

static bool read_prompt_element(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    char kind = at_number(reading) ? '0' : json_peek(&reading->cursor);
    if (reading->element && kind != reading->element)
        return refuse(reading, "a prompt mixes texts, token ids and lists", "prompt");
    reading->element = kind;
    uint32_t words;
    switch (kind) {
    case '0':
        reading->request->prompt_tokens[0]++;
        return read_id(reading);
    case '"':
        return read_words(reading, &words) && add_prompt(reading, words);
    case '[':
        return read_inner_prompt(reading);
    default:
        return refuse(reading, "a prompt must hold texts, token ids or lists of them",
                      "prompt");
    }
}

static bool read_prompt(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    struct serve_request *request = reading->request;
    char first = json_peek(&reading->cursor);
    start_prompt(reading);
    reading->element = 0;
    reading->has_prompt = first != 'n';
    uint32_t words;
    if (first == 'n')
        return json_cursor_skip(&reading->cursor);
    if (first == '"')
        return read_words(reading, &words) && add_prompt(reading, words);
    if (first != '[')
        return refuse(reading, "prompt must be a text or a list", "prompt");
    if (!json_cursor_array(&reading->cursor, read_prompt_element, reading))
        return false;
    if (!reading->element)
        return refuse(reading, "prompt is empty", "prompt");
    if (reading->element == '0')
        request->prompts = 1;
    return true;
}

static bool add_message_words(struct reading *reading)
{
    uint32_t words;
    if (!read_words(reading, &words))
        return false;
    reading->request->prompt_tokens[0] += words;
    return true;
}

static bool read_part_text(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    return json_peek(&reading->cursor) == '"' ? add_message_words(reading)
                                              : json_cursor_skip(&reading->cursor);
}

static bool read_part(void *context, unsigned slot)
{
    (void)slot;
    static const struct json_field fields[] = { JSON_FIELD("text", read_part_text, 0),
                                                JSON_FIELDS_END };
    struct reading *reading = context;
    if (json_peek(&reading->cursor) == '"')
        return add_message_words(reading);
    return json_peek(&reading->cursor) == '{'
               ? json_cursor_object(&reading->cursor, fields, reading)
               : refuse(reading, "a part of a message's content must be an object",
                        "messages");
}

static bool read_content(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    switch (json_peek(&reading->cursor)) {
    case '"':
        return add_message_words(reading);
    case '[':
        return json_cursor_array(&reading->cursor, read_part, reading);
    case 'n':
        return json_cursor_skip(&reading->cursor);
    default:
        return refuse(reading, "a message's content must be a text or a list of parts",
                      "messages");
    }
}

static bool read_message(void *context, unsigned slot)
{
    (void)slot;
    static const struct json_field fields[] = { JSON_FIELD("content", read_content, 0),
                                                JSON_FIELDS_END };
    struct reading *reading = context;
    reading->has_messages = true;
    return json_peek(&reading->cursor) == '{'
               ? json_cursor_object(&reading->cursor, fields, reading)
               : refuse(reading, "a message must be an object", "messages");
}

static bool read_messages(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    start_prompt(reading);
    reading->request->prompts = 1;
    return json_peek(&reading->cursor) == '['
               ? json_cursor_array(&reading->cursor, read_message, reading)
               : refuse(reading, "messages must be a list", "messages");
}

static bool read_model(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    enum { MODEL_MAX = 256 };
    if (json_peek(&reading->cursor) != '"')
        return refuse(reading, "model must be a text", "model");
    if (!json_cursor_string(&reading->cursor, &reading->request->model))
        return false;
    return reading->request->model.len <= MODEL_MAX ||
           refuse(reading, "model is longer than 256 bytes", "model");
}

/* A whole number from 1 to max; null leaves *value as it is. */
static bool read_count(struct reading *reading, uint32_t max, uint32_t *value,
                       const char *message, const char *param)
{
    if (json_peek(&reading->cursor) == 'n')
        return json_cursor_skip(&reading->cursor);
    if (!json_cursor_count(&reading->cursor, max, 0, value))
        return false;
    return *value || refuse(reading, message, param);
}

static bool read_max_tokens(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    uint32_t ignored = reading->request->max_tokens;
    return read_count(reading, SERVE_TOKENS_MAX,
                      reading->limit_named ? &ignored : &reading->request->max_tokens,
                      "max_tokens must be a whole number from 1 to 1000000",
                      "max_tokens");
}

static bool read_max_completion_tokens(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    reading->limit_named = json_peek(&reading->cursor) != 'n';
    return read_count(reading, SERVE_TOKENS_MAX, &reading->request->max_tokens,
                      "max_completion_tokens must be a whole number from 1 to 1000000",
                      "max_completion_tokens");
}

static bool read_n(void *context, unsigned slot)
{
    (void)slot;
    struct reading *reading = context;
    return read_count(reading, SERVE_CHOICES_MAX, &reading->request->n,
                      "n must be a whole number from 1 to 128", "n");
}

enum { FLAG_STREAM, FLAG_INCLUDE_USAGE, FLAG_CONTINUOUS_USAGE };

static bool read_flag(void *context, unsigned slot)
{
    struct reading *reading = context;
    struct serve_request *request = reading->request;
    const struct {
        bool *value;
        const char *message;
        const char *param;
    } flags[] = {
        [FLAG_STREAM] = { &request->stream, "stream must be true or false", "stream" },
        [FLAG_INCLUDE_USAGE] = { &request->include_usage,
                                 "include_usage must be true or false",
                                 "stream_options" },
        [FLAG_CONTINUOUS_USAGE] = { &request->continuous_usage,
                                    "continuous_usage_stats must be true or false",
                                    "stream_options" },
    };
    char first = json_peek(&reading->cursor);
    if (first != 't' && first != 'f' && first != 'n')
        return refuse(reading, flags[slot].message, flags[slot].param);
    *flags[slot].value = first == 't';
    return json_cursor_skip(&reading->cursor);
}

static bool read_stream_options(void *context, unsigned slot)
{
    (void)slot;
    static const struct json_field fields[] = {
        JSON_FIELD("include_usage", read_flag, FLAG_INCLUDE_USAGE),
        JSON_FIELD("continuous_usage_stats", read_flag, FLAG_CONTINUOUS_USAGE),
        JSON_FIELDS_END,
    };
    struct reading *reading = context;
    if (json_peek(&reading->cursor) == 'n')
        return json_cursor_skip(&reading->cursor);
    return json_peek(&reading->cursor) == '{'
               ? json_cursor_object(&reading->cursor, fields, reading)
               : refuse(reading, "stream_options must be an object", "stream_options");
}

static const struct json_field prompt_fields[] = {
    JSON_FIELD("n", read_n, 0),
    JSON_FIELD("model", read_model, 0),
    JSON_FIELD("prompt", read_prompt, 0),
    JSON_FIELD("stream", read_flag, FLAG_STREAM),
    JSON_FIELD("max_tokens", read_max_tokens, 0),
    JSON_FIELD("stream_options", read_stream_options, 0),
    JSON_FIELDS_END,
};

static const struct json_field messages_fields[] = {
    JSON_FIELD("n", read_n, 0),
    JSON_FIELD("model", read_model, 0),
    JSON_FIELD("stream", read_flag, FLAG_STREAM),
    JSON_FIELD("messages", read_messages, 0),
    JSON_FIELD("max_tokens", read_max_tokens, 0),
    JSON_FIELD("stream_options", read_stream_options, 0),
    JSON_FIELD("max_completion_tokens", read_max_completion_tokens, 0),
    JSON_FIELDS_END,
};

static const struct json_field either_fields[] = {
    JSON_FIELD("prompt", read_prompt, 0),
    JSON_FIELD("messages", read_messages, 0),
    JSON_FIELDS_END,
};

static bool check_prompt(struct reading *reading, enum serve_prompt prompt)
{
    const struct serve_request *request = reading->request;
    uint32_t choices = request->prompts * request->n;
    if (!reading->has_prompt && !reading->has_messages)
        return prompt == SERVE_MESSAGES
                   ? refuse(reading, "messages is missing or empty", "messages")
                   : refuse(reading, "prompt is missing", "prompt");
    if (choices > SERVE_CHOICES_MAX)
        return refuse(reading, "more than 128 choices in one request", "n");
    return (uint64_t)choices * request->max_tokens <= SERVE_ANSWER_MAX ||
           refuse(reading, "more than 4000000 tokens in one answer", "max_tokens");
}

bool serve_request_parse(struct serve_request *request, enum serve_prompt prompt,
                         const char *body, size_t len, struct serve_blocks *blocks,
                         struct serve_refusal *refusal)
{
    static const struct json_field *const tables[] = {
        [SERVE_PROMPT] = prompt_fields,
        [SERVE_MESSAGES] = messages_fields,
        [SERVE_EITHER] = either_fields,
    };
    struct reading reading = { .request = request, .blocks = blocks };
    *request = (struct serve_request){ .n = 1, .max_tokens = SERVE_DEFAULT_MAX_TOKENS };
    json_cursor_start(&reading.cursor, body, len);
    if (json_peek(&reading.cursor) != '{')
        refuse(&reading, "the body must be a JSON object", NULL);
    else if (json_cursor_object(&reading.cursor, tables[prompt], &reading) &&
             json_cursor_at_end(&reading.cursor) && check_prompt(&reading, prompt)) {
        if (blocks && request->prompts > 1)
            serve_blocks_start(blocks);
        return true;
    }
    *refusal = reading.refusal;
    if (!refusal->message)
        refusal->message = "the body is not valid JSON";
    return false;
}
