/* When one worker sends what: its share of the plan in the order of due times, with the
 * turns of sessions that wait for the answer before, and in a closed loop with its share
 * of the slots. Knows no clock and no sockets. All times on the run clock. */
#ifndef TOKTRACE_SCHEDULE_H
#define TOKTRACE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/plan.h"

struct schedule; /* opaque */

/* What a failed turn does to the rest of its session. */
enum failed_turn { FAILED_TURN_CONTINUE, FAILED_TURN_STOP };

struct schedule_options {
    uint32_t worker;
    uint32_t workers;
    uint64_t slots; /* closed loop: requests this worker keeps open; 0: open loop */
    enum failed_turn failed_turn;
};

/* The slots of `worker` when `concurrency` requests are to be open over all workers:
 * shares differ by at most one and sum to it. */
uint64_t schedule_slots(uint64_t concurrency, uint32_t worker, uint32_t workers);

/* `plan` is borrowed. */
struct schedule *schedule_create(const struct plan *plan,
                                 const struct schedule_options *options);
void schedule_free(struct schedule *schedule); /* NULL is allowed */

/* Requests in the share. */
size_t schedule_count(const struct schedule *schedule);

/* The next request and when it is due. False when none is known to be due: all were
 * taken, or the rest waits for answers or for a slot. */
bool schedule_next(const struct schedule *schedule, size_t *index, int64_t *due_ns);

/* Takes what schedule_next showed. */
void schedule_take(struct schedule *schedule);

/* Request `index` ended at end_ns: frees its slot and makes the next turn of its session
 * due. */
void schedule_finished(struct schedule *schedule, size_t index, int64_t end_ns,
                       bool failed);

/* True when nothing is left to take, now or later. */
bool schedule_is_over(const struct schedule *schedule);

/* The next request whose body should be built: those that will be taken next, at most
 * `ahead` of them. False when that is as far as it goes for now. */
bool schedule_next_body(struct schedule *schedule, size_t ahead, size_t *index);

/* A request that was never taken, each once: for records of what was not sent. False at
 * the end. */
bool schedule_next_unsent(struct schedule *schedule, size_t *index);

#endif
