#include "replay/live_view.h"

#include <stdio.h>

#include "formats/base/clock.h"
#include "formats/base/units.h"

static uint64_t load(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

struct run_totals run_totals_read(const struct run_control *control, uint32_t workers)
{
    struct run_totals totals = { 0 };
    for (uint32_t number = 0; number < workers; number++) {
        const struct worker_counters *counters = &control->workers[number];
        totals.sent += load(&counters->sent);
        totals.finished += load(&counters->finished);
        totals.token_events += load(&counters->token_events);
        totals.open += load(&counters->open);
        for (int outcome = 0; outcome < OUTCOMES; outcome++)
            totals.outcomes[outcome] += load(&counters->outcomes[outcome]);
        int64_t lag_ns =
            atomic_load_explicit(&counters->lag_max_ns, memory_order_relaxed);
        if (lag_ns > totals.lag_max_ns)
            totals.lag_max_ns = lag_ns;
    }
    return totals;
}

void live_view_init(struct live_view *view, uint64_t planned, int64_t last_due_ns,
                    bool wanted, bool verbose)
{
    *view = (struct live_view){ .planned = planned, .last_due_ns = last_due_ns };
    progress_init(&view->progress, wanted, verbose);
}

void live_view_update(struct live_view *view, const struct run_control *control,
                      uint32_t workers, int64_t now_ns)
{
    if (!progress_due(&view->progress))
        return;
    struct run_totals totals = run_totals_read(control, workers);
    double span_s = (double)(now_ns - view->shown_ns) / NS_PER_S;
    double tokens_per_s =
        span_s > 0 ? (double)(totals.token_events - view->tokens_shown) / span_s : 0;
    char sent[UNITS_TEXT_MAX];
    char planned[UNITS_TEXT_MAX];
    char rate[UNITS_TEXT_MAX];
    char lag[UNITS_TEXT_MAX];
    char line[256];
    snprintf(line, sizeof line,
             "%s%.0f of %.0f s | sent %s of %s | open %llu | failed %llu | %s tokens/s | "
             "worst send lag %s",
             view->label == NULL ? "" : view->label, (double)now_ns / NS_PER_S,
             (double)view->last_due_ns / NS_PER_S,
             units_format_count(sent, (int64_t)totals.sent),
             units_format_count(planned, (int64_t)view->planned),
             (unsigned long long)totals.open,
             (unsigned long long)(totals.finished - totals.outcomes[OUTCOME_OK]),
             units_format_count(rate, (int64_t)tokens_per_s),
             units_format_duration(lag, (double)totals.lag_max_ns / NS_PER_S));
    progress_show(&view->progress, line);
    view->shown_ns = now_ns;
    view->tokens_shown = totals.token_events;
}

void live_view_end(struct live_view *view)
{
    progress_end(&view->progress);
}
