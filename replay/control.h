/* The shared memory of a run: what the parent tells its workers, and what they tell
 * it. */
#ifndef TOKTRACE_CONTROL_H
#define TOKTRACE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

/* What workers are to do. Only ever rises. */
enum run_stop {
    RUN_GO,
    RUN_STOP_SENDING, /* let open streams finish */
    RUN_ABORT,        /* end open streams as cancelled, write the log, exit */
};

/* One worker's counters, written by it alone, read by the parent at any time. */
struct worker_counters {
    _Alignas(64) atomic_uint_fast64_t sent;
    atomic_uint_fast64_t finished;
    atomic_uint_fast64_t outcomes[OUTCOMES];
    atomic_uint_fast64_t token_events;
    atomic_uint_fast64_t open;
    atomic_int_fast64_t lag_max_ns; /* latest send against its due time */
    atomic_int ready;               /* set once, when all is prepared */
    atomic_int done;                /* set once, when the log is closed */
    int status;                     /* valid when done, or when the worker exited */
    struct fault fault;             /* likewise; empty when fine */
};

struct run_control {
    atomic_int stop;           /* enum run_stop */
    atomic_int_fast64_t t0_ns; /* monotonic; 0 until the start is set */
    struct worker_counters workers[];
};

/* Zeroed shared memory for so many workers; NULL with errno. */
struct run_control *run_control_create(uint32_t workers);
void run_control_free(struct run_control *control, uint32_t workers);

#endif
