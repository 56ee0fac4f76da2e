/* The empirical law of set-ups: what the events that found their loop idle had paid. */
#ifndef TOKTRACE_SETUP_LAW_H
#define TOKTRACE_SETUP_LAW_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/queue_events.h"

/* Start from {0}: no set-up. */
struct setup_law {
    uint32_t *setups; /* owned; in QUEUE_RESOLUTION_NS */
    size_t count;
    size_t step; /* between two that are drawn one after the other */
};

/* From events that have been through queue_serve. */
void setup_law_learn(struct setup_law *law, const struct queue_event *events,
                     size_t count);

void setup_law_release(struct setup_law *law);

/* Draw `index`, the same in every run. Set-ups are dealt like cards, each once before any
 * a second time, so that the rare long ones come as often as they did: neighbours lie a
 * golden section of all apart, and so have nothing to do with each other. 0 from NULL or
 * an empty law. */
int64_t setup_law_draw_ns(const struct setup_law *law, uint64_t index);

#endif
