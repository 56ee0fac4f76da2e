#include "formats/aiperf.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/input_file.h"
#include "formats/base/memory.h"

enum {
    LINE_LIMIT = 64 * 1024 * 1024,
    CODE_CANCELLED = 499, /* the tool's own: it gave the request up */
};

/* No latency is longer than a year. */
#define TIME_MAX_NS (366.0 * 86400 * NS_PER_S)

struct aiperf_reader {
    struct input_file *file; /* owned */
    struct arrivals_header header;
    bool zero_known;
    struct arrival_event *events; /* owned */
    size_t capacity;
};

/* What one line says, before it is known to be right. */
struct line {
    const json_t *metadata;
    const json_t *metrics;
    const json_t *error;
};

void aiperf_reader_close(struct aiperf_reader *reader)
{
    if (!reader)
        return;
    input_file_close(reader->file);
    free(reader->events);
    free(reader);
}

bool aiperf_is(const char *path)
{
    struct input_file *file = NULL;
    struct fault fault = { 0 };
    const char *bytes;
    size_t len;
    bool found = false;
    if (strcmp(path, "-") == 0 || input_file_open(&file, path, &fault) < 0)
        return false;
    if (input_file_peek(file, &bytes, &len, &fault) == STATUS_OK)
        found = len > 0 && bytes[0] == '{' &&
                memmem(bytes, len, "\"x_request_id\"", strlen("\"x_request_id\""));
    input_file_close(file);
    return found;
}

int aiperf_reader_open(struct aiperf_reader **reader, const char *path,
                       struct fault *fault)
{
    struct input_file *file = NULL;
    int status = input_file_open(&file, path, fault);
    if (status < 0)
        return status;
    struct aiperf_reader *opened = memory_new(1, sizeof *opened);
    opened->file = file;
    opened->header = (struct arrivals_header){
        .producer = "aiperf",
        .source = LOG_IMPORTED,
        .workers = 1,
    };
    *reader = opened;
    return STATUS_OK;
}

const struct arrivals_header *aiperf_reader_header(const struct aiperf_reader *reader)
{
    return &reader->header;
}

/* The value under the first of the names that is there. */
static const json_t *either(const json_t *object, const char *name, const char *other)
{
    const json_t *value = json_object_get(object, name);
    return value ? value : json_object_get(object, other);
}

