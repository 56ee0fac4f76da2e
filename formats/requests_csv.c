#include <stdio.h>
#include <string.h>

#include "formats/requests_reader.h"

struct columns {
    size_t header_fields;
    size_t count;
    int index[LAYOUT_COLUMNS_MAX]; /* field of each column of the layout, or -1 */
};

static bool field_is(const struct csv_field *field, const char *text)
{
    return field->len == strlen(text) && memcmp(field->text, text, field->len) == 0;
}

/* The place in the header of the column with that name: -1 when there is none, and
 * STATUS_BAD_INPUT when there are two, since nothing says which is meant. */
static int find_column(const struct requests_reader *reader, const struct csv_reader *csv,
                       const char *name, int *found)
{
    *found = -1;
    for (size_t i = 0; i < csv->count; i++) {
        if (!field_is(&csv->fields[i], name))
            continue;
        if (*found >= 0)
            return fault_set(reader->fault, STATUS_BAD_INPUT,
                             "%s:%llu:%zu: a second column \"%s\" in the header, "
                             "expected one",
                             input_file_name(reader->file), (unsigned long long)csv->line,
                             csv->fields[i].column, name);
        *found = (int)i;
    }
    return STATUS_OK;
}

/* Finds each column of the layout in the header by its name. */
static int match_header(struct requests_reader *reader, const struct csv_reader *csv,
                        const struct csv_layout *layout, struct columns *columns)
{
    columns->header_fields = csv->count;
    for (columns->count = 0; layout->columns[columns->count] != NULL; columns->count++) {
        const char *name = layout->columns[columns->count];
        int found;
        int rc = find_column(reader, csv, name, &found);
        if (rc < 0)
            return rc;
        if (found < 0 && columns->count < layout->required)
            return fault_set(reader->fault, STATUS_BAD_INPUT,
                             "%s:%llu: the header has no column \"%s\"",
                             input_file_name(reader->file), (unsigned long long)csv->line,
                             name);
        columns->index[columns->count] = found;
    }
    return STATUS_OK;
}

static bool parse_record(struct requests_reader *reader, const struct csv_reader *csv,
                         const struct csv_layout *layout, const struct columns *columns,
                         struct request_row *row, struct row_problem *problem)
{
    if (csv->count != columns->header_fields) {
        problem->refusal = REFUSED_FIELDS;
        problem->column = csv->fields[csv->count - 1].column;
        snprintf(problem->text, sizeof problem->text,
                 "%zu field%s, expected %zu as in the header", csv->count,
                 csv->count == 1 ? "" : "s", columns->header_fields);
        return false;
    }
    const struct csv_field *fields[LAYOUT_COLUMNS_MAX] = { NULL };
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->index[i] >= 0)
            fields[i] = &csv->fields[columns->index[i]];
    }
    return layout->parse(reader, fields, row, problem);
}

static void malformed_record(const struct csv_reader *csv, struct row_problem *problem)
{
    problem->refusal = REFUSED_SYNTAX;
    problem->column = csv->problem_column;
    snprintf(problem->text, sizeof problem->text, "%s, expected comma-separated values",
             csv->problem);
}

static int read_records(struct requests_reader *reader, struct csv_reader *csv,
                        const struct csv_layout *layout, const struct columns *columns)
{
    int rc;
    while ((rc = csv_next(csv, reader->fault)) > 0) {
        struct row_problem problem;
        struct request_row row = request_row_empty();
        reader->line = csv->line;
        bool good = false;
        if (rc == CSV_MALFORMED)
            malformed_record(csv, &problem);
        else
            good = parse_record(reader, csv, layout, columns, &row, &problem);
        if (good)
            reader_accept(reader, &row);
        else if ((rc = reader_refuse(reader, &problem)) < 0)
            break;
    }
    return rc < 0 ? rc : STATUS_OK;
}

int requests_read_csv(struct requests_reader *reader, const struct csv_layout *layout)
{
    struct csv_reader *csv = csv_reader_create(reader->file);
    struct columns columns;
    int rc = csv_next(csv, reader->fault);
    if (rc == CSV_MALFORMED)
        rc = fault_set(reader->fault, STATUS_BAD_INPUT, "%s:%llu:%zu: %s in the header",
                       input_file_name(reader->file), (unsigned long long)csv->line,
                       csv->problem_column, csv->problem);
    if (rc <= 0)
        goto done;
    rc = match_header(reader, csv, layout, &columns);
    if (rc < 0)
        goto done;
    reader->trace->has_times = layout->has_times;
    rc = read_records(reader, csv, layout, &columns);
done:
    csv_reader_free(csv);
    return rc;
}
