/* What the readers of all formats share: one file being read into a trace, the fate of
 * bad rows, and fields with their checks. Formats are described by tables of functions
 * that parse one record; requests_read.c drives them. */
#ifndef TOKTRACE_REQUESTS_READER_H
#define TOKTRACE_REQUESTS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/csv.h"
#include "formats/base/fault.h"
#include "formats/base/input_file.h"
#include "formats/base/json_scan.h"
#include "formats/requests.h"
#include "formats/requests_read.h"

enum {
    REQUEST_LINE_MAX = 8 << 20,            /* bytes of a line of JSON without texts */
    REQUEST_TEXT_LINE_MAX = 64 << 20,      /* with texts */
    /* bytes of a JSON document that is read whole */
    REQUEST_DOCUMENT_MAX = INT32_MAX,
    ROW_PROBLEM_MAX = 256,
};

/* Why one record cannot be a row. */
struct row_problem {
    enum request_refusal refusal;
    size_t column; /* from 1; 0: the whole line */
    char text[ROW_PROBLEM_MAX]; /* what was found, what was expected */
};

struct requests_reader {
    struct input_file *file;
    struct request_trace *trace;
    const struct requests_read_options *options;
    struct fault *fault;
    uint64_t line;   /* of the record at hand, from 1 */
    int64_t last_ns; /* time of the record before */
    bool time_derived; /* the record at hand has no time of its own */
    struct buffer scratch; /* for one record */
    void *state;           /* of the format's own */
    struct buffer document; /* of formats that are read whole */
    size_t line_start;      /* offset in it where `line` starts */
};

/* Sets the problem; returns false, so that parsers can return its result. `found` is
 * shown cut short. */
bool row_refuse(struct row_problem *problem, enum request_refusal refusal, size_t column,
                const char *what, const char *found, size_t found_len,
                const char *expected);

/* The record at reader->line became `row`, with time and row number: applies the policies
 * for zero lengths and adds it. */
void reader_accept(struct requests_reader *reader, struct request_row *row);

/* The record is bad: counts it and returns 0 under --bad-rows skip; otherwise sets the
 * fault and returns STATUS_BAD_INPUT. */
int reader_refuse(struct requests_reader *reader, const struct row_problem *problem);

/* A row without anything: no session, no think time, no text. */
struct request_row request_row_empty(void);

/* A count of tokens, 0 to REQUEST_TOKENS_MAX; "12.0" is 12. `what` names the field. */
bool parse_tokens(const char *text, size_t len, size_t column, const char *what,
                  uint32_t *tokens, struct row_problem *problem);

/* A number of the unit that the options say, else 10^unit_exponent ns; not negative. A
 * unit_exponent of TIME_UNIT_UNKNOWN asks for --time-unit. */
enum { TIME_UNIT_UNKNOWN = -1, UNIT_NS = 0, UNIT_US = 3, UNIT_MS = 6, UNIT_S = 9 };
bool parse_time(const struct requests_reader *reader, const char *text, size_t len,
                size_t column, const char *what, int unit_exponent, int64_t *ns,
                struct row_problem *problem);

/* A 64-bit id, signed or unsigned: every bit kept. */
bool parse_id(const char *text, size_t len, size_t column, const char *what, uint64_t *id,
              struct row_problem *problem);

/* CSV. The first `required` columns must be there; fields[i] is NULL for others that are
 * not. */
struct csv_layout {
    const char *const *columns; /* NULL-terminated */
    size_t required;
    bool has_times;
    bool (*parse)(struct requests_reader *reader, const struct csv_field *const *fields,
                  struct request_row *row, struct row_problem *problem);
};

enum { LAYOUT_COLUMNS_MAX = 8 };

int requests_read_csv(struct requests_reader *reader, const struct csv_layout *layout);

/* The fault that a scan met, as a problem; returns false. */
bool refuse_scan(const struct json_scan *scan, struct row_problem *problem);

/* The value at hand is not what was expected; returns false. */
bool refuse_value(const struct json_scan *scan, struct row_problem *problem,
                  enum request_refusal refusal, const char *what, const char *expected);

/* What a key of a JSON line means. */
enum line_field {
    LINE_TIME,
    LINE_INPUT,
    LINE_OUTPUT,
    LINE_SESSION,
    LINE_THINK,
    LINE_BLOCKS,
    LINE_BLOCK_TOKENS,
    LINE_CHAT,
    LINE_PARENT,
    LINE_MESSAGES,
    LINE_FIELDS,
};

struct line_key {
    const char *name;
    enum line_field field;
    int unit_exponent; /* of times */
    bool required;
};

/* What a line said beside the fields of its row. */
struct line_values {
    bool seen[LINE_FIELDS]; /* with a value other than null */
    uint64_t chat;
    uint64_t parent;
};

/* JSON lines, one object each; unknown keys are skipped. */
struct line_layout {
    const struct line_key *keys; /* a NULL name ends them */
    size_t line_max;             /* bytes */
    uint32_t block_tokens;       /* where the line does not say */
    /* Last changes to the row, or NULL. */
    bool (*finish)(struct requests_reader *reader, const struct line_values *values,
                   struct request_row *row, struct row_problem *problem);
};

int requests_read_lines(struct requests_reader *reader, const struct line_layout *layout);

/* JSON documents, read whole: one or several, one after the other; what is no object
 * in them is skipped. `read` gets each outermost object, or each in an outermost
 * array, with the scan just behind its brace; it takes tokens up to the brace that
 * closes it, or JSON_SCAN_BAD. */
typedef int read_object(struct requests_reader *reader, struct json_scan *scan);
int requests_read_document(struct requests_reader *reader, read_object *read);

/* As reader_refuse; `at` points into the document and gives line and column. */
int reader_refuse_at(struct requests_reader *reader, struct row_problem *problem,
                     const char *at);

/* The readers, one per file. */
extern const struct csv_layout azure_layout;
extern const struct csv_layout burstgpt_layout;
extern const struct csv_layout lengths_layout;
int requests_read_mooncake(struct requests_reader *reader);
int requests_read_qwen(struct requests_reader *reader);
int requests_read_sessions(struct requests_reader *reader);
int requests_read_ndjson(struct requests_reader *reader);
int requests_read_otel(struct requests_reader *reader);
int requests_read_sharegpt(struct requests_reader *reader);

#endif
