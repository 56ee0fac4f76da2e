#include "replay/request_body.h"

#include <math.h>
#include <string.h>

#include "formats/base/json.h"
#include "formats/base/json_scan.h"
#include "formats/base/random.h"
#include "formats/base/units.h"
#include "replay/plan_streams.h"
#include "replay/prompt_words.h"

enum {
    ID_DIGITS_MAX = 8,
    TOKEN_BYTES_MAX = PROMPT_WORD_MAX + 1, /* of a word or an id, and a separator */
};

const char *request_api_path(enum request_api api)
{
    return api == API_CHAT ? "/v1/chat/completions" : "/v1/completions";
}

int body_options_parse_vocab(struct body_options *options, const char *text,
                             struct fault *fault)
{
    const char *colon = strchr(text, ':');
    int64_t first = -1;
    int64_t end = -1;
    if (colon != NULL) {
        struct buffer head = BUFFER_INIT;
        struct fault ignored = { 0 };
        buffer_append(&head, text, (size_t)(colon - text));
        if (units_parse_int(buffer_text(&head), &first, &ignored) < 0 ||
            units_parse_int(colon + 1, &end, &ignored) < 0)
            end = -1;
        buffer_release(&head);
    }
    if (first < 0 || end > BODY_VOCAB_END_MAX || end - first < 2)
        return fault_set(fault, STATUS_USAGE,
                         "--vocab: \"%s\", expected FIRST:END, two token ids at least, "
                         "END at most %d",
                         text, BODY_VOCAB_END_MAX);
    options->vocab_first = (uint32_t)first;
    options->vocab_end = (uint32_t)end;
    return STATUS_OK;
}

/* Writes prompt tokens, as ids or as words. */
struct prompt_writer {
    struct buffer *body;
    uint64_t seed;
    uint32_t vocab_first;
    uint32_t vocab_size;
    bool words;
    bool begun;
};

/* Appends the digits of id <= BODY_VOCAB_END_MAX. All of a word's bytes are stored, of
 * which only the digits count: a store of fixed size takes one instruction. */
static void write_id(struct buffer *body, uint32_t id)
{
    char digits[2 * ID_DIGITS_MAX] = { 0 };
    char *at = digits + ID_DIGITS_MAX;
    do {
        *--at = (char)('0' + id % 10);
        id /= 10;
    } while (id > 0);
    memcpy(body->data + body->len, at, ID_DIGITS_MAX);
    body->len += (size_t)(digits + ID_DIGITS_MAX - at);
}

/* One token, 0 <= token < vocab_size. The body has room for it. */
static void write_token(struct prompt_writer *writer, uint32_t token)
{
    struct buffer *body = writer->body;
    if (writer->begun)
        body->data[body->len++] = writer->words ? ' ' : ',';
    writer->begun = true;
    if (!writer->words) {
        write_id(body, writer->vocab_first + token);
        return;
    }
    size_t len = strlen(prompt_words[token]);
    memcpy(body->data + body->len, prompt_words[token], len);
    body->len += len;
}

/* `count` tokens that stand for `number`: its digits, moved by amounts of the
 * purpose's own, then draws. */
static void write_run(struct prompt_writer *writer, enum plan_stream purpose,
                      uint64_t number, uint64_t count)
{
    struct random_stream shifts, draws;
    uint64_t rest = number;
    uint64_t left = UINT64_MAX; /* what `rest` could be at most: digits still to write */
    random_stream_init(&shifts, writer->seed, STREAM_DIGITS, purpose);
    random_stream_init(&draws, writer->seed, purpose, number);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t token;
        if (left > 0) {
            uint32_t shift = random_below(&shifts, writer->vocab_size);
            token = (uint32_t)((rest % writer->vocab_size + shift) % writer->vocab_size);
            rest /= writer->vocab_size;
            left /= writer->vocab_size;
        } else {
            token = random_below(&draws, writer->vocab_size);
        }
        write_token(writer, token);
    }
}

bool body_options_use_words(const struct body_options *options)
{
    return options->api == API_CHAT || options->words;
}

static uint64_t words_for(const struct body_options *options, double tokens)
{
    double words = round(tokens * options->words_per_token);
    return words < 1 ? 1 : (uint64_t)words;
}

uint64_t body_options_words(const struct body_options *options, uint32_t planned)
{
    return words_for(options, planned - options->overhead_tokens);
}

