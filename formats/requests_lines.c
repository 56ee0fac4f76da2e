#include <stdio.h>
#include <string.h>

#include "formats/block_ids.h"
#include "formats/requests_reader.h"

bool refuse_scan(const struct json_scan *scan, struct row_problem *problem)
{
    problem->refusal = REFUSED_SYNTAX;
    problem->column = json_scan_offset(scan) + 1;
    snprintf(problem->text, sizeof problem->text, "%s, expected JSON",
             scan->problem != NULL ? scan->problem : "an end too early");
    return false;
}

bool refuse_value(const struct json_scan *scan, struct row_problem *problem,
                  enum request_refusal refusal, const char *what, const char *expected)
{
    size_t offset = json_scan_offset(scan);
    const char *found = scan->start + offset;
    size_t left = (size_t)(scan->end - found);
    size_t len = (size_t)(scan->at - found);
    return row_refuse(problem, refusal, offset + 1, what, found, len < left ? len : left,
                      expected);
}

static bool scan_tokens(const struct json_scan *scan, uint32_t *tokens, const char *what,
                        struct row_problem *problem)
{
    if (scan->token != JSON_SCAN_NUMBER)
        return refuse_value(scan, problem, REFUSED_NUMBER, what, "a whole number");
    return parse_tokens(scan->value, scan->value_len, json_scan_offset(scan) + 1, what,
                        tokens, problem);
}

static bool scan_time(const struct requests_reader *reader, const struct json_scan *scan,
                      const struct line_key *key, int64_t *ns,
                      struct row_problem *problem)
{
    if (scan->token != JSON_SCAN_NUMBER)
        return refuse_value(scan, problem, REFUSED_TIME, key->name, "a number");
    return parse_time(reader, scan->value, scan->value_len, json_scan_offset(scan) + 1,
                      key->name, key->unit_exponent, ns, problem);
}

static bool scan_id(const struct json_scan *scan, const char *what, uint64_t *id,
                    struct row_problem *problem)
{
    if (scan->token != JSON_SCAN_NUMBER && scan->token != JSON_SCAN_STRING)
        return refuse_value(scan, problem, REFUSED_NUMBER, what,
                            "a whole number of 64 bits");
    return parse_id(scan->value, scan->value_len, json_scan_offset(scan) + 1, what, id,
                    problem);
}

static bool scan_session(struct requests_reader *reader, const struct json_scan *scan,
                         const char *what, uint32_t *session, struct row_problem *problem)
{
    if (scan->token != JSON_SCAN_STRING && scan->token != JSON_SCAN_NUMBER)
        return refuse_value(scan, problem, REFUSED_VALUE, what, "a string or a number");
    buffer_clear(&reader->scratch);
    json_scan_text(scan, &reader->scratch);
    if (reader->scratch.len > 0)
        *session = name_table_add(&reader->trace->sessions, reader->scratch.data,
                                  reader->scratch.len);
    return true;
}

static bool scan_blocks(struct requests_reader *reader, struct json_scan *scan,
                        const char *what, struct request_row *row,
                        struct row_problem *problem)
{
    struct request_trace *trace = reader->trace;
    if (scan->token != JSON_SCAN_ARRAY)
        return refuse_value(scan, problem, REFUSED_VALUE, what, "an array of ids");
    uint64_t previous = 0;
    row->first_block = trace->block_bytes.len;
    row->block_count = 0;
    while (json_scan_next(scan) != JSON_SCAN_ARRAY_END) {
        uint64_t id;
        if (scan->token == JSON_SCAN_BAD)
            return refuse_scan(scan, problem);
        if (!scan_id(scan, what, &id, problem))
            return false;
        block_ids_append(&trace->block_bytes, previous, id);
        previous = id;
        row->block_count++;
    }
    return true;
}

/* Keeps the JSON of an array of messages as it stands. */
static bool scan_messages(struct requests_reader *reader, struct json_scan *scan,
                          const char *what, struct request_row *row,
                          struct row_problem *problem)
{
    const char *start = scan->at - 1;
    if (scan->token != JSON_SCAN_ARRAY)
        return refuse_value(scan, problem, REFUSED_VALUE, what, "an array of messages");
    if (!json_scan_skip(scan))
        return refuse_scan(scan, problem);
    if (reader->options->keep_texts)
        row->text = request_trace_add_text(reader->trace, start,
                                           (size_t)(scan->at - start));
    return true;
}

static bool scan_value(struct requests_reader *reader, struct json_scan *scan,
                       const struct line_key *key, struct line_values *values,
                       struct request_row *row, struct row_problem *problem)
{
    switch (key->field) {
    case LINE_TIME:
        return scan_time(reader, scan, key, &row->time_ns, problem);
    case LINE_THINK:
        return scan_time(reader, scan, key, &row->think_ns, problem);
    case LINE_INPUT:
        return scan_tokens(scan, &row->input_tokens, key->name, problem);
    case LINE_OUTPUT:
        return scan_tokens(scan, &row->output_tokens, key->name, problem);
    case LINE_BLOCK_TOKENS:
        return scan_tokens(scan, &row->block_tokens, key->name, problem);
    case LINE_SESSION:
        return scan_session(reader, scan, key->name, &row->session, problem);
    case LINE_BLOCKS:
        return scan_blocks(reader, scan, key->name, row, problem);
    case LINE_CHAT:
        return scan_id(scan, key->name, &values->chat, problem);
    case LINE_PARENT:
        return scan_id(scan, key->name, &values->parent, problem);
    default:
        return scan_messages(reader, scan, key->name, row, problem);
    }
}

