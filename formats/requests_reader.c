#include "formats/requests_reader.h"

#include <stdio.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/timestamp.h"

enum { SHOWN_MAX = 40 }; /* bytes of what was found that a message shows */

#define TOKENS_EXPECTED "a whole number from 0 to 100000000"

bool row_refuse(struct row_problem *problem, enum request_refusal refusal, size_t column,
                const char *what, const char *found, size_t found_len,
                const char *expected)
{
    problem->refusal = refusal;
    problem->column = column;
    int shown = found_len > SHOWN_MAX ? SHOWN_MAX : (int)found_len;
    snprintf(problem->text, sizeof problem->text, "%s is \"%.*s%s\", expected %s", what,
             shown, found, found_len > SHOWN_MAX ? "..." : "", expected);
    return false;
}

int reader_refuse(struct requests_reader *reader, const struct row_problem *problem)
{
    reader->trace->report.read++;
    reader->trace->report.refused[problem->refusal]++;
    if (reader->options->skip_bad_rows)
        return STATUS_OK;
    const char *name = input_file_name(reader->file);
    unsigned long long line = reader->line;
    if (problem->column == 0)
        return fault_set(reader->fault, STATUS_BAD_INPUT, "%s:%llu: %s", name, line,
                         problem->text);
    return fault_set(reader->fault, STATUS_BAD_INPUT, "%s:%llu:%zu: %s", name, line,
                     problem->column, problem->text);
}

void reader_accept(struct requests_reader *reader, struct request_row *row)
{
    struct request_report *report = &reader->trace->report;
    row->row = report->read++;
    if (!reader->time_derived) {
        report->unsorted += row->time_ns < reader->last_ns;
        reader->last_ns = row->time_ns;
    }
    if (row->output_tokens == 0 && !reader->options->zero_output_one) {
        report->refused[REFUSED_ZERO_OUTPUT]++;
        return;
    }
    if (row->input_tokens == 0) {
        report->refused[REFUSED_ZERO_INPUT]++;
        return;
    }
    if (row->output_tokens == 0) {
        row->output_tokens = 1;
        report->raised++;
    }
    report->accepted++;
    request_trace_add(reader->trace, row);
}

struct request_row request_row_empty(void)
{
    return (struct request_row){
        .think_ns = THINK_NONE,
        .answer_ns = ANSWER_NONE,
        .session = SESSION_NONE,
        .text = TEXT_NONE,
    };
}

static bool all_digits(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
    }
    return len > 0;
}

/* The length of a whole number without a fraction of zeros: "12.00" → 2. */
static size_t whole_part(const char *text, size_t len)
{
    const char *point = memchr(text, '.', len);
    if (point == NULL)
        return len;
    for (const char *at = point + 1; at < text + len; at++) {
        if (*at != '0')
            return len;
    }
    return point + 1 < text + len ? (size_t)(point - text) : len;
}

static bool parse_u64(const char *text, size_t len, uint64_t *value)
{
    if (!all_digits(text, len))
        return false;
    uint64_t result = 0;
    for (size_t i = 0; i < len; i++) {
        if (__builtin_mul_overflow(result, 10U, &result)
            || __builtin_add_overflow(result, (unsigned)(text[i] - '0'), &result))
            return false;
    }
    *value = result;
    return true;
}

bool parse_tokens(const char *text, size_t len, size_t column, const char *what,
                  uint32_t *tokens, struct row_problem *problem)
{
    uint64_t value;
    if (!parse_u64(text, whole_part(text, len), &value) || value > REQUEST_TOKENS_MAX)
        return row_refuse(problem, REFUSED_NUMBER, column, what, text, len,
                          TOKENS_EXPECTED);
    *tokens = (uint32_t)value;
    return true;
}

bool parse_time(const struct requests_reader *reader, const char *text, size_t len,
                size_t column, const char *what, int unit_exponent, int64_t *ns,
                struct row_problem *problem)
{
    static const int chosen[] = {
        [TIME_UNIT_S] = UNIT_S,
        [TIME_UNIT_MS] = UNIT_MS,
        [TIME_UNIT_US] = UNIT_US,
        [TIME_UNIT_NS] = UNIT_NS,
    };
    if (reader->options->time_unit != TIME_UNIT_FORMAT)
        unit_exponent = chosen[reader->options->time_unit];
    if (unit_exponent == TIME_UNIT_UNKNOWN)
        return row_refuse(problem, REFUSED_TIME, column, what, text, len,
                          "a date and time, or --time-unit for bare numbers");
    if (!timestamp_parse_decimal(text, len, unit_exponent, ns) || *ns < 0)
        return row_refuse(problem, REFUSED_TIME, column, what, text, len,
                          "a time of 0 or more that fits 63 bits of ns");
    return true;
}

bool parse_id(const char *text, size_t len, size_t column, const char *what, uint64_t *id,
              struct row_problem *problem)
{
    bool negative = len > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!parse_u64(text + negative, len - negative, &magnitude)
        || (negative && magnitude > (uint64_t)INT64_MAX + 1))
        return row_refuse(problem, REFUSED_NUMBER, column, what, text, len,
                          "a whole number of 64 bits");
    *id = negative ? 0 - magnitude : magnitude;
    return true;
}
