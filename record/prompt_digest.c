#include "record/prompt_digest.h"

#include <stdlib.h>

#include "formats/arrivals.h"
#include "formats/base/bytes.h"
#include "formats/base/json_scan.h"
#include "formats/base/memory.h"

/* One reading of a body. */
struct reading {
    struct prompt_digest *digest;
    const struct prompt_settings *settings;
    struct json_scan scan;
    struct buffer text; /* scratch */
};

static void start_block(struct reading *reading)
{
    struct prompt_digest *digest = reading->digest;
    siphash_start(&digest->hash, &reading->settings->key);
    if (digest->block_count) {
        uint8_t before[8];
        store_le64(before, digest->blocks[digest->block_count - 1]);
        siphash_add(&digest->hash, before, sizeof(before));
    }
    digest->filled = 0;
}

static void end_block(struct reading *reading)
{
    struct prompt_digest *digest = reading->digest;
    digest->blocks = memory_grow(digest->blocks, digest->block_count,
                                 &digest->block_capacity, sizeof(*digest->blocks));
    digest->blocks[digest->block_count++] = siphash_finish(&digest->hash);
    start_block(reading);
}

static void add_token_id(struct reading *reading, uint64_t id)
{
    uint8_t bytes[8];
    store_le64(bytes, id);
    siphash_add(&reading->digest->hash, bytes, sizeof(bytes));
    reading->digest->token_ids++;
    if (++reading->digest->filled == reading->settings->block_tokens)
        end_block(reading);
}

static void add_text(struct reading *reading, const char *text, size_t len)
{
    struct prompt_digest *digest = reading->digest;
    uint64_t block_bytes = (uint64_t)reading->settings->block_tokens *
                           PROMPT_BYTES_PER_TOKEN;
    digest->text_bytes += len;
    while (len > 0) {
        size_t room = (size_t)(block_bytes - digest->filled);
        size_t taken = len < room ? len : room;
        siphash_add(&digest->hash, text, taken);
        digest->filled += (uint32_t)taken;
        text += taken;
        len -= taken;
        if (digest->filled == block_bytes)
            end_block(reading);
    }
}

static void add_string(struct reading *reading)
{
    buffer_clear(&reading->text);
    json_scan_text(&reading->scan, &reading->text);
    add_text(reading, reading->text.data, reading->text.len);
}

/* The digits of a JSON number as an id; what is no small whole number only has to be
 * different. */
static uint64_t id_of(const struct json_scan *scan)
{
    uint64_t id = 0;
    for (size_t i = 0; i < scan->value_len; i++)
        id = id * 10 + (uint64_t)(scan->value[i] & 0x0f);
    return id;
}

/* The keys whose strings make up a conversation. */
static bool is_conversation_key(const struct json_scan *scan)
{
    return json_scan_is(scan, "role") || json_scan_is(scan, "content") ||
           json_scan_is(scan, "text");
}

/* The value at hand, with all that is in it: strings and ids of a prompt, or, of
 * messages, the strings of some keys, each ended by a NUL. */
static void read_value(struct reading *reading, bool messages)
{
    struct json_scan *scan = &reading->scan;
    bool opens = scan->token == JSON_SCAN_ARRAY || scan->token == JSON_SCAN_OBJECT;
    int outside = scan->depth - opens;
    bool wanted = true;
    for (;;) {
        if (scan->token == JSON_SCAN_KEY)
            wanted = !messages || is_conversation_key(scan);
        else if (scan->token == JSON_SCAN_STRING && wanted)
            add_string(reading);
        else if (scan->token == JSON_SCAN_NUMBER && !messages)
            add_token_id(reading, id_of(scan));
        if (scan->token == JSON_SCAN_STRING && wanted && messages)
            add_text(reading, "", 1);
        if (scan->depth == outside || scan->token == JSON_SCAN_BAD)
            return;
        json_scan_next(scan);
    }
}

/* Appends JSON on one line: raw line ends can only be space between tokens. */
static void append_line(struct buffer *out, const char *json, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buffer_append_byte(out, json[i] == '\n' || json[i] == '\r' ? ' ' : json[i]);
}

