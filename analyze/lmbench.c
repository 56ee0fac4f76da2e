#include "analyze/lmbench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/csv.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"

enum column {
    PROMPT_TOKENS,
    GENERATION_TOKENS,
    TTFT,
    GENERATION_TIME,
    LAUNCH_TIME,
    FINISH_TIME,
    COLUMNS,
};

static const char *const column_names[COLUMNS] = {
    "prompt_tokens", "generation_tokens", "ttft", "generation_time", "launch_time",
    "finish_time",
};

/* Bounds of values: tokens as in a context window, a day for durations, the year 2096 for
 * moments, so that their differences in ns fit. */
static const double column_max[COLUMNS] = { 1e8, 1e8, 86400, 86400, 4e9, 4e9 };

enum { NUMBER_MAX = 64 };

struct lmbench_row {
    double values[COLUMNS];
};

struct lmbench_rows {
    struct lmbench_row *items; /* owned */
    size_t count;
    size_t capacity;
};

int lmbench_rate(const char *path, double *planned_per_s, struct fault *fault)
{
    const char *underscore = strrchr(path, '_');
    const char *end = underscore == NULL ? NULL : strstr(underscore, ".csv");
    char number[NUMBER_MAX] = "";
    if (end != NULL && (size_t)(end - underscore) <= sizeof number)
        memcpy(number, underscore + 1, (size_t)(end - underscore) - 1);
    struct fault ignored = { 0 };
    if (units_parse_float(number, planned_per_s, &ignored) != STATUS_OK ||
        !(*planned_per_s > 0 && *planned_per_s < 1e9))
        return fault_set(fault, STATUS_USAGE,
                         "%s: no load in the name, expected NAME_RATE.csv", path);
    return STATUS_OK;
}

static int find_columns(const struct csv_reader *csv, const char *path,
                        size_t places[COLUMNS], struct fault *fault)
{
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t at = 0;
        while (at < csv->count &&
               (csv->fields[at].len != strlen(column_names[column]) ||
                memcmp(csv->fields[at].text, column_names[column],
                       csv->fields[at].len) != 0))
            at++;
        if (at == csv->count)
            return fault_set(fault, STATUS_BAD_INPUT,
                             "%s:%llu: the header has no column \"%s\"", path,
                             (unsigned long long)csv->line, column_names[column]);
        places[column] = at;
    }
    return STATUS_OK;
}

static int parse_row(const struct csv_reader *csv, const char *path,
                     const size_t places[COLUMNS], struct lmbench_row *row,
                     struct fault *fault)
{
    for (size_t column = 0; column < COLUMNS; column++) {
        char text[NUMBER_MAX] = "";
        struct fault ignored = { 0 };
        double *value = &row->values[column];
        if (places[column] >= csv->count)
            return fault_set(fault, STATUS_BAD_INPUT, "%s:%llu: no %s in a row of %zu",
                             path, (unsigned long long)csv->line, column_names[column],
                             csv->count);
        const struct csv_field *field = &csv->fields[places[column]];
        if (field->len < sizeof text)
            memcpy(text, field->text, field->len);
        if (units_parse_float(text, value, &ignored) != STATUS_OK || *value < 0 ||
            *value > column_max[column])
            return fault_set(fault, STATUS_BAD_INPUT,
                             "%s:%llu:%zu: %s is \"%s\", expected a number from 0 to %g",
                             path, (unsigned long long)csv->line, field->column,
                             column_names[column], text, column_max[column]);
    }
    if (row->values[FINISH_TIME] < row->values[LAUNCH_TIME])
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s:%llu: finish_time is before launch_time", path,
                         (unsigned long long)csv->line);
    return STATUS_OK;
}

static int read_rows(struct lmbench_rows *rows, struct csv_reader *csv, const char *path,
                     struct fault *fault)
{
    size_t places[COLUMNS];
    int got = csv_next(csv, fault);
    if (got == CSV_END)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: empty, expected a header", path);
    int status = got < 0 ? got : find_columns(csv, path, places, fault);
    while (status == STATUS_OK && (got = csv_next(csv, fault)) != CSV_END) {
        if (got < 0)
            return got;
        if (got == CSV_MALFORMED)
            return fault_set(fault, STATUS_BAD_INPUT, "%s:%llu:%zu: %s", path,
                             (unsigned long long)csv->line, csv->problem_column,
                             csv->problem);
        if (rows->count == LMBENCH_ROWS_MAX)
            return fault_set(fault, STATUS_LIMIT, "%s: more than %d rows", path,
                             LMBENCH_ROWS_MAX);
        rows->items =
            memory_grow(rows->items, rows->count, &rows->capacity, sizeof *rows->items);
        status = parse_row(csv, path, places, &rows->items[rows->count++], fault);
    }
    return status;
}

static int64_t to_ns(double seconds)
{
    return (int64_t)llround(seconds * NS_PER_S);
}

/* The generator saw a first piece and an end, and takes every token but the first as
 * spread between them. */
static void append_sample(struct collection *collection, const struct lmbench_row *row,
                          double origin_s)
{
    collection->samples = memory_grow(collection->samples, collection->count,
                                      &collection->capacity, sizeof *collection->samples);
    struct request_sample *sample = &collection->samples[collection->count];
    int64_t sent_ns = to_ns(row->values[LAUNCH_TIME] - origin_s);
    int64_t end_ns = to_ns(row->values[FINISH_TIME] - origin_s);
    int64_t first_ns = sent_ns + to_ns(row->values[TTFT]);
    first_ns = first_ns < end_ns ? first_ns : end_ns;
    *sample = (struct request_sample){
        .row = collection->count++,
        .due_ns = TIME_NONE,
        .connect_start_ns = TIME_NONE,
        .connect_end_ns = TIME_NONE,
        .sent_ns = sent_ns,
        .end_ns = end_ns,
        .app = { TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE, TIME_NONE },
        .input_tokens = (uint32_t)row->values[PROMPT_TOKENS],
        .planned_output_tokens = COUNT_NONE,
        .output_tokens = (uint32_t)row->values[GENERATION_TOKENS],
        .outcome = OUTCOME_OK,
        .counted_by_usage = true,
    };
    bool answered = sample->output_tokens > 0;
    sample->choices = answered;
    sample->output_events = answered ? 2 : 0;
    sample->first_event_tokens = answered;
    sample->arrival = (struct token_times){
        .first_ns = answered ? first_ns : TIME_NONE,
        .first_content_ns = answered ? first_ns : TIME_NONE,
        .last_ns = answered ? end_ns : TIME_NONE,
        .span_ns = answered ? end_ns - first_ns : TIME_NONE,
    };
}

int lmbench_read(struct collection *collection, const char *path, struct fault *fault)
{
    struct lmbench_rows rows = { 0 };
    struct input_file *file = NULL;
    struct csv_reader *csv = NULL;
    double origin_s = INFINITY;
    int status = input_file_open(&file, path, fault);
    if (status != STATUS_OK)
        goto done;
    csv = csv_reader_create(file);
    status = read_rows(&rows, csv, path, fault);
    if (status != STATUS_OK)
        goto done;
    for (size_t i = 0; i < rows.count; i++)
        origin_s = fmin(origin_s, rows.items[i].values[LAUNCH_TIME]);
    for (size_t i = 0; i < rows.count; i++)
        append_sample(collection, &rows.items[i], origin_s);
done:
    free(rows.items);
    if (csv != NULL)
        csv_reader_free(csv);
    input_file_close(file);
    return status;
}
