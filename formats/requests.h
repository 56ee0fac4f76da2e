/* A request trace in memory: rows in the order of their times. Readers of the public formats fill it; the
 * plan is made from it. */
#ifndef TOKTRACE_REQUESTS_H
#define TOKTRACE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

enum { REQUEST_TOKENS_MAX = 100 * 1000 * 1000 }; /* per row and direction; more is refused */

struct request_row {
    int64_t time_ns;        /* since the earliest row of the trace */
    uint64_t line;          /* of the file, from 1: for messages */
    uint32_t input_tokens;
    uint32_t output_tokens;
    uint32_t session;       /* index into session_names, or SESSION_NONE */
};

#define SESSION_NONE UINT32_MAX

struct request_trace {
    struct request_row *rows; /* owned */
    size_t count;
    size_t capacity;
};

void request_trace_release(struct request_trace *trace);

#endif
