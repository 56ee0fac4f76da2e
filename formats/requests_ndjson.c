/* Our own request trace: requests.md. */
#include <stdio.h>

#include "formats/requests_reader.h"

/* Either every row has a time, or none: the first accepted one decides. */
static bool check_time(struct requests_reader *reader, const struct line_values *values,
                       struct request_row *row, struct row_problem *problem)
{
    (void)row;
    struct request_trace *trace = reader->trace;
    if (trace->count == 0)
        trace->has_times = values->seen[LINE_TIME];
    if (values->seen[LINE_TIME] == trace->has_times)
        return true;
    problem->refusal = REFUSED_TIME;
    problem->column = 0;
    snprintf(problem->text, sizeof problem->text, "due_ns %s, unlike the rows before",
             trace->has_times ? "is missing" : "is there");
    return false;
}

int requests_read_ndjson(struct requests_reader *reader)
{
    static const struct line_key keys[] = {
        { "due_ns", LINE_TIME, UNIT_NS, false },
        { "input_tokens", LINE_INPUT, 0, true },
        { "output_tokens", LINE_OUTPUT, 0, true },
        { "session", LINE_SESSION, 0, false },
        { "think_ns", LINE_THINK, UNIT_NS, false },
        { "hash_ids", LINE_BLOCKS, 0, false },
        { "block_tokens", LINE_BLOCK_TOKENS, 0, false },
        { "messages", LINE_MESSAGES, 0, false },
        { 0 },
    };
    static const struct line_layout layout = {
        .keys = keys,
        .line_max = REQUEST_TEXT_LINE_MAX,
        .finish = check_time,
    };
    reader->trace->keeps_zero = true;
    return requests_read_lines(reader, &layout);
}
