/* Sessions: the first turn has a timestamp, later ones a delay after the previous answer,
 * all in milliseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/memory.h"
#include "formats/requests_reader.h"

enum { SESSIONS_BLOCK_TOKENS = 512 };

struct session_times {
    int64_t *last_ns; /* owned: time of each session's last turn */
    size_t count;
    size_t capacity;
};

/* A turn without a time of its own gets that of the turn before: the earliest it could
 * have. */
static bool place_turn(struct requests_reader *reader, const struct line_values *values,
                       struct request_row *row, struct row_problem *problem)
{
    struct session_times *times = reader->state;
    if (row->session == SESSION_NONE)
        return true;
    bool first = row->session >= times->count;
    if (first) {
        times->last_ns = memory_grow(times->last_ns, times->count, &times->capacity,
                                     sizeof *times->last_ns);
        times->last_ns[times->count++] = 0;
    }
    if (!values->seen[LINE_TIME] && first) {
        problem->refusal = REFUSED_TIME;
        problem->column = 0;
        snprintf(problem->text, sizeof problem->text,
                 "no timestamp, expected one on the first turn of a session");
        return false;
    }
    if (!values->seen[LINE_TIME])
        row->time_ns = times->last_ns[row->session];
    times->last_ns[row->session] = row->time_ns;
    return true;
}

int requests_read_sessions(struct requests_reader *reader)
{
    static const struct line_key keys[] = {
        { "session_id", LINE_SESSION, 0, true },
        { "timestamp", LINE_TIME, UNIT_MS, false },
        { "delay", LINE_THINK, UNIT_MS, false },
        { "input_length", LINE_INPUT, 0, true },
        { "output_length", LINE_OUTPUT, 0, true },
        { "input_tokens", LINE_INPUT, 0, false },
        { "output_tokens", LINE_OUTPUT, 0, false },
        { "hash_ids", LINE_BLOCKS, 0, false },
        { 0 },
    };
    static const struct line_layout layout = {
        .keys = keys,
        .line_max = REQUEST_LINE_MAX,
        .block_tokens = SESSIONS_BLOCK_TOKENS,
        .finish = place_turn,
    };
    struct session_times times = { 0 };
    reader->state = &times;
    int rc = requests_read_lines(reader, &layout);
    free(times.last_ns);
    return rc;
}
