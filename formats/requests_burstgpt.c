/* BurstGPT 1, 2 and 3: seconds from midnight of the first day; 3 adds sessions and how
 * long the answer took. */
#include "formats/requests_reader.h"

enum {
    TIMESTAMP,
    REQUEST_TOKENS,
    RESPONSE_TOKENS,
    REQUIRED,
    SESSION_ID = REQUIRED,
    ELAPSED
};

static bool parse_burstgpt(struct requests_reader *reader,
                           const struct csv_field *const *fields, struct request_row *row,
                           struct row_problem *problem)
{
    const struct csv_field *time = fields[TIMESTAMP];
    const struct csv_field *input = fields[REQUEST_TOKENS];
    const struct csv_field *output = fields[RESPONSE_TOKENS];
    const struct csv_field *session = fields[SESSION_ID];
    const struct csv_field *elapsed = fields[ELAPSED];
    if (!parse_time(reader, time->text, time->len, time->column, "Timestamp", UNIT_S,
                    &row->time_ns, problem)
        || !parse_tokens(input->text, input->len, input->column, "Request tokens",
                         &row->input_tokens, problem)
        || !parse_tokens(output->text, output->len, output->column, "Response tokens",
                         &row->output_tokens, problem))
        return false;
    if (elapsed != NULL && elapsed->len > 0 &&
        !parse_time(reader, elapsed->text, elapsed->len, elapsed->column, "Elapsed time",
                    UNIT_S, &row->answer_ns, problem))
        return false;
    if (session != NULL && session->len > 0)
        row->session = name_table_add(&reader->trace->sessions, session->text,
                                      session->len);
    return true;
}

const struct csv_layout burstgpt_layout = {
    .columns = (const char *const[]){ "Timestamp", "Request tokens", "Response tokens",
                                      "Session ID", "Elapsed time", NULL },
    .required = REQUIRED,
    .has_times = true,
    .parse = parse_burstgpt,
};
