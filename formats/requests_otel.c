/* OpenTelemetry spans of generative AI: documents with "spans", OTLP with
 * "resourceSpans", or spans one after the other, attributes nested or flattened. Spans
 * that are no calls of a model are no rows. Lengths that were not recorded are
 * estimated from the text. */
#include <string.h>

#include "formats/base/timestamp.h"
#include "formats/messages.h"
#include "formats/requests_reader.h"

enum span_field {
    SPAN_START,
    SPAN_END,
    SPAN_INPUT,
    SPAN_OUTPUT,
    SPAN_SESSION,
    SPAN_OPERATION,
    SPAN_MESSAGES,
    SPAN_ANSWER,
    SPAN_FIELDS,
};

struct span_key {
    const char *name;
    enum span_field field;
    int rank; /* of names for the same, the highest counts */
};

static const struct span_key span_keys[] = {
    { "start_time", SPAN_START, 0 },
    { "start_time_iso", SPAN_START, 0 },
    { "startTimeUnixNano", SPAN_START, 0 },
    { "end_time", SPAN_END, 0 },
    { "end_time_iso", SPAN_END, 0 },
    { "endTimeUnixNano", SPAN_END, 0 },
    { "gen_ai.usage.input_tokens", SPAN_INPUT, 1 },
    { "gen_ai.usage.prompt_tokens", SPAN_INPUT, 0 },
    { "input_tokens", SPAN_INPUT, 0 },
    { "gen_ai.usage.output_tokens", SPAN_OUTPUT, 1 },
    { "gen_ai.usage.completion_tokens", SPAN_OUTPUT, 0 },
    { "output_tokens", SPAN_OUTPUT, 0 },
    { "gen_ai.conversation.id", SPAN_SESSION, 3 },
    { "session.id", SPAN_SESSION, 2 },
    { "exgentic.session.id", SPAN_SESSION, 2 },
    { "session_id", SPAN_SESSION, 2 },
    { "trace_id", SPAN_SESSION, 1 },
    { "traceId", SPAN_SESSION, 1 },
    { "gen_ai.operation.name", SPAN_OPERATION, 0 },
    { "operation_name", SPAN_OPERATION, 0 },
    { "gen_ai.input.messages", SPAN_MESSAGES, 0 },
    { "gen_ai.output.messages", SPAN_ANSWER, 1 },
    { "gen_ai.output.text", SPAN_ANSWER, 0 },
};

/* A string or number as it stands in the document. */
struct span_value {
    const char *text; /* NULL: not seen */
    size_t len;
    bool escaped;
    int rank;
};

struct span {
    struct span_value values[SPAN_FIELDS];
    const char *start; /* in the document */
    bool container;    /* it held spans, and is none itself */
};

static const struct span_key *find_key(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof span_keys / sizeof *span_keys; i++) {
        if (strlen(span_keys[i].name) == len && memcmp(span_keys[i].name, name, len) == 0)
            return &span_keys[i];
    }
    return NULL;
}

/* Keeps the value at hand if `key` is of interest and it is a string or number. */
static void keep_value(struct span *span, const struct span_key *key,
                       const struct json_scan *scan)
{
    if (key == NULL || (scan->token != JSON_SCAN_STRING
                        && scan->token != JSON_SCAN_NUMBER))
        return;
    struct span_value *value = &span->values[key->field];
    if (value->text != NULL && value->rank > key->rank)
        return;
    *value = (struct span_value){ scan->value, scan->value_len,
                                  scan->token == JSON_SCAN_STRING && scan->escaped,
                                  key->rank };
}

/* "attributes": {"name": value, …}. */
static void scan_attribute_object(struct json_scan *scan, struct span *span)
{
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        const struct span_key *key = find_key(scan->value, scan->value_len);
        json_scan_next(scan);
        keep_value(span, key, scan);
        if (!json_scan_skip(scan))
            return;
    }
}

/* {"key": name, "value": {"stringValue": …}} of OTLP. */
static void scan_attribute_pair(struct json_scan *scan, struct span *span)
{
    const struct span_key *key = NULL;
    int outside = scan->depth - 1;
    while (scan->depth > outside && json_scan_next(scan) != JSON_SCAN_BAD) {
        if (scan->token != JSON_SCAN_KEY)
            continue;
        bool names = json_scan_is(scan, "key");
        bool holds = json_scan_is(scan, "stringValue") || json_scan_is(scan, "intValue")
                     || json_scan_is(scan, "doubleValue");
        json_scan_next(scan);
        if (names && scan->token == JSON_SCAN_STRING)
            key = find_key(scan->value, scan->value_len);
        else if (holds)
            keep_value(span, key, scan);
    }
}

static void scan_attributes(struct json_scan *scan, struct span *span)
{
    if (scan->token == JSON_SCAN_OBJECT) {
        scan_attribute_object(scan, span);
        return;
    }
    if (scan->token != JSON_SCAN_ARRAY)
        return;
    while (json_scan_next(scan) == JSON_SCAN_OBJECT)
        scan_attribute_pair(scan, span);
}

static bool is_model_call(const struct span *span)
{
    static const char *const calls[] = { "chat", "text_completion", "generate_content" };
    const struct span_value *operation = &span->values[SPAN_OPERATION];
    if (operation->text == NULL)
        return span->values[SPAN_INPUT].text != NULL
               || span->values[SPAN_MESSAGES].text != NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strlen(calls[i]) == operation->len
            && memcmp(calls[i], operation->text, operation->len) == 0)
            return true;
    }
    return false;
}

