#include "analyze/dump_stream.h"

#include <inttypes.h>
#include <string.h>

#include "formats/answer.h"
#include "formats/base/input_file.h"
#include "formats/base/json.h"
#include "formats/http_message.h"

enum { READ_BYTES = 64 * 1024, CONTENT_TYPE_MAX = 256 };

/* One answer after the other, printed as it is read (text) or gathered (JSON). */
struct dump {
    FILE *out;
    json_t *answers; /* NULL: text */
    json_t *events;  /* of the answer at hand; borrowed from answers */
    size_t answer_count;
    struct answer answer;
    uint64_t tokens;
    uint64_t first_event_tokens;
};

static void print_event(FILE *out, const struct answer_event *event)
{
    fprintf(out, "%12" PRIu64 "  %-9s %6u %7u%s%s\n", event->end_offset,
            event_kind_name(event->kind), event->choice, event->tokens,
            event->flags & EVENT_FLAG_FINISH ? "  finish" : "",
            event->flags & EVENT_FLAG_USAGE ? "  usage" : "");
}

static json_t *event_to_json(const struct answer_event *event)
{
    return json_pack("{s:I, s:s, s:i, s:I, s:b, s:b}",
                     "end_offset", (json_int_t)event->end_offset,
                     "kind", event_kind_name(event->kind),
                     "choice", (int)event->choice,
                     "tokens", (json_int_t)event->tokens,
                     "finish", (event->flags & EVENT_FLAG_FINISH) != 0,
                     "usage", (event->flags & EVENT_FLAG_USAGE) != 0);
}

static void take_event(void *context, const struct answer_event *event)
{
    struct dump *dump = context;
    dump->tokens += event->tokens;
    if (dump->first_event_tokens == 0)
        dump->first_event_tokens = event->tokens;
    if (dump->answers != NULL)
        json_array_append_new(dump->events, event_to_json(event));
    else
        print_event(dump->out, event);
}

/* status 0: a body without its head, which is taken for that of a 200. */
static void begin_answer(struct dump *dump, unsigned status, const char *content_type)
{
    dump->tokens = 0;
    dump->first_event_tokens = 0;
    answer_start(&dump->answer);
    answer_head(&dump->answer, status != 0 ? status : 200, content_type);
    if (dump->answers != NULL) {
        dump->events = json_array();
        json_array_append_new(dump->answers,
                              json_pack("{s:o?, s:s?, s:o}",
                                        "http_status",
                                        status != 0 ? json_integer(status) : NULL,
                                        "content_type", content_type,
                                        "events", dump->events));
        return;
    }
    if (dump->answer_count++ > 0)
        fputc('\n', dump->out);
    if (status != 0)
        fprintf(dump->out, "HTTP status %u, content type %s\n", status,
                content_type != NULL ? content_type : "none");
    fprintf(dump->out, "%12s  %-9s %6s %7s\n", "end offset", "kind", "choice", "tokens");
}

static json_t *count_to_json(uint32_t count)
{
    return count == COUNT_NONE ? json_null() : json_integer(count);
}

/* N: what usage says, else the tokens of all events. */
static uint64_t output_tokens(const struct dump *dump)
{
    uint32_t usage = dump->answer.result.usage_completion_tokens;
    return usage != COUNT_NONE ? usage : dump->tokens;
}

static json_t *result_to_json(const struct dump *dump)
{
    const struct answer_result *result = &dump->answer.result;
    uint32_t flags = result->flags;
    bool by_usage = result->usage_completion_tokens != COUNT_NONE;
    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:I, s:s, s:I, s:I, s:o, s:o, s:o, s:o}",
                     "outcome", outcome_name(result->outcome),
                     "finish_reason", result->finish_reason,
                     "streamed", (flags & REQUEST_STREAMED) != 0,
                     "done", (flags & REQUEST_DONE_SEEN) != 0,
                     "token_mismatch", (flags & REQUEST_TOKEN_MISMATCH) != 0,
                     "output_tokens", (json_int_t)output_tokens(dump),
                     "counted_by", by_usage ? "usage" : "events",
                     "token_events", (json_int_t)result->token_events,
                     "first_event_tokens", (json_int_t)dump->first_event_tokens,
                     "usage_prompt_tokens", count_to_json(result->usage_prompt_tokens),
                     "usage_completion_tokens",
                     count_to_json(result->usage_completion_tokens),
                     "usage_cached_tokens", count_to_json(result->usage_cached_tokens),
                     "usage_reasoning_tokens",
                     count_to_json(result->usage_reasoning_tokens));
}

static void print_count(FILE *out, const char *name, uint32_t count)
{
    if (count == COUNT_NONE)
        fprintf(out, "%-20s not reported\n", name);
    else
        fprintf(out, "%-20s %" PRIu32 "\n", name, count);
}