static const struct line_key *find_key(const struct json_scan *scan,
                                       const struct line_layout *layout)
{
    for (const struct line_key *key = layout->keys; key->name != NULL; key++) {
        if (json_scan_is(scan, key->name))
            return key;
    }
    return NULL;
}

static bool scan_member(struct requests_reader *reader, struct json_scan *scan,
                        const struct line_layout *layout, struct line_values *values,
                        struct request_row *row, struct row_problem *problem)
{
    const struct line_key *key = find_key(scan, layout);
    if (json_scan_next(scan) == JSON_SCAN_BAD)
        return refuse_scan(scan, problem);
    if (key != NULL && scan->token == JSON_SCAN_NULL) {
        if (key->field == LINE_THINK)
            row->think_ns = THINK_FREE;
        return true;
    }
    if (key == NULL)
        return json_scan_skip(scan) || refuse_scan(scan, problem);
    values->seen[key->field] = true;
    return scan_value(reader, scan, key, values, row, problem);
}

static bool require_keys(const struct json_scan *scan, const struct line_layout *layout,
                         const struct line_values *values, struct row_problem *problem)
{
    for (const struct line_key *key = layout->keys; key->name != NULL; key++) {
        if (!key->required || values->seen[key->field])
            continue;
        problem->refusal = REFUSED_FIELDS;
        problem->column = json_scan_offset(scan) + 1;
        snprintf(problem->text, sizeof problem->text, "the object ends without \"%s\"",
                 key->name);
        return false;
    }
    return true;
}

static bool parse_line(struct requests_reader *reader, const struct line_layout *layout,
                       const char *line, size_t len, struct request_row *row,
                       struct row_problem *problem)
{
    struct json_scan scan;
    struct line_values values = { 0 };
    json_scan_init(&scan, line, len);
    if (json_scan_next(&scan) == JSON_SCAN_BAD)
        return refuse_scan(&scan, problem);
    if (scan.token != JSON_SCAN_OBJECT)
        return refuse_value(&scan, problem, REFUSED_SYNTAX, "the line", "a JSON object");
    row->block_tokens = layout->block_tokens;
    while (json_scan_next(&scan) == JSON_SCAN_KEY) {
        if (!scan_member(reader, &scan, layout, &values, row, problem))
            return false;
    }
    if (scan.token != JSON_SCAN_OBJECT_END)
        return refuse_scan(&scan, problem);
    if (!require_keys(&scan, layout, &values, problem))
        return false;
    if (json_scan_next(&scan) != JSON_SCAN_END)
        return refuse_scan(&scan, problem);
    return layout->finish == NULL || layout->finish(reader, &values, row, problem);
}

/* Whether the prefix blocks can make up the prompt they belong to. */
static bool check_blocks(const struct request_row *row, struct row_problem *problem)
{
    if (row->block_count == 0)
        return true;
    if (row->block_tokens == 0) {
        problem->refusal = REFUSED_VALUE;
        problem->column = 0;
        snprintf(problem->text, sizeof problem->text, "hash_ids without block_tokens");
        return false;
    }
    uint64_t covered = (uint64_t)row->block_count * row->block_tokens;
    if (covered < (uint64_t)row->input_tokens + row->block_tokens)
        return true;
    problem->refusal = REFUSED_VALUE;
    problem->column = 0;
    snprintf(problem->text, sizeof problem->text,
             "%u hash_ids of %u tokens, more than the %u input tokens fill",
             row->block_count, row->block_tokens, row->input_tokens);
    return false;
}

static int read_line(struct requests_reader *reader, const struct line_layout *layout,
                     const char *line, size_t len)
{
    struct request_trace *trace = reader->trace;
    struct row_problem problem;
    struct request_row row = request_row_empty();
    size_t rows = trace->count;
    size_t block_len = trace->block_bytes.len;
    int rc = STATUS_OK;
    if (parse_line(reader, layout, line, len, &row, &problem) && check_blocks(&row,
                                                                              &problem))
        reader_accept(reader, &row);
    else
        rc = reader_refuse(reader, &problem);
    if (trace->count == rows)
        trace->block_bytes.len = block_len;
    return rc;
}

int requests_read_lines(struct requests_reader *reader, const struct line_layout *layout)
{
    const char *line;
    size_t len;
    int rc;
    reader->trace->has_times = true;
    while ((rc = input_file_line(reader->file, layout->line_max, &line, &len,
                                 reader->fault))
           > 0) {
        reader->line = input_file_line_number(reader->file);
        if (reader->line == 1 && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
            line += 3;
            len -= 3;
        }
        if (strspn(line, " \t\r") < len && (rc = read_line(reader, layout, line,
                                                           len)) < 0)
            break;
    }
    return rc;
}
