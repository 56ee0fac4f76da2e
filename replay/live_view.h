/* The progress line of a run, from the workers' counters. */
#ifndef TOKTRACE_LIVE_VIEW_H
#define TOKTRACE_LIVE_VIEW_H

#include <stdint.h>

#include "formats/base/terminal.h"
#include "replay/control.h"

/* Counters of all workers together. */
struct run_totals {
    uint64_t sent;
    uint64_t finished;
    uint64_t outcomes[OUTCOMES];
    uint64_t token_events;
    uint64_t open;
    int64_t lag_max_ns;
};

struct run_totals run_totals_read(const struct run_control *control, uint32_t workers);

/* Shows a line when it is time for one: elapsed and planned time, requests sent of
 * planned, open and failed, tokens per second since the line before, the worst send
 * lag. */
struct live_view {
    struct progress progress;
    const char *label; /* put before the line; NULL: nothing */
    uint64_t planned;
    int64_t last_due_ns;
    int64_t shown_ns;
    uint64_t tokens_shown;
};

void live_view_init(struct live_view *view, uint64_t planned, int64_t last_due_ns,
                    bool wanted, bool verbose);
void live_view_update(struct live_view *view, const struct run_control *control,
                      uint32_t workers, int64_t now_ns);
void live_view_end(struct live_view *view);

#endif