static void write_prompt(struct buffer *body, const struct plan *plan, size_t index,
                         const struct body_options *options)
{
    const struct plan_request *request = &plan->requests[index];
    bool words = body_options_use_words(options);
    struct prompt_writer writer = {
        .body = body,
        .seed = plan->seed,
        .vocab_first = options->vocab_first,
        .vocab_size =
            words ? PROMPT_WORD_COUNT : options->vocab_end - options->vocab_first,
        .words = words,
    };
    uint64_t left = words ? body_options_words(options, request->input_tokens)
                          : request->input_tokens;
    buffer_reserve(body, left * TOKEN_BYTES_MAX);
    struct block_cursor blocks = plan_blocks(plan, request);
    for (uint32_t i = 0; i < request->block_count && left > 0; i++) {
        uint64_t count =
            words ? words_for(options, request->block_tokens) : request->block_tokens;
        count = count < left ? count : left;
        write_run(&writer, STREAM_BLOCK, block_cursor_next(&blocks), count);
        left -= count;
    }
    write_run(&writer, STREAM_PROMPT, index, left);
}

/* The contents of messages as one string: their text, escapes as they are, a line
 * each. */
static void write_contents(struct buffer *body, const char *messages, size_t len)
{
    struct json_scan scan;
    bool begun = false;
    json_scan_init(&scan, messages, len);
    buffer_append_byte(body, '"');
    while (json_scan_next(&scan) != JSON_SCAN_END && scan.token != JSON_SCAN_BAD) {
        if (scan.token != JSON_SCAN_KEY ||
            (!json_scan_is(&scan, "content") && !json_scan_is(&scan, "text")))
            continue;
        if (json_scan_next(&scan) != JSON_SCAN_STRING)
            continue;
        if (begun)
            buffer_append_text(body, "\\n");
        buffer_append(body, scan.value, scan.value_len);
        begun = true;
    }
    buffer_append_byte(body, '"');
}

static void append_completions_prompt(struct buffer *body, const struct plan *plan,
                                      size_t index, const struct body_options *options)
{
    uint32_t text = plan->requests[index].text;
    buffer_append_text(body, "\"prompt\":");
    if (text != TEXT_NONE) {
        write_contents(body, plan->text_bytes.data + plan->texts[text].start,
                       plan->texts[text].len);
        return;
    }
    bool words = body_options_use_words(options);
    buffer_append_byte(body, words ? '"' : '[');
    write_prompt(body, plan, index, options);
    buffer_append_byte(body, words ? '"' : ']');
}

static void append_messages(struct buffer *body, const struct plan *plan, size_t index,
                            const struct body_options *options)
{
    uint32_t text = plan->requests[index].text;
    buffer_append_text(body, "\"messages\":");
    if (text != TEXT_NONE) {
        buffer_append(body, plan->text_bytes.data + plan->texts[text].start,
                      plan->texts[text].len);
        return;
    }
    buffer_append_text(body, "[{\"role\":\"user\",\"content\":\"");
    write_prompt(body, plan, index, options);
    buffer_append_text(body, "\"}]");
}

static void append_limit(struct buffer *body, const char *name, uint32_t tokens)
{
    buffer_append_text(body, name);
    buffer_append_int(body, tokens);
}

void request_body_append(struct buffer *body, const struct plan *plan, size_t index,
                         const struct body_options *options)
{
    uint32_t output_tokens = plan->requests[index].output_tokens;
    bool chat = options->api == API_CHAT;
    buffer_append_byte(body, '{');
    if (options->model != NULL && options->model[0] != '\0') {
        buffer_append_text(body, "\"model\":");
        buffer_append_json_string(body, options->model, strlen(options->model));
        buffer_append_byte(body, ',');
    }
    if (chat)
        append_messages(body, plan, index, options);
    else
        append_completions_prompt(body, plan, index, options);
    if (chat)
        append_limit(body, ",\"max_completion_tokens\":", output_tokens);
    if (!chat || options->ignore_eos)
        append_limit(body, ",\"max_tokens\":", output_tokens);
    buffer_append_text(body, ",\"temperature\":0");
    if (options->stream)
        buffer_append_text(body, ",\"stream\":true"
                                 ",\"stream_options\":{\"include_usage\":true}");
    if (options->ignore_eos)
        buffer_append_text(body, ",\"ignore_eos\":true");
    buffer_append_byte(body, '}');
}
