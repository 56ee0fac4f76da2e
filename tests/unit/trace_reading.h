/* Reads request traces from text, for tests of the readers. Include after <cmocka.h>. */
#ifndef TOKTRACE_TRACE_READING_H
#define TOKTRACE_TRACE_READING_H

#include <string.h>

#include "formats/requests_read.h"
#include "scratch.h"

static const struct requests_read_options STRICT = { .format = REQUESTS_AUTO };
static const struct requests_read_options SKIPPING = { .skip_bad_rows = true };

static inline int read_bytes(struct request_trace *trace, const char *text, size_t len,
                             const struct requests_read_options *options, char *message)
{
    struct fault fault = { 0 };
    memset(trace, 0, sizeof *trace);
    scratch_write("trace", text, len);
    int rc = requests_read(trace, "trace", options, &fault);
    strcpy(message, fault.text);
    return rc;
}

/* Reads what is to be accepted. Release the trace. */
static inline struct request_trace read_good(const char *text,
                                             const struct requests_read_options *options)
{
    char message[FAULT_TEXT_MAX];
    struct request_trace trace;
    if (read_bytes(&trace, text, strlen(text), options, message) != STATUS_OK)
        fail_msg("%s", message);
    return trace;
}

/* Reads what is to be refused with this message. */
static inline void expect_refusal(const char *text, size_t len, const char *expected)
{
    char message[FAULT_TEXT_MAX];
    struct request_trace trace;
    int rc = read_bytes(&trace, text, len, &STRICT, message);
    request_trace_release(&trace);
    assert_string_equal(message, expected);
    assert_true(rc == STATUS_BAD_INPUT || rc == STATUS_LIMIT);
}

#endif
