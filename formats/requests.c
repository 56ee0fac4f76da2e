#include "formats/requests.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

/* Rows are "on ticks" when most share their times and nearly every gap is a multiple
 * of one. */
enum { TICK_ROWS_MIN = 100, TICK_PERCENT = 99, TICK_SLACK_PER_MILLE = 5 };
static const int64_t TICK_MIN_NS = NS_PER_S;

const char *request_refusal_name(enum request_refusal refusal)
{
    static const char *const names[REFUSALS] = {
        [REFUSED_FIELDS] = "fields",
        [REFUSED_NUMBER] = "number",
        [REFUSED_TIME] = "time",
        [REFUSED_SYNTAX] = "syntax",
        [REFUSED_VALUE] = "value",
        [REFUSED_ZERO_OUTPUT] = "zero_output",
        [REFUSED_ZERO_INPUT] = "zero_input",
    };
    return names[refusal];
}

void request_trace_release(struct request_trace *trace)
{
    free(trace->rows);
    free(trace->texts);
    name_table_release(&trace->sessions);
    buffer_release(&trace->block_bytes);
    buffer_release(&trace->text_bytes);
    memset(trace, 0, sizeof *trace);
}

void request_trace_add(struct request_trace *trace, const struct request_row *row)
{
    trace->rows = memory_grow(trace->rows, trace->count, &trace->capacity,
                              sizeof *trace->rows);
    trace->rows[trace->count++] = *row;
}

uint32_t request_trace_add_text(struct request_trace *trace, const char *messages,
                                size_t len)
{
    trace->texts = memory_grow(trace->texts, trace->text_count, &trace->text_capacity,
                               sizeof *trace->texts);
    trace->texts[trace->text_count] = (struct request_text){ trace->text_bytes.len, len };
    buffer_append(&trace->text_bytes, messages, len);
    return (uint32_t)trace->text_count++;
}

static int compare_rows(const void *left, const void *right)
{
    const struct request_row *a = left;
    const struct request_row *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void sort_rows(struct request_trace *trace)
{
    size_t sorted = 1;
    while (sorted < trace->count
           && trace->rows[sorted].time_ns >= trace->rows[sorted - 1].time_ns)
        sorted++;
    if (sorted < trace->count)
        qsort(trace->rows, trace->count, sizeof *trace->rows, compare_rows);
}

/* What a row that follows `previous` in its session waits for, where the file does not
 * say: the recorded pause after the previous answer; nothing, when it began before
 * that answer ended (the session branches); just the answer, when its end was not
 * recorded. */
static int64_t think_after(const struct request_row *previous,
                           const struct request_row *row)
{
    if (previous->answer_ns == ANSWER_NONE)
        return 0;
    int64_t pause_ns = row->time_ns - previous->time_ns - previous->answer_ns;
    return pause_ns >= 0 ? pause_ns : THINK_NONE;
}

/* Gives the row its turn behind `previous`, NULL for none, and what it waits for. */
static void follow(struct request_row *row, const struct request_row *previous)
{
    bool alone = previous == NULL || row->think_ns == THINK_FREE;
    row->turn = previous == NULL ? 0 : previous->turn + 1;
    if (alone)
        row->think_ns = THINK_NONE;
    else if (row->think_ns == THINK_NONE)
        row->think_ns = think_after(previous, row);
}

static void number_turns(struct request_trace *trace)
{
    const struct request_row **last = memory_new(trace->sessions.count + 1, sizeof *last);
    for (size_t i = 0; i < trace->count; i++) {
        struct request_row *row = &trace->rows[i];
        bool single = row->session == SESSION_NONE;
        follow(row, single ? NULL : last[row->session]);
        if (!single)
            last[row->session] = row;
    }
    free(last);
}

static void rebase_times(struct request_trace *trace)
{
    if (trace->count == 0 || trace->keeps_zero)
        return;
    int64_t zero_ns = trace->rows[0].time_ns;
    for (size_t i = 0; i < trace->count; i++)
        trace->rows[i].time_ns -= zero_ns;
}

static bool near_multiple(int64_t gap_ns, int64_t tick_ns)
{
    int64_t slack = tick_ns / 1000 * TICK_SLACK_PER_MILLE;
    int64_t rest = gap_ns % tick_ns;
    return rest <= slack * (gap_ns / tick_ns + 1)
           || tick_ns - rest <= slack * (gap_ns / tick_ns + 1);
}

/* The smallest gap above 0, if rows share their times and gaps are multiples of it. */
static int64_t find_tick(const struct request_trace *trace)
{
    int64_t tick_ns = INT64_MAX;
    for (size_t i = 1; i < trace->count; i++) {
        int64_t gap_ns = trace->rows[i].time_ns - trace->rows[i - 1].time_ns;
        if (gap_ns > 0 && gap_ns < tick_ns)
            tick_ns = gap_ns;
    }
    if (trace->count < TICK_ROWS_MIN || tick_ns < TICK_MIN_NS || tick_ns == INT64_MAX
        || 2 * trace->report.equal_times < trace->count)
        return 0;
    size_t on_tick = 1;
    const struct request_row *rows = trace->rows;
    for (size_t i = 1; i < trace->count; i++)
        on_tick += near_multiple(rows[i].time_ns - rows[i - 1].time_ns, tick_ns);
    return 100 * on_tick >= TICK_PERCENT * trace->count ? tick_ns : 0;
}

void request_trace_finish(struct request_trace *trace)
{
    if (trace->has_times) {
        sort_rows(trace);
        rebase_times(trace);
        const struct request_row *rows = trace->rows;
        for (size_t i = 1; i < trace->count; i++)
            trace->report.equal_times += rows[i].time_ns == rows[i - 1].time_ns;
        trace->tick_ns = find_tick(trace);
    }
    number_turns(trace);
}
