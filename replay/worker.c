#include "replay/worker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/version.h"
#include "replay/short_slice.h"
#include "replay/worker_loop.h"

/* Room for events is reserved for the whole share, but not beyond this at once. */
enum { RESERVED_EVENTS_MAX = 16 * 1000 * 1000 };

/* Request bodies built ahead of their due times; how many, the loop bounds. */
enum { BODIES_AHEAD_BYTES = 64 << 20 };

static int watch(int epoll_fd, int fd, uint64_t data)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = data };
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* SIGINT reaches the whole foreground group: it is the parent's to act on. SIGTERM, also
 * sent when the parent dies, ends the worker with its log written. */
static int worker_open_descriptors(struct worker *worker, struct fault *fault)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    worker->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    worker->signal_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
    if (worker->epoll_fd < 0 || worker->timer_fd < 0 || worker->signal_fd < 0 ||
        watch(worker->epoll_fd, worker->setup->wake_fd, WAKE_DATA) != 0 ||
        watch(worker->epoll_fd, worker->timer_fd, TIMER_DATA) != 0 ||
        watch(worker->epoll_fd, worker->signal_fd, SIGNAL_DATA) != 0)
        return fault_set_errno(fault, "worker %u cannot watch its descriptors",
                               worker->setup->number);
    return STATUS_OK;
}

static void worker_set_process(const struct worker_setup *setup)
{
    prctl(PR_SET_TIMERSLACK, 1UL);
    process_ask_short_slices();
    if (setup->cpu < 0)
        return;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)setup->cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static uint64_t planned_events(const struct worker_setup *setup)
{
    /* An answer has a few events beside its tokens: role, finish, usage, [DONE]. */
    enum { OTHER_EVENTS = 8 };
    const struct plan *plan = setup->plan;
    uint64_t events = 0;
    for (size_t index = 0; index < plan->count && events < RESERVED_EVENTS_MAX; index++)
        if (plan_worker_of(plan, index, setup->workers) == setup->number)
            events += plan->requests[index].output_tokens + OTHER_EVENTS;
    return events < RESERVED_EVENTS_MAX ? events : RESERVED_EVENTS_MAX;
}

static int worker_prepare(struct worker *worker, struct fault *fault)
{
    const struct worker_setup *setup = worker->setup;
    struct schedule_options schedule = {
        .worker = setup->number,
        .workers = setup->workers,
        .slots = setup->slots,
        .failed_turn = setup->failed_turn,
    };
    worker->schedule = schedule_create(setup->plan, &schedule);
    int status = body_queue_create(&worker->bodies, setup->plan, setup->body,
                                   schedule_count(worker->schedule), BODIES_AHEAD_BYTES,
                                   fault);
    if (status != STATUS_OK)
        return status;
    worker_ask_bodies(worker);
    struct rlimit descriptors;
    getrlimit(RLIMIT_NOFILE, &descriptors);
    struct transfers_options transfers = {
        .target = setup->target,
        .epoll_fd = worker->epoll_fd,
        .lanes = setup->lanes,
        .descriptors = descriptors.rlim_cur,
        .planned_events = planned_events(setup),
        .cost = setup->cost,
        .timeout_ns = setup->timeout_ns,
        .idle_timeout_ns = setup->idle_timeout_ns,
        .retries = setup->retries,
        .on_finished = worker_on_finished,
        .context = worker,
    };
    return transfers_create(&worker->transfers, &transfers, fault);
}

/* Waits until the parent set the start, or called it off. False: called off. */
static bool worker_await_start(struct worker *worker)
{
    const struct run_control *control = worker->setup->control;
    struct pollfd signals[2] = {
        { .fd = worker->setup->wake_fd, .events = POLLIN },
        { .fd = worker->signal_fd, .events = POLLIN },
    };
    atomic_store(&worker->counters->ready, 1);
    while (atomic_load(&control->t0_ns) == 0) {
        poll(signals, 2, -1);
        if (signals[1].revents != 0 || atomic_load(&control->stop) != RUN_GO)
            return false;
        uint64_t wakes;
        if (read(worker->setup->wake_fd, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
            return false;
    }
    worker->t0_ns = atomic_load(&control->t0_ns);
    transfers_set_t0(worker->transfers, worker->t0_ns);
    return true;
}

static int worker_open_log(struct worker *worker, struct fault *fault)
{
    const struct worker_setup *setup = worker->setup;
    struct clock_pair now = clock_pair_read();
    struct arrivals_header header = {
        .source = LOG_CLIENT,
        .worker = setup->number,
        .workers = setup->workers,
        .planned_requests = schedule_count(worker->schedule),
        .t0_monotonic_ns = worker->t0_ns,
        .t0_realtime_ns = now.realtime_ns + (worker->t0_ns - now.monotonic_ns),
    };
    snprintf(header.run_id, sizeof header.run_id, "%s", setup->run_id);
    snprintf(header.boot_id, sizeof header.boot_id, "%s", setup->boot_id);
    snprintf(header.producer, sizeof header.producer, "tokreplay %s", TOKTRACE_VERSION);
    return arrivals_writer_open(&worker->log, setup->log_path, &header, fault);
}

static int worker_work(struct worker *worker, struct fault *fault)
{
    int status = worker_open_descriptors(worker, fault);
    if (status == STATUS_OK)
        status = worker_prepare(worker, fault);
    if (status != STATUS_OK || !worker_await_start(worker))
        return status;
    status = worker_open_log(worker, fault);
    return status == STATUS_OK ? worker_loop(worker, fault) : status;
}

int worker_run(const struct worker_setup *setup)
{
    worker_set_process(setup);
    struct worker_counters *counters = &setup->control->workers[setup->number];
    struct worker worker = {
        .setup = setup,
        .counters = counters,
        .epoll_fd = -1,
        .timer_fd = -1,
        .signal_fd = -1,
    };
    int status = worker_work(&worker, &counters->fault);
    counters->status = status;
    atomic_store(&counters->done, 1);
    transfers_free(worker.transfers);
    body_queue_free(worker.bodies);
    schedule_free(worker.schedule);
    return status;
}
