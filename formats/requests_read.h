/* Reads request traces in the formats that are published, plain or compressed, from a
 * file or "-". The format is found from the content: header names of CSV, keys of
 * JSON. */
#ifndef TOKTRACE_REQUESTS_READ_H
#define TOKTRACE_REQUESTS_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/requests.h"

enum request_format {
    REQUESTS_AUTO,
    REQUESTS_AZURE,    /* CSV: TIMESTAMP,…,ContextTokens,GeneratedTokens */
    REQUESTS_BURSTGPT, /* CSV: Timestamp,…,Request tokens,Response tokens,… */
    REQUESTS_LENGTHS,  /* CSV: num_prefill_tokens,num_decode_tokens; no times */
    REQUESTS_MOONCAKE, /* JSON lines: timestamp in ms, hash_ids of 512 tokens */
    REQUESTS_QWEN,     /* JSON lines: chat_id, timestamp in s, hash_ids of 16 tokens */
    REQUESTS_SESSIONS, /* JSON lines: session_id, timestamp or delay in ms */
    REQUESTS_OTEL,     /* GenAI spans, a JSON document or JSON lines */
    REQUESTS_SHAREGPT, /* a JSON array of conversations; no times, lengths estimated */
    REQUESTS_NDJSON,   /* our own: requests.md */
};

/* In the order of the enum, NULL-terminated: the choices of --format. */
extern const char *const request_format_names[];

/* The choices of --time-unit; the index is given to requests_read. */
enum time_unit {
    TIME_UNIT_FORMAT,
    TIME_UNIT_S,
    TIME_UNIT_MS,
    TIME_UNIT_US,
    TIME_UNIT_NS,
};
extern const char *const time_unit_names[];

struct requests_read_options {
    enum request_format format;
    enum time_unit time_unit; /* of bare numbers, in place of what the format says */
    bool skip_bad_rows;       /* count them and go on; default: stop at the first */
    bool zero_output_one;     /* rows with 0 output tokens get 1; default: left out */
    bool keep_texts;          /* keep messages where the format has them */
};

/* Reads all of `path` into `trace` (from {0}; release it in any case), sorted and
 * checked. Faults name file, line, column, what was found and what was expected. A
 * trace without one accepted row is STATUS_BAD_INPUT. */
int requests_read(struct request_trace *trace, const char *path,
                  const struct requests_read_options *options, struct fault *fault);

#endif
