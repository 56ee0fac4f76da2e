/* The empirical law of set-ups: what the events that found their loop idle had paid. */
#ifndef TOKTRACE_SETUP_LAW_H
#define TOKTRACE_SETUP_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/queue_events.h"

/* Of more set-ups, so many are kept, evenly over all. */
enum { SETUP_LAW_MAX = 1 << 16 };

/* Start from {0}: no set-up. */
struct setup_law {
    uint32_t *setups; /* owned; in QUEUE_RESOLUTION_NS */
    size_t count;
};

/* From events that have been through queue_serve. */
void setup_law_learn(struct setup_law *law, const struct queue_event *events,
                     size_t count);

void setup_law_release(struct setup_law *law);

/* Draw `index`, each set-up as likely as any other: the same in every run. 0 from NULL or
 * an empty law. */
int64_t setup_law_draw_ns(const struct setup_law *law, uint64_t index);

#endif