/* ns of one of the metric's units; 0 for a unit that is none of time. */
static double unit_ns(const json_t *metric)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = { { "ms", NS_PER_MS }, { "ns", 1 }, { "us", NS_PER_US },
                  { "s", NS_PER_S }, { "sec", NS_PER_S } };
    const char *name = json_string_value(json_object_get(metric, "unit"));
    for (size_t i = 0; name && i < sizeof units / sizeof *units; i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

static bool to_ns(const json_t *number, double unit, int64_t *ns)
{
    double value = json_is_number(number) ? json_number_value(number) * unit : NAN;
    if (!(unit > 0) || !(value >= 0 && value <= TIME_MAX_NS))
        return false;
    *ns = llround(value);
    return true;
}

static uint32_t token_count(const json_t *metrics, const char *name)
{
    const json_t *value = json_object_get(json_object_get(metrics, name), "value");
    double count = json_is_number(value) ? json_number_value(value) : -1;
    return count >= 0 && count < COUNT_NONE ? (uint32_t)count : COUNT_NONE;
}

/* A moment of the wall clock, on the run clock. */
static bool read_moment(const struct aiperf_reader *reader, const json_t *value,
                        int64_t *ns)
{
    int64_t since_ns;
    if (!json_is_integer(value) ||
        __builtin_sub_overflow((int64_t)json_integer_value(value),
                               reader->header.t0_realtime_ns, &since_ns) ||
        !run_time_is_stored(since_ns))
        return false;
    *ns = since_ns;
    return true;
}

static void add_event(struct arrival_request *request, struct aiperf_reader *reader,
                      int64_t at_ns)
{
    reader->events = memory_grow(reader->events, request->event_count, &reader->capacity,
                                 sizeof *reader->events);
    reader->events[request->event_count++] = (struct arrival_event){
        .arrival_ns = at_ns,
        .app_ns = TIME_NONE,
        .tokens = 1,
        .kind = EVENT_CONTENT,
    };
    request->events = reader->events;
}

static int refuse(const struct aiperf_reader *reader, struct fault *fault,
                  enum status status, const char *what)
{
    return fault_set(fault, status, "%s: line %llu: %s", input_file_name(reader->file),
                     (unsigned long long)input_file_line_number(reader->file), what);
}

/* Chunks follow the first token at the gaps given; an answer that was not streamed is one
 * event at its end. */
static int read_events(struct aiperf_reader *reader, const struct line *line,
                       struct arrival_request *request, struct fault *fault)
{
    const json_t *first = either(line->metrics, "ttft", "time_to_first_token");
    const json_t *latency = json_object_get(line->metrics, "request_latency");
    const json_t *gaps = json_object_get(line->metrics, "inter_chunk_latency");
    const json_t *values = json_object_get(gaps, "value");
    const json_t *start = first ? first : latency;
    int64_t at_ns = 0;
    if (!to_ns(json_object_get(start, "value"), unit_ns(start), &at_ns))
        return refuse(reader, fault, STATUS_BAD_INPUT,
                      "no time to first token or latency with its unit");
    at_ns += request->sent_ns;
    add_event(request, reader, at_ns);
    if (gaps && !json_is_array(values))
        return refuse(reader, fault, STATUS_BAD_INPUT,
                      "inter_chunk_latency is not a list");
    if (json_array_size(values) >= REQUEST_EVENTS_MAX)
        return refuse(reader, fault, STATUS_LIMIT, "too many chunks");
    for (size_t i = 0; i < json_array_size(values); i++) {
        int64_t gap_ns;
        if (!to_ns(json_array_get(values, i), unit_ns(gaps), &gap_ns) ||
            !run_time_is_stored(at_ns + gap_ns))
            return refuse(reader, fault, STATUS_BAD_INPUT,
                          "inter_chunk_latency holds what is no time, or has no unit");
        at_ns += gap_ns;
        add_event(request, reader, at_ns);
    }
    request->end_ns = at_ns;
    request->flags |= first ? REQUEST_STREAMED : 0;
    return STATUS_OK;
}

static void read_counts(const struct line *line, struct arrival_request *request)
{
    uint32_t input = token_count(line->metrics, "input_sequence_length");
    request->usage_prompt_tokens =
        input != COUNT_NONE ? input : token_count(line->metrics, "error_isl");
    request->usage_completion_tokens =
        token_count(line->metrics, "output_sequence_length");
    request->usage_reasoning_tokens = token_count(line->metrics, "reasoning_token_count");
    if (request->usage_completion_tokens != COUNT_NONE &&
        request->usage_completion_tokens != request->event_count)
        request->flags |= REQUEST_TOKEN_MISMATCH;
}

static void read_failure(const struct aiperf_reader *reader, const struct line *line,
                         struct arrival_request *request)
{
    json_int_t code = json_integer_value(json_object_get(line->error, "code"));
    const char *type = json_string_value(json_object_get(line->error, "type"));
    if (code == CODE_CANCELLED ||
        json_is_true(json_object_get(line->metadata, "was_cancelled")))
        request->outcome = OUTCOME_CANCELLED;
    else if (code >= 400 && code < 600)
        request->outcome = OUTCOME_HTTP_STATUS;
    else if (type && strstr(type, "Timeout"))
        request->outcome = OUTCOME_TIMEOUT;
    else
        request->outcome = OUTCOME_STREAM_ERROR;
    if (request->outcome == OUTCOME_HTTP_STATUS)
        request->http_status = (uint16_t)code;
    if (!read_moment(reader, json_object_get(line->metadata, "request_end_ns"),
                     &request->end_ns))
        request->end_ns = request->sent_ns;
}

static void copy_session(const struct line *line, struct arrival_request *request)
{
    const char *name =
        json_string_value(json_object_get(line->metadata, "x_correlation_id"));
    if (name)
        snprintf(request->session, sizeof request->session, "%s", name);
}

static int read_line(struct aiperf_reader *reader, const struct line *line,
                     struct arrival_request *request, struct fault *fault)
{
    const json_t *start = either(line->metadata, "timestamp_ns", "request_start_ns");
    if (!json_is_object(line->metadata))
        return refuse(reader, fault, STATUS_BAD_INPUT, "no metadata, expected an object");
    if (!reader->zero_known && json_is_integer(start))
        reader->header.t0_realtime_ns = json_integer_value(start);
    reader->zero_known = true;
    if (!read_moment(reader, start, &request->sent_ns))
        return refuse(reader, fault, STATUS_BAD_INPUT,
                      "no start, expected timestamp_ns or request_start_ns in ns");
    request->start_ns = request->sent_ns;
    copy_session(line, request);
    if (json_is_object(line->error)) {
        read_failure(reader, line, request);
        read_counts(line, request);
        return STATUS_OK;
    }
    request->outcome = OUTCOME_OK;
    request->http_status = 200;
    read_moment(reader, json_object_get(line->metadata, "request_ack_ns"),
                &request->headers_ns);
    int status = read_events(reader, line, request, fault);
    read_counts(line, request);
    return status;
}

static bool is_warm_up(const struct line *line)
{
    const char *phase = json_string_value(
        either(line->metadata, "credit_phase", "benchmark_phase"));
    return phase && strcmp(phase, "warmup") == 0;
}

int aiperf_reader_next(struct aiperf_reader *reader, struct arrival_request *request,
                       struct fault *fault)
{
    const char *text;
    size_t len;
    int got;
    while ((got = input_file_line(reader->file, LINE_LIMIT, &text, &len, fault)) > 0) {
        json_error_t error;
        if (len == 0)
            continue;
        json_t *document = json_loadb(text, len, 0, &error);
        if (!document)
            return refuse(reader, fault, STATUS_BAD_INPUT, error.text);
        struct line line = {
            .metadata = json_object_get(document, "metadata"),
            .metrics = json_object_get(document, "metrics"),
            .error = json_object_get(document, "error"),
        };
        bool wanted = !is_warm_up(&line);
        arrival_request_init(request);
        request->row = input_file_line_number(reader->file) - 1;
        int status = wanted ? read_line(reader, &line, request, fault) : STATUS_OK;
        json_decref(document);
        if (status < 0 || wanted)
            return status < 0 ? status : 1;
    }
    return got;
}
