/* A request trace in memory: rows in the order of their times, whatever format they
 * came from. Readers: requests_read.h. The plan of a run is made from it:
 * replay/plan.h. */
#ifndef TOKTRACE_REQUESTS_H
#define TOKTRACE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/names.h"

enum {
    REQUEST_TOKENS_MAX = 100 * 1000 * 1000, /* per row and direction; more is refused */
    REQUEST_ROWS_MAX = 1000 * 1000 * 1000,
};

/* Session, text or think time that a row does not have. */
#define SESSION_NONE UINT32_MAX
#define TEXT_NONE UINT32_MAX
#define THINK_NONE INT64_C(-1)
#define THINK_FREE INT64_C(-2) /* as THINK_NONE; not to be worked out from times */
#define ANSWER_NONE INT64_C(-1)

struct request_row {
    int64_t time_ns;        /* since the trace's zero; 0 without times */
    int64_t think_ns;       /* after the session's previous answer, or THINK_NONE */
    int64_t answer_ns;      /* how long the recorded answer took, or ANSWER_NONE */
    uint64_t row;           /* of the file, from 0, refused rows counted too */
    uint64_t first_block;   /* where its ids start in request_trace.block_bytes */
    uint32_t block_count;   /* 0: no shared prefix */
    uint32_t block_tokens;  /* tokens per block; 0 without blocks */
    uint32_t input_tokens;
    uint32_t output_tokens;
    uint32_t session;       /* index into request_trace.sessions, or SESSION_NONE */
    uint32_t turn;          /* within the session, from 0 */
    uint32_t text;          /* index into request_trace.texts, or TEXT_NONE */
};

/* Where the messages of a row lie in request_trace.text_bytes. */
struct request_text {
    size_t start;
    size_t len;
};

/* Why rows were left out, or changed. */
enum request_refusal {
    REFUSED_FIELDS,      /* a column or key is missing, or there are too many */
    REFUSED_NUMBER,      /* a count is not a non-negative whole number, or too large */
    REFUSED_TIME,        /* a time cannot be read, or lies outside what fits */
    REFUSED_SYNTAX,      /* not CSV, not JSON, a NUL, or a line too long */
    REFUSED_VALUE,       /* well formed, but makes no sense */
    REFUSED_ZERO_OUTPUT, /* policy: no output tokens */
    REFUSED_ZERO_INPUT,  /* no input tokens: nothing could be sent */
    REFUSALS,
};

/* "fields", "number", ...: words for text and keys for JSON. */
const char *request_refusal_name(enum request_refusal refusal);

/* What reading found. accepted + all refused = read. */
struct request_report {
    uint64_t read;
    uint64_t accepted;
    uint64_t refused[REFUSALS];
    uint64_t raised;      /* rows with 0 output tokens that policy made 1; accepted */
    uint64_t unsorted;    /* rows earlier than the one before them in the file */
    uint64_t equal_times; /* rows with the time of the row before them, once sorted */
    bool lengths_estimated; /* token counts are guesses from the length of the text */
};

struct request_trace {
    struct request_row *rows; /* owned; by time_ns, then file order */
    size_t count;
    size_t capacity;
    struct buffer block_bytes; /* ids of prefix blocks: block_ids.h */
    struct name_table sessions;
    struct request_text *texts; /* owned */
    size_t text_count;
    size_t text_capacity;
    struct buffer text_bytes; /* JSON arrays of {"role":…,"content":…} */
    int64_t tick_ns;          /* coarse ticks that the times sit on, or 0 */
    bool has_times;           /* every row has one; otherwise none has */
    bool keeps_zero;          /* zero is the file's own, else the earliest row */
    struct request_report report;
};

/* Start from {0}. */
void request_trace_release(struct request_trace *trace);

/* Copies *row to the end. The trace is sorted by request_trace_finish. */
void request_trace_add(struct request_trace *trace, const struct request_row *row);

/* Keeps JSON messages; returns their index for request_row.text. */
uint32_t request_trace_add_text(struct request_trace *trace, const char *messages,
                                size_t len);

/* To be called once after the last row: works out think times, sorts by time (stable),
 * numbers the turns of sessions, makes the earliest row's time 0, counts equal times
 * and finds ticks. */
void request_trace_finish(struct request_trace *trace);

#endif
