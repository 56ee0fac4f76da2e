/* Plain lengths, no times: num_prefill_tokens,num_decode_tokens. */
#include "formats/requests_reader.h"

enum { PREFILL, DECODE, REQUIRED };

static bool parse_lengths(struct requests_reader *reader,
                          const struct csv_field *const *fields, struct request_row *row,
                          struct row_problem *problem)
{
    (void)reader;
    const struct csv_field *input = fields[PREFILL];
    const struct csv_field *output = fields[DECODE];
    return parse_tokens(input->text, input->len, input->column, "num_prefill_tokens",
                        &row->input_tokens, problem)
           && parse_tokens(output->text, output->len, output->column, "num_decode_tokens",
                           &row->output_tokens, problem);
}

const struct csv_layout lengths_layout = {
    .columns = (const char *const[]){ "num_prefill_tokens", "num_decode_tokens", NULL },
    .required = REQUIRED,
    .has_times = false,
    .parse = parse_lengths,
};
