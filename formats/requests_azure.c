/* Azure LLM inference traces: 2023 (naive times, seven digits), 2024 (zone, fraction or
 * none), multimodal 2025 (RFC 3339, images not replayed). */
#include "formats/base/timestamp.h"
#include "formats/requests_reader.h"

enum { TIMESTAMP, CONTEXT_TOKENS, GENERATED_TOKENS, REQUIRED };

static bool parse_azure_time(const struct requests_reader *reader,
                             const struct csv_field *field, int64_t *ns,
                             struct row_problem *problem)
{
    if (timestamp_parse_iso(field->text, field->len, ns))
        return true;
    return parse_time(reader, field->text, field->len, field->column, "TIMESTAMP",
                      TIME_UNIT_UNKNOWN, ns, problem);
}

static bool parse_azure(struct requests_reader *reader,
                        const struct csv_field *const *fields, struct request_row *row,
                        struct row_problem *problem)
{
    const struct csv_field *input = fields[CONTEXT_TOKENS];
    const struct csv_field *output = fields[GENERATED_TOKENS];
    return parse_azure_time(reader, fields[TIMESTAMP], &row->time_ns, problem)
           && parse_tokens(input->text, input->len, input->column, "ContextTokens",
                           &row->input_tokens, problem)
           && parse_tokens(output->text, output->len, output->column, "GeneratedTokens",
                           &row->output_tokens, problem);
}

const struct csv_layout azure_layout = {
    .columns = (const char *const[]){ "TIMESTAMP", "ContextTokens", "GeneratedTokens",
                                      NULL },
    .required = REQUIRED,
    .has_times = true,
    .parse = parse_azure,
};
