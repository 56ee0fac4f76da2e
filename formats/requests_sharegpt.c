/* ShareGPT: conversations of people with models. Each answer is a request whose prompt
 * is all that was said before it; a conversation is a session. No times; lengths are
 * estimated. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/messages.h"
#include "formats/requests_reader.h"

struct conversation {
    struct buffer messages; /* so far, an array that is not closed */
    size_t text_bytes;      /* of them */
    bool asked;             /* someone but the model has spoken */
    const char *id;         /* NULL: none */
    size_t id_len;
    size_t first_row;       /* of the trace */
};

/* One message: where it came from, and what it says. */
struct utterance {
    const char *from;
    size_t from_len;
    const char *text;
    size_t text_len;
};

static bool is_model(const struct utterance *said)
{
    static const char *const names[] = { "gpt", "chatgpt", "bing", "bard", "assistant",
                                         "model" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (said->from_len == strlen(names[i])
            && memcmp(said->from, names[i], said->from_len) == 0)
            return true;
    }
    return false;
}

static void add_answer(struct requests_reader *reader, struct conversation *conversation,
                       const struct utterance *answer)
{
    struct request_trace *trace = reader->trace;
    struct request_row row = request_row_empty();
    row.input_tokens = tokens_of_text(conversation->text_bytes);
    row.output_tokens = tokens_of_text(answer->text_len);
    if (reader->options->keep_texts) {
        size_t len = conversation->messages.len;
        buffer_append_byte(&conversation->messages, ']');
        row.text = request_trace_add_text(trace, conversation->messages.data, len + 1);
        conversation->messages.len = len;
    }
    reader_accept(reader, &row);
}

static void hear(struct requests_reader *reader, struct conversation *conversation,
                 const struct utterance *said)
{
    bool model = is_model(said);
    if (model && conversation->asked)
        add_answer(reader, conversation, said);
    const char *role = model ? "assistant" : "user";
    if (said->from_len == 6 && memcmp(said->from, "system", 6) == 0)
        role = "system";
    conversation->asked = conversation->asked || !model;
    conversation->text_bytes += said->text_len;
    if (reader->options->keep_texts)
        messages_append(&conversation->messages, conversation->messages.len == 1, role,
                        strlen(role), said->text, said->text_len);
}

static void scan_utterance(struct json_scan *scan, struct utterance *said)
{
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        bool from = json_scan_is(scan, "from") || json_scan_is(scan, "role");
        bool text = json_scan_is(scan, "value") || json_scan_is(scan, "content");
        json_scan_next(scan);
        if (from && scan->token == JSON_SCAN_STRING) {
            said->from = scan->value;
            said->from_len = scan->value_len;
        } else if (text && scan->token == JSON_SCAN_STRING) {
            said->text = scan->value;
            said->text_len = scan->value_len;
        } else if (!json_scan_skip(scan)) {
            return;
        }
    }
}

static void scan_utterances(struct requests_reader *reader, struct json_scan *scan,
                            struct conversation *conversation)
{
    while (json_scan_next(scan) == JSON_SCAN_OBJECT) {
        struct utterance said = { .from = "", .text = "" };
        scan_utterance(scan, &said);
        if (scan->token != JSON_SCAN_OBJECT_END)
            return;
        hear(reader, conversation, &said);
    }
}

/* Several requests of one conversation are a session. */
static void name_session(struct requests_reader *reader,
                         const struct conversation *conversation)
{
    struct request_trace *trace = reader->trace;
    if (trace->count < conversation->first_row + 2)
        return;
    char number[32];
    int len = snprintf(number, sizeof number, "row %" PRIu64,
                       trace->rows[conversation->first_row].row);
    uint32_t session = conversation->id != NULL
                           ? name_table_add(&trace->sessions, conversation->id,
                                            conversation->id_len)
                           : name_table_add(&trace->sessions, number, (size_t)len);
    for (size_t i = conversation->first_row; i < trace->count; i++)
        trace->rows[i].session = session;
}

static int read_conversation(struct requests_reader *reader, struct json_scan *scan)
{
    struct conversation conversation = { .first_row = reader->trace->count };
    buffer_append_byte(&conversation.messages, '[');
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        bool id = json_scan_is(scan, "id");
        bool said = json_scan_is(scan, "conversations");
        json_scan_next(scan);
        if (said && scan->token == JSON_SCAN_ARRAY)
            scan_utterances(reader, scan, &conversation);
        if (id && scan->token == JSON_SCAN_STRING && scan->value_len > 0) {
            conversation.id = scan->value;
            conversation.id_len = scan->value_len;
        }
        if (scan->token == JSON_SCAN_BAD || (!said && !json_scan_skip(scan)))
            break;
    }
    name_session(reader, &conversation);
    buffer_release(&conversation.messages);
    return STATUS_OK;
}

int requests_read_sharegpt(struct requests_reader *reader)
{
    reader->trace->has_times = false;
    reader->trace->report.lengths_estimated = true;
    return requests_read_document(reader, read_conversation);
}
