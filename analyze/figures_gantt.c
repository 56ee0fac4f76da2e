/* The figure of single requests, part by part. */
#include <stdlib.h>

#include "analyze/plot_input.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum { GANTT_ROWS = 40, GANTT_PLACES_MIN = 10 };

static int compare_due(const void *left, const void *right)
{
    const struct request_sample *a = *(const struct request_sample *const *)left;
    const struct request_sample *b = *(const struct request_sample *const *)right;
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Colours that are apart in grey too, at least those that meet. */
static void gantt_script(struct figure *figure, size_t rows, size_t failed,
                         struct figure_range time)
{
    const struct figure_key key = { failed > 0 ? 5 : 4, 15 };
    static const char *const parts[] = { "send lag", "queue + prefill", "decode",
                                         "receive lag" };
    static const char *const fills[] = { "lt 7 dt 1 fs solid 1", "lt 5 dt 1 fs solid 0.5",
                                         "lt 1 dt 1 fs solid 1", "lt 6 dt 1 fs solid 1" };
    double margin_s = (time.high - time.low) * 0.02 + 1e-6;
    figure_panels(figure, 1, 2.4, &key);
    figure_panel(figure, 0, "time (s)", "requests by due time");
    figure_linear_axis(figure, "x", time.low - margin_s, time.high + margin_s);
    figure_line(figure, "set yrange [%zu.5:-0.5] noreverse\nset ytics %d",
                (rows > GANTT_PLACES_MIN ? rows : GANTT_PLACES_MIN) - 1,
                rows > GANTT_PLACES_MIN ? 5 : 1);
    figure_line(figure, "set style fill noborder");
    for (int i = 0; i < 4; i++)
        figure_curve(figure, 0,
                     "using %d:1:%d:%d:($1-0.35):($1+0.35) with boxxyerror %s "
                     "title '%s'",
                     i + 3, i + 3, i + 4, fills[i], parts[i]);
    if (failed > 0)
        figure_curve(figure, 0,
                     "using ($9 > 0 ? NaN : $8):1 with points lt 2 pt 2 ps "
                     "0.4*mark title 'failed'");
    figure_panel_end(figure);
}

static int64_t or_else(int64_t time_ns, int64_t other_ns)
{
    return time_ns != TIME_NONE ? time_ns : other_ns;
}

static void add_request(struct figure *figure, const struct request_sample *sample,
                        size_t place, int64_t zero_ns, struct figure_range *range)
{
    int64_t first_ns = or_else(sample->arrival.first_ns, sample->end_ns);
    int64_t last_ns = or_else(sample->arrival.last_ns, first_ns);
    int64_t moments[] = { sample->due_ns,
                          sample->sent_ns,
                          first_ns,
                          last_ns,
                          or_else(sample->app.last_ns, last_ns),
                          sample->end_ns };
    double row[9] = { (double)place, (double)sample->row };
    for (size_t i = 0; i < 6; i++) {
        row[2 + i] = (double)(moments[i] - zero_ns) / NS_PER_S;
        figure_range_add(range, row[2 + i], false);
    }
    row[8] = sample->outcome == OUTCOME_OK;
    figure_row(figure, row, 9);
}

/* Requests that were sent, in the order of their due times; takes room for all. */
static size_t sent_in_order(const struct collection *collection,
                            const struct request_sample ***order)
{
    size_t count = 0;
    *order = memory_new(collection->count, sizeof **order);
    for (size_t i = 0; i < collection->count; i++) {
        const struct request_sample *sample = &collection->samples[i];
        if (sample->due_ns != TIME_NONE && sample->sent_ns != TIME_NONE &&
            sample->end_ns != TIME_NONE)
            (*order)[count++] = sample;
    }
    qsort(*order, count, sizeof **order, compare_due);
    return count;
}

/* A window of requests around the middle of the run. */
void plot_gantt(struct figure *figure, struct plot_input *input, size_t item)
{
    const struct collection *collection = &input->runs[item].analysis.collection;
    struct figure_range range = FIGURE_RANGE_EMPTY;
    const struct request_sample **order;
    size_t count = sent_in_order(collection, &order);
    if (count == 0 || collection->epoch_count != 1) {
        figure_refuse(figure, count == 0 ? "no request was sent"
                                         : "it needs one run, with one clock");
        goto done;
    }
    size_t rows = count < GANTT_ROWS ? count : GANTT_ROWS;
    size_t first = (count - rows) / 2;
    figure_remark(figure,
                  "%zu of %zu requests that were sent, from the middle of the "
                  "run.",
                  rows, count);
    figure_remark(figure, "Columns: place, row of the plan, then times since the first "
                          "due request (s): due, sent,");
    figure_remark(figure, "first token by arrival (the end, where none came), last token "
                          "by arrival, last token by app,");
    figure_remark(figure, "end; 1 where it succeeded, else 0.");
    figure_block(figure, "requests");
    size_t failed = 0;
    for (size_t i = 0; i < rows; i++) {
        add_request(figure, order[first + i], i, order[0]->due_ns, &range);
        failed += order[first + i]->outcome != OUTCOME_OK;
    }
    gantt_script(figure, rows, failed, range);
done:
    free(order);
}