static void print_result(const struct dump *dump)
{
    const struct answer_result *result = &dump->answer.result;
    bool by_usage = result->usage_completion_tokens != COUNT_NONE;
    FILE *out = dump->out;
    fprintf(out, "%-20s %s\n", "outcome", outcome_name(result->outcome));
    fprintf(out, "%-20s %s\n", "finish reason",
            result->finish_reason[0] != '\0' ? result->finish_reason : "none");
    fprintf(out, "%-20s %s\n", "body",
            result->flags & REQUEST_STREAMED ? "event stream" : "no event stream");
    fprintf(out, "%-20s %s\n", "closing event",
            result->flags & REQUEST_DONE_SEEN ? "seen" : "missing");
    fprintf(out, "%-20s %" PRIu64 " by %s%s\n", "output tokens", output_tokens(dump),
            by_usage ? "usage" : "events",
            result->flags & REQUEST_TOKEN_MISMATCH ? "; the events disagree" : "");
    fprintf(out, "%-20s %" PRIu32 " with %" PRIu64 " tokens, %" PRIu64 " in the first\n",
            "token events", result->token_events, dump->tokens, dump->first_event_tokens);
    print_count(out, "prompt tokens", result->usage_prompt_tokens);
    print_count(out, "cached tokens", result->usage_cached_tokens);
    print_count(out, "reasoning tokens", result->usage_reasoning_tokens);
}

static void end_answer(struct dump *dump, enum body_end end)
{
    answer_finish(&dump->answer, end, take_event, dump);
    if (dump->answers == NULL) {
        print_result(dump);
        return;
    }
    size_t last = json_array_size(dump->answers) - 1;
    json_t *entry = json_array_get(dump->answers, last);
    json_object_set_new(entry, "result", result_to_json(dump));
}

static int dump_body(struct dump *dump, struct input_file *file, struct fault *fault)
{
    char bytes[READ_BYTES];
    size_t got;
    int status;
    begin_answer(dump, 0, NULL);
    while ((status = input_file_read(file, bytes, sizeof bytes, &got, fault)) == 0
           && got > 0)
        answer_feed(&dump->answer, bytes, got, take_event, dump);
    if (status == 0)
        end_answer(dump, BODY_COMPLETE);
    return status;
}

/* HTTP responses. */

/* As text that neither a terminal nor JSON minds. */
static void copy_printable(char copy[CONTENT_TYPE_MAX], const struct http_text *text)
{
    size_t len = 0;
    for (; len < text->len && len < CONTENT_TYPE_MAX - 1; len++) {
        char byte = text->text[len];
        copy[len] = byte >= ' ' && byte < 0x7f ? byte : '?';
    }
    copy[len] = '\0';
}

static int begin_response(struct dump *dump, const struct http_head *head,
                          struct fault *fault)
{
    char content_type[CONTENT_TYPE_MAX];
    const struct http_text *type = &head->content_type;
    if (head->coded || (head->content_encoding.text != NULL
                        && !http_text_equals(head->content_encoding, "identity")))
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "the response at offset %" PRIu64 " is compressed: expected "
                         "a plain body",
                         head->start_offset);
    copy_printable(content_type, type);
    begin_answer(dump, head->status, type->text != NULL ? content_type : NULL);
    return 0;
}

/* *open: an answer has begun and not ended. */
static int take_item(struct dump *dump, const struct http_parser *parser,
                     const struct http_item *item, bool *open, struct fault *fault)
{
    int status = 0;
    switch (item->type) {
    case HTTP_HEAD:
        status = begin_response(dump, &parser->head, fault);
        *open = status == 0;
        break;
    case HTTP_BODY:
        answer_feed(&dump->answer, item->bytes, item->len, take_event, dump);
        break;
    case HTTP_END:
        end_answer(dump, BODY_COMPLETE);
        *open = false;
        break;
    default:
        break;
    }
    return status;
}

static int take_bytes(struct dump *dump, struct http_parser *parser, const char *bytes,
                      size_t len, bool *open, struct fault *fault)
{
    struct http_item item;
    int got;
    while ((got = http_parser_next(parser, &bytes, &len, &item, fault)) == 1) {
        int status = take_item(dump, parser, &item, open, fault);
        if (status < 0)
            return status;
    }
    return got;
}

static int dump_responses(struct dump *dump, struct input_file *file, struct fault *fault)
{
    char bytes[READ_BYTES];
    struct http_parser parser = { 0 };
    struct http_item item;
    bool open = false;
    size_t got;
    int status;
    http_parser_start(&parser, HTTP_RESPONSES);
    while ((status = input_file_read(file, bytes, sizeof bytes, &got, fault)) == 0
           && got > 0) {
        status = take_bytes(dump, &parser, bytes, got, &open, fault);
        if (status < 0) {
            fault_prefix(fault, "%s", input_file_name(file));
            break;
        }
    }
    /* a response that is cut off is an answer that broke, not a bad file */
    struct fault cut = { 0 };
    if (status == 0 && http_parser_finish(&parser, &item, &cut) == 1)
        status = take_item(dump, &parser, &item, &open, fault);
    if (status == 0 && open)
        end_answer(dump, BODY_BROKEN);
    http_parser_release(&parser);
    return status;
}

int dump_stream(const char *path, bool json, FILE *out, struct fault *fault)
{
    struct input_file *file = NULL;
    struct dump dump = { .out = out, .answers = json ? json_array() : NULL };
    const char *start;
    size_t len;
    int status = input_file_open(&file, path, fault);
    if (status == 0)
        status = input_file_peek(file, &start, &len, fault);
    if (status == 0) {
        bool with_head = len >= 5 && memcmp(start, "HTTP/", 5) == 0;
        status = with_head ? dump_responses(&dump, file, fault)
                           : dump_body(&dump, file, fault);
    }
    if (status == 0 && json) {
        json_t *document = json_pack("{s:s, s:O}", "schema", "tokanalyze.dump_stream/1",
                                     "answers", dump.answers);
        status = json_write_stream(document, out, fault);
        json_decref(document);
    }
    json_decref(dump.answers);
    answer_release(&dump.answer);
    input_file_close(file);
    return status;
}