static void keep_text(struct reading *reading, size_t start, bool messages)
{
    struct buffer *out = &reading->digest->messages;
    const char *json = reading->scan.start + start;
    size_t len = (size_t)(reading->scan.at - json);
    bool whole = messages && json[0] == '[';
    if (out->len || (!whole && json[0] != '"'))
        return;
    if (!whole)
        buffer_append_text(out, "[{\"role\":\"user\",\"content\":");
    append_line(out, json, len);
    if (!whole)
        buffer_append_text(out, "}]");
}

static void read_limit(struct reading *reading)
{
    const struct json_scan *scan = &reading->scan;
    uint64_t limit = 0;
    for (size_t i = 0; i < scan->value_len && limit < COUNT_NONE; i++) {
        if (scan->value[i] < '0' || scan->value[i] > '9')
            return;
        limit = limit * 10 + (uint64_t)(scan->value[i] - '0');
    }
    if (scan->token == JSON_SCAN_NUMBER && limit < COUNT_NONE)
        reading->digest->max_tokens = (uint32_t)limit;
}

enum member {
    MEMBER_OTHER,
    MEMBER_PROMPT,
    MEMBER_MESSAGES,
    MEMBER_LIMIT,
    MEMBER_SESSION,
};

static enum member member_of(const struct json_scan *scan)
{
    if (json_scan_is(scan, "prompt"))
        return MEMBER_PROMPT;
    if (json_scan_is(scan, "messages") || json_scan_is(scan, "input") ||
        json_scan_is(scan, "system") || json_scan_is(scan, "instructions"))
        return MEMBER_MESSAGES;
    if (json_scan_is(scan, "max_tokens") || json_scan_is(scan, "max_completion_tokens") ||
        json_scan_is(scan, "max_output_tokens"))
        return MEMBER_LIMIT;
    return json_scan_is(scan, "session_id") ? MEMBER_SESSION : MEMBER_OTHER;
}

static void read_member(struct reading *reading, enum member member)
{
    struct json_scan *scan = &reading->scan;
    size_t start = json_scan_offset(scan);
    if (member == MEMBER_LIMIT)
        read_limit(reading);
    if (member == MEMBER_SESSION && scan->token == JSON_SCAN_STRING)
        json_scan_text(scan, &reading->digest->session);
    if (member == MEMBER_PROMPT || member == MEMBER_MESSAGES)
        read_value(reading, member == MEMBER_MESSAGES);
    else
        json_scan_skip(scan);
    if (reading->settings->keep_text && scan->token != JSON_SCAN_BAD &&
        (member == MEMBER_PROMPT || member == MEMBER_MESSAGES))
        keep_text(reading, start, member == MEMBER_MESSAGES);
}

void prompt_digest_clear(struct prompt_digest *digest)
{
    digest->block_count = 0;
    digest->token_ids = digest->text_bytes = 0;
    digest->max_tokens = COUNT_NONE;
    buffer_clear(&digest->session);
    buffer_clear(&digest->messages);
}

bool prompt_digest_read(struct prompt_digest *digest,
                        const struct prompt_settings *settings, const char *body,
                        size_t len)
{
    struct reading reading = { .digest = digest, .settings = settings };
    struct json_scan *scan = &reading.scan;
    bool found = false;
    prompt_digest_clear(digest);
    start_block(&reading);
    json_scan_init(scan, body, len);
    if (json_scan_next(scan) == JSON_SCAN_OBJECT) {
        while (json_scan_next(scan) == JSON_SCAN_KEY) {
            enum member member = member_of(scan);
            found |= member == MEMBER_PROMPT || member == MEMBER_MESSAGES;
            json_scan_next(scan);
            read_member(&reading, member);
        }
    }
    bool read = found && scan->token == JSON_SCAN_OBJECT_END &&
                json_scan_next(scan) == JSON_SCAN_END;
    if (read && digest->filled)
        end_block(&reading);
    buffer_release(&reading.text);
    return read;
}

void prompt_digest_release(struct prompt_digest *digest)
{
    free(digest->blocks);
    buffer_release(&digest->session);
    buffer_release(&digest->messages);
    *digest = (struct prompt_digest){ 0 };
}
