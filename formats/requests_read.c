#include "formats/requests_read.h"

#include <string.h>

#include "formats/requests_detect.h"
#include "formats/requests_reader.h"

const char *const request_format_names[] = {
    [REQUESTS_AUTO] = "auto",         [REQUESTS_AZURE] = "azure",
    [REQUESTS_BURSTGPT] = "burstgpt", [REQUESTS_LENGTHS] = "lengths",
    [REQUESTS_MOONCAKE] = "mooncake", [REQUESTS_QWEN] = "qwen",
    [REQUESTS_SESSIONS] = "sessions", [REQUESTS_OTEL] = "otel",
    [REQUESTS_SHAREGPT] = "sharegpt", [REQUESTS_NDJSON] = "ndjson",
    NULL,
};

const char *const time_unit_names[] = {
    [TIME_UNIT_FORMAT] = "format", [TIME_UNIT_S] = "s",   [TIME_UNIT_MS] = "ms",
    [TIME_UNIT_US] = "us",         [TIME_UNIT_NS] = "ns", NULL,
};

static int read_format(struct requests_reader *reader, enum request_format format)
{
    switch (format) {
    case REQUESTS_AZURE:
        return requests_read_csv(reader, &azure_layout);
    case REQUESTS_BURSTGPT:
        return requests_read_csv(reader, &burstgpt_layout);
    case REQUESTS_LENGTHS:
        return requests_read_csv(reader, &lengths_layout);
    case REQUESTS_MOONCAKE:
        return requests_read_mooncake(reader);
    case REQUESTS_QWEN:
        return requests_read_qwen(reader);
    case REQUESTS_SESSIONS:
        return requests_read_sessions(reader);
    case REQUESTS_NDJSON:
        return requests_read_ndjson(reader);
    case REQUESTS_OTEL:
        return requests_read_otel(reader);
    case REQUESTS_SHAREGPT:
        return requests_read_sharegpt(reader);
    default:
        return fault_set(reader->fault, STATUS_BUG, "no reader for format %d",
                         (int)format);
    }
}

static int detect(struct input_file *file, enum request_format *format,
                  struct fault *fault)
{
    const char *bytes;
    size_t len;
    int rc = input_file_peek(file, &bytes, &len, fault);
    if (rc < 0)
        return rc;
    if (len == 0)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: empty, expected a request trace",
                         input_file_name(file));
    if (*format != REQUESTS_AUTO)
        return STATUS_OK;
    return requests_detect(bytes, len, input_file_name(file), format, fault);
}

static int require_rows(const struct request_trace *trace, const char *name,
                        struct fault *fault)
{
    const struct request_report *report = &trace->report;
    struct buffer reasons = BUFFER_INIT;
    if (trace->count > 0)
        return STATUS_OK;
    if (report->read == 0)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: no rows, expected at least one",
                         name);
    for (int i = 0; i < REFUSALS; i++) {
        if (report->refused[i] > 0)
            buffer_printf(&reasons, ", %s %llu",
                          request_refusal_name((enum request_refusal)i),
                          (unsigned long long)report->refused[i]);
    }
    int rc = fault_set(fault, STATUS_BAD_INPUT, "%s: none of its %llu rows can be sent%s",
                       name, (unsigned long long)report->read, buffer_text(&reasons));
    buffer_release(&reasons);
    return rc;
}

int requests_read(struct request_trace *trace, const char *path,
                  const struct requests_read_options *options, struct fault *fault)
{
    struct requests_reader reader = { .trace = trace, .options = options,
                                      .fault = fault, .last_ns = INT64_MIN };
    enum request_format format = options->format;
    /* A trace that cannot be opened is bad input like one that cannot be understood. */
    int rc = input_file_open(&reader.file, path, fault);
    if (rc < 0)
        return rc;
    rc = detect(reader.file, &format, fault);
    if (rc < 0)
        goto done;
    rc = read_format(&reader, format);
    if (rc < 0)
        goto done;
    rc = require_rows(trace, input_file_name(reader.file), fault);
    if (rc == STATUS_OK)
        request_trace_finish(trace);
done:
    buffer_release(&reader.scratch);
    input_file_close(reader.file);
    return rc;
}
