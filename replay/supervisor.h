/* The parent's side of the workers: forks them, starts them together, passes signals on,
 * reaps them. */
#ifndef TOKTRACE_SUPERVISOR_H
#define TOKTRACE_SUPERVISOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/base/fault.h"
#include "replay/control.h"
#include "replay/worker.h"

struct worker_process {
    pid_t pid; /* 0: not started, or reaped */
    int wake_fd;
    int exit_code; /* -1: ended by a signal, or not yet */
    int signal;
    bool started;
    bool failed;
};

struct supervisor {
    struct run_control *control;      /* owned */
    struct worker_process *processes; /* owned */
    uint32_t workers;
    uint32_t running;
    int signal_fd;
    bool blocks_signals;
    sigset_t signals_before; /* the mask to go back to */
    int interrupts; /* Ctrl-C counts one, SIGTERM two */
    int signal;     /* the first that interrupted; 0: none */
};

/* Blocks SIGINT, SIGTERM and SIGCHLD for the process and makes shared memory for so many
 * workers. */
int supervisor_init(struct supervisor *supervisor, uint32_t workers, struct fault *fault);

/* Restores the signals and frees; workers that still run are told to abort and waited
 * for. */
void supervisor_release(struct supervisor *supervisor);

/* Forks worker `setup->number`; control and wake_fd of the setup are filled in here. */
int supervisor_fork(struct supervisor *supervisor, struct worker_setup *setup,
                    struct fault *fault);

/* Waits until all workers are ready. STATUS_IO when one ended before that (its fault is
 * passed on), or a signal came; the others are told to abort. */
int supervisor_await_ready(struct supervisor *supervisor, struct fault *fault);

/* Sets T0 (monotonic ns) and wakes all. */
void supervisor_start(struct supervisor *supervisor, int64_t t0_ns);

/* Waits up to timeout_ms for signals and ended workers and acts on them. False when none
 * runs any more. */
bool supervisor_watch(struct supervisor *supervisor, int timeout_ms);

/* Tells the workers to stop as `stop` says. */
void supervisor_stop(struct supervisor *supervisor, enum run_stop stop);

#endif