/* A date, or ns since 1970. */
static bool parse_moment(const struct span_value *value, const char *what, int64_t *ns,
                         struct row_problem *problem)
{
    if (value->text != NULL
        && (timestamp_parse_iso(value->text, value->len, ns)
            || (timestamp_parse_decimal(value->text, value->len, 0, ns) && *ns >= 0)))
        return true;
    return row_refuse(problem, REFUSED_TIME, 0, what,
                      value->text != NULL ? value->text : "",
                      value->len, "a date and time, or ns since 1970");
}

/* Recorded tokens, else an estimate from `text_bytes`. */
static bool parse_length(struct requests_reader *reader, const struct span_value *value,
                         const char *what, size_t text_bytes, uint32_t *tokens,
                         struct row_problem *problem)
{
    if (value->text != NULL)
        return parse_tokens(value->text, value->len, 0, what, tokens, problem);
    reader->trace->report.lengths_estimated = true;
    *tokens = tokens_of_text(text_bytes);
    return true;
}

/* Rewrites the messages, which are JSON in a JSON string, behind the trace's texts. */
static bool rewrite(struct requests_reader *reader, const struct span_value *value,
                    struct buffer *out, size_t *text_bytes)
{
    const struct json_scan string = { .value = value->text,
                                      .value_len = value->len,
                                      .escaped = value->escaped };
    buffer_clear(&reader->scratch);
    json_scan_text(&string, &reader->scratch);
    return messages_rewrite(out, reader->scratch.data, reader->scratch.len, text_bytes);
}

/* The text in an answer: messages, or the text itself. */
static size_t answer_bytes(struct requests_reader *reader, const struct span_value *value)
{
    struct buffer rewritten = BUFFER_INIT;
    size_t text_bytes = value->len;
    size_t in_messages;
    if (value->text != NULL && rewrite(reader, value, &rewritten, &in_messages))
        text_bytes = in_messages;
    buffer_release(&rewritten);
    return text_bytes;
}

static bool parse_span(struct requests_reader *reader, const struct span *span,
                       struct request_row *row, struct row_problem *problem)
{
    const struct span_value *values = span->values;
    struct request_trace *trace = reader->trace;
    struct buffer messages = BUFFER_INIT;
    size_t text_bytes = 0;
    int64_t end_ns;
    bool texts = values[SPAN_MESSAGES].text != NULL
                 && rewrite(reader, &values[SPAN_MESSAGES], &messages, &text_bytes);
    bool good = parse_moment(&values[SPAN_START], "the start time", &row->time_ns,
                             problem)
                && parse_length(reader, &values[SPAN_INPUT], "input_tokens", text_bytes,
                                &row->input_tokens, problem)
                && parse_length(reader, &values[SPAN_OUTPUT], "output_tokens",
                                answer_bytes(reader, &values[SPAN_ANSWER]),
                                &row->output_tokens, problem);
    if (good && values[SPAN_END].text != NULL) {
        good = parse_moment(&values[SPAN_END], "the end time", &end_ns, problem);
        if (good && end_ns >= row->time_ns)
            row->answer_ns = end_ns - row->time_ns;
    }
    if (good && values[SPAN_SESSION].len > 0)
        row->session = name_table_add(&trace->sessions, values[SPAN_SESSION].text,
                                      values[SPAN_SESSION].len);
    if (good && texts && reader->options->keep_texts)
        row->text = request_trace_add_text(trace, messages.data, messages.len);
    buffer_release(&messages);
    return good;
}

static int finish_span(struct requests_reader *reader, const struct span *span)
{
    struct row_problem problem;
    struct request_row row = request_row_empty();
    if (span->container || !is_model_call(span))
        return STATUS_OK;
    if (!parse_span(reader, span, &row, &problem))
        return reader_refuse_at(reader, &problem, span->start);
    reader_accept(reader, &row);
    return STATUS_OK;
}

static bool holds_spans(const struct json_scan *scan)
{
    return json_scan_is(scan, "spans") || json_scan_is(scan, "scopeSpans")
           || json_scan_is(scan, "resourceSpans");
}

/* A span, or an object that holds spans at one of the levels of OTLP. */
static int read_span(struct requests_reader *reader, struct json_scan *scan)
{
    struct span span = { .start = scan->at - 1 };
    int rc = STATUS_OK;
    while (rc == STATUS_OK && json_scan_next(scan) == JSON_SCAN_KEY) {
        const struct span_key *key = find_key(scan->value, scan->value_len);
        bool holds = holds_spans(scan);
        bool attributes = json_scan_is(scan, "attributes");
        json_scan_next(scan);
        keep_value(&span, key, scan);
        if (attributes) {
            scan_attributes(scan, &span);
        } else if (holds && scan->token == JSON_SCAN_ARRAY) {
            span.container = true;
            while (rc == STATUS_OK && json_scan_next(scan) == JSON_SCAN_OBJECT)
                rc = read_span(reader, scan);
        } else {
            json_scan_skip(scan);
        }
        if (scan->token == JSON_SCAN_BAD)
            return rc;
    }
    return rc == STATUS_OK && scan->token == JSON_SCAN_OBJECT_END ? finish_span(reader,
                                                                                &span)
                                                                  : rc;
}

int requests_read_otel(struct requests_reader *reader)
{
    reader->trace->has_times = true;
    return requests_read_document(reader, read_span);
}
