#include "replay/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/memory.h"

static void watched_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGCHLD);
}

int supervisor_init(struct supervisor *supervisor, uint32_t workers, struct fault *fault)
{
    *supervisor = (struct supervisor){ .workers = workers, .signal_fd = -1 };
    supervisor->control = run_control_create(workers);
    if (supervisor->control == NULL)
        return fault_set_errno(fault, "cannot share memory with %u workers", workers);
    supervisor->processes = memory_new(workers, sizeof *supervisor->processes);
    for (uint32_t number = 0; number < workers; number++)
        supervisor->processes[number] =
            (struct worker_process){ .wake_fd = -1, .exit_code = -1 };
    sigset_t signals;
    watched_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &supervisor->signals_before);
    supervisor->blocks_signals = true;
    supervisor->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (supervisor->signal_fd < 0)
        return fault_set_errno(fault, "cannot watch for signals");
    return STATUS_OK;
}

void supervisor_release(struct supervisor *supervisor)
{
    if (supervisor->running > 0)
        supervisor_stop(supervisor, RUN_ABORT);
    while (supervisor->running > 0)
        supervisor_watch(supervisor, -1);
    for (uint32_t number = 0;
         supervisor->processes != NULL && number < supervisor->workers; number++)
        if (supervisor->processes[number].wake_fd >= 0)
            close(supervisor->processes[number].wake_fd);
    if (supervisor->signal_fd >= 0)
        close(supervisor->signal_fd);
    if (supervisor->blocks_signals)
        sigprocmask(SIG_SETMASK, &supervisor->signals_before, NULL);
    run_control_free(supervisor->control, supervisor->workers);
    free(supervisor->processes);
    *supervisor = (struct supervisor){ .signal_fd = -1 };
}

static void worker_process_run(const struct worker_setup *setup, pid_t parent)
{
    /* If the parent died before this line, the signal would never come. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(status_exit_code(STATUS_IO));
    _exit(status_exit_code(worker_run(setup)));
}

int supervisor_fork(struct supervisor *supervisor, struct worker_setup *setup,
                    struct fault *fault)
{
    struct worker_process *process = &supervisor->processes[setup->number];
    process->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (process->wake_fd < 0)
        return fault_set_errno(fault, "cannot make an eventfd for worker %u",
                               setup->number);
    setup->control = supervisor->control;
    setup->wake_fd = process->wake_fd;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0)
        return fault_set_errno(fault, "cannot start worker %u", setup->number);
    if (pid == 0)
        worker_process_run(setup, parent);
    process->pid = pid;
    process->started = true;
    supervisor->running++;
    return STATUS_OK;
}

static void supervisor_wake(struct supervisor *supervisor)
{
    const uint64_t one = 1;
    for (uint32_t number = 0; number < supervisor->workers; number++)
        if (supervisor->processes[number].pid != 0)
            while (write(supervisor->processes[number].wake_fd, &one, sizeof one) < 0 &&
                   errno == EINTR)
                continue;
}

void supervisor_stop(struct supervisor *supervisor, enum run_stop stop)
{
    int before = atomic_load(&supervisor->control->stop);
    while (before < (int)stop &&
           !atomic_compare_exchange_weak(&supervisor->control->stop, &before, (int)stop))
        continue;
    supervisor_wake(supervisor);
}

void supervisor_start(struct supervisor *supervisor, int64_t t0_ns)
{
    atomic_store(&supervisor->control->t0_ns, t0_ns);
    supervisor_wake(supervisor);
}

/* A worker that failed to write its log stops the run: what is sent now could not be
 * logged. One that was killed loses its own share only. */
static void supervisor_note_end(struct supervisor *supervisor, uint32_t number,
                                int wait_status)
{
    struct worker_process *process = &supervisor->processes[number];
    process->pid = 0;
    supervisor->running--;
    if (WIFSIGNALED(wait_status))
        process->signal = WTERMSIG(wait_status);
    else
        process->exit_code = WEXITSTATUS(wait_status);
    process->failed = process->exit_code != 0;
    if (process->failed && process->signal == 0)
        supervisor_stop(supervisor, RUN_ABORT);
}

static void supervisor_reap(struct supervisor *supervisor)
{
    for (uint32_t number = 0; number < supervisor->workers; number++) {
        pid_t pid = supervisor->processes[number].pid;
        int wait_status;
        if (pid != 0 && waitpid(pid, &wait_status, WNOHANG) == pid)
            supervisor_note_end(supervisor, number, wait_status);
    }
}

/* First Ctrl-C: stop sending. Second, or SIGTERM: end open streams. Third: as if nobody
 * listened. */
static void supervisor_interrupt(struct supervisor *supervisor, int signal_number)
{
    if (supervisor->signal == 0)
        supervisor->signal = signal_number;
    supervisor->interrupts += signal_number == SIGTERM ? 2 : 1;
    supervisor_stop(supervisor,
                    supervisor->interrupts == 1 ? RUN_STOP_SENDING : RUN_ABORT);
    if (supervisor->interrupts >= 3) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        sigset_t signals;
        watched_signals(&signals);
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
    }
}

static void supervisor_read_signals(struct supervisor *supervisor)
{
    struct signalfd_siginfo info;
    while (read(supervisor->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM)
            supervisor_interrupt(supervisor, (int)info.ssi_signo);
}

bool supervisor_watch(struct supervisor *supervisor, int timeout_ms)
{
    struct pollfd signals = { .fd = supervisor->signal_fd, .events = POLLIN };
    poll(&signals, 1, timeout_ms);
    supervisor_read_signals(supervisor);
    supervisor_reap(supervisor);
    return supervisor->running > 0;
}

static bool all_ready(const struct supervisor *supervisor)
{
    for (uint32_t number = 0; number < supervisor->workers; number++)
        if (atomic_load(&supervisor->control->workers[number].ready) == 0)
            return false;
    return true;
}

int supervisor_await_ready(struct supervisor *supervisor, struct fault *fault)
{
    enum { LOOK_EVERY_MS = 5 };
    while (!all_ready(supervisor) && supervisor->running == supervisor->workers &&
           supervisor->interrupts == 0)
        supervisor_watch(supervisor, LOOK_EVERY_MS);
    if (supervisor->interrupts > 0)
        return fault_set(fault, STATUS_IO, "interrupted before the start");
    for (uint32_t number = 0; number < supervisor->workers; number++) {
        const struct worker_process *process = &supervisor->processes[number];
        const struct worker_counters *counters = &supervisor->control->workers[number];
        if (process->signal != 0)
            return fault_set(fault, STATUS_IO,
                             "worker %u was ended by signal %d at its start", number,
                             process->signal);
        if (process->failed)
            return fault_set(fault, counters->status != 0 ? counters->status : STATUS_IO,
                             "%s", counters->fault.text);
    }
    return STATUS_OK;
}
