#include "record/trace_writer.h"

#include <string.h>
#include <sys/random.h>

#include "formats/base/json.h"

static int make_key(struct siphash_key *key, const char *salt, struct fault *fault)
{
    if (!salt) {
        if (getrandom(key, sizeof(*key), 0) != sizeof(*key))
            return fault_set_errno(fault, "no random salt");
        return STATUS_OK;
    }
    for (uint64_t i = 0; i < 2; i++) {
        struct siphash hash;
        siphash_start(&hash, &(struct siphash_key){ { i, 0 } });
        siphash_add(&hash, salt, strlen(salt));
        key->words[i] = siphash_finish(&hash);
    }
    return STATUS_OK;
}

int trace_writer_open(struct trace_writer *writer, const char *path, bool force,
                      const struct prompt_settings *settings, const char *salt,
                      struct fault *fault)
{
    *writer = (struct trace_writer){ .settings = *settings };
    int status = make_key(&writer->settings.key, salt, fault);
    if (status == STATUS_OK)
        status = output_file_open(&writer->file, path, force ? OUTPUT_FORCE : 0, fault);
    return status;
}

/* What the server counted, else the ids, else a guess from the bytes. */
static uint32_t input_tokens(const struct exchange *exchange,
                             const struct prompt_digest *digest, bool *estimated)
{
    uint64_t tokens = exchange->record.usage_prompt_tokens;
    *estimated = false;
    if (tokens == COUNT_NONE)
        tokens = digest->token_ids;
    if (tokens == 0) {
        *estimated = true;
        tokens = (digest->text_bytes + PROMPT_BYTES_PER_TOKEN - 1) /
                 PROMPT_BYTES_PER_TOKEN;
    }
    return tokens < COUNT_NONE ? (uint32_t)tokens : COUNT_NONE - 1;
}

static uint32_t events_tokens(const struct arrival_request *record)
{
    uint64_t tokens = 0;
    for (size_t i = 0; i < record->event_count; i++)
        tokens += record->events[i].tokens;
    return tokens < COUNT_NONE ? (uint32_t)tokens : COUNT_NONE - 1;
}

/* What came, or, of an answer that was cut, what was asked for. */
static uint32_t output_tokens(const struct exchange *exchange,
                              const struct prompt_digest *digest)
{
    const struct arrival_request *record = &exchange->record;
    if (record->outcome != OUTCOME_OK && digest->max_tokens != COUNT_NONE)
        return digest->max_tokens;
    if (record->usage_completion_tokens != COUNT_NONE)
        return record->usage_completion_tokens;
    return events_tokens(record);
}

/* Ids for no more tokens than the prompt has: estimated blocks may be too many. */
static void append_blocks(struct buffer *line, const struct prompt_digest *digest,
                          uint32_t block_tokens, uint32_t input)
{
    size_t count = (input + (uint64_t)block_tokens - 1) / block_tokens;
    if (count > digest->block_count)
        count = digest->block_count;
    if (count == 0)
        return;
    buffer_append_text(line, ",\"block_tokens\":");
    buffer_append_int(line, block_tokens);
    buffer_append_text(line, ",\"hash_ids\":[");
    for (size_t i = 0; i < count; i++)
        buffer_printf(line, "%s%llu", i ? "," : "",
                      (unsigned long long)digest->blocks[i]);
    buffer_append_byte(line, ']');
}

/* By the header, else by the body; cut like any session's name. */
static void append_session(struct buffer *line, const struct arrival_request *record,
                           const struct prompt_digest *digest)
{
    size_t len = strlen(record->session);
    const char *name = len ? record->session : digest->session.data;
    if (len == 0)
        len = digest->session.len < SESSION_NAME_MAX ? digest->session.len
                                                     : SESSION_NAME_MAX - 1;
    if (len == 0)
        return;
    buffer_append_text(line, ",\"session\":");
    buffer_append_json_string(line, name, len);
}

static void append_row(struct trace_writer *writer, const struct exchange *exchange)
{
    struct buffer *line = &writer->line;
    const struct prompt_digest *digest = &writer->digest;
    const struct arrival_request *record = &exchange->record;
    bool estimated;
    uint32_t input = input_tokens(exchange, digest, &estimated);
    buffer_clear(line);
    buffer_append_text(line, "{\"due_ns\":");
    buffer_append_int(line, record->due_ns);
    buffer_append_text(line, ",\"input_tokens\":");
    buffer_append_int(line, input);
    if (estimated)
        buffer_append_text(line, ",\"input_tokens_estimated\":true");
    buffer_append_text(line, ",\"output_tokens\":");
    buffer_append_int(line, output_tokens(exchange, digest));
    append_session(line, record, digest);
    append_blocks(line, digest, writer->settings.block_tokens, input);
    if (digest->messages.len) {
        buffer_append_text(line, ",\"messages\":");
        buffer_append(line, digest->messages.data, digest->messages.len);
    }
    buffer_append_text(line, "}\n");
    writer->counts.rows++;
    writer->counts.estimated += estimated;
}

/* True for a path of an API that answers with tokens. */
static bool asks_for_tokens(const struct request_copy *copy)
{
    static const char *const names[] = { "/completions", "/messages", "/responses" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (copy->target.len &&
            memmem(copy->target.data, copy->target.len, names[i], strlen(names[i])))
            return true;
    return false;
}

/* What the body says; of one that is not whole, only its size. False where it is no
 * request for tokens. */
static bool digest_request(struct trace_writer *writer, const struct request_copy *copy)
{
    struct prompt_digest *digest = &writer->digest;
    if (copy->body_whole)
        return prompt_digest_read(digest, &writer->settings, copy->body.data,
                                  copy->body.len);
    prompt_digest_clear(digest);
    digest->text_bytes = copy->body_bytes;
    return asks_for_tokens(copy);
}

void trace_writer_add(struct trace_writer *writer, const struct exchange *exchange)
{
    if (!exchange->request_seen || exchange->record.sent_ns == TIME_NONE ||
        !digest_request(writer, &exchange->copy)) {
        writer->counts.left_out++;
        return;
    }
    append_row(writer, exchange);
    fwrite(writer->line.data, 1, writer->line.len, writer->file.stream);
}

int trace_writer_commit(struct trace_writer *writer, struct fault *fault)
{
    return output_file_commit(&writer->file, fault);
}

void trace_writer_release(struct trace_writer *writer)
{
    output_file_abandon(&writer->file);
    prompt_digest_release(&writer->digest);
    buffer_release(&writer->line);
}
