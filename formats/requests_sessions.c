/* Sessions: the first turn has a timestamp, later ones a delay after the previous answer,
 * all in milliseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/memory.h"
#include "formats/requests_reader.h"

enum { SESSIONS_BLOCK_TOKENS = 512 };

static const int64_t TIME_UNKNOWN_NS = -1;

struct session_times {
    int64_t *last_ns; /* owned: time of each session's last turn, or TIME_UNKNOWN_NS */
    size_t count;
    size_t capacity;
};

/* Where the session's time is kept. Sessions may be known by name from refused rows
 * alone, so that their numbers run ahead of the times. */
static int64_t *time_of(struct session_times *times, uint32_t session)
{
    while (times->count <= session) {
        times->last_ns = memory_grow(times->last_ns, times->count, &times->capacity,
                                     sizeof *times->last_ns);
        times->last_ns[times->count++] = TIME_UNKNOWN_NS;
    }
    return &times->last_ns[session];
}

/* A turn without a time of its own gets that of the turn before: the earliest it could
 * have. */
static bool place_turn(struct requests_reader *reader, const struct line_values *values,
                       struct request_row *row, struct row_problem *problem)
{
    int64_t none_ns = TIME_UNKNOWN_NS;
    int64_t *last_ns = &none_ns;
    if (row->session != SESSION_NONE)
        last_ns = time_of(reader->state, row->session);
    reader->time_derived = !values->seen[LINE_TIME];
    if (reader->time_derived && *last_ns == TIME_UNKNOWN_NS) {
        problem->refusal = REFUSED_TIME;
        problem->column = 0;
        snprintf(problem->text, sizeof problem->text,
                 "no timestamp, expected one on the first turn of a session");
        return false;
    }
    if (reader->time_derived)
        row->time_ns = *last_ns;
    *last_ns = row->time_ns;
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
    reader->state = NULL;
    free(times.last_ns);
    return rc;
}
