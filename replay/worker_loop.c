#include "replay/worker_loop.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "formats/base/clock.h"

enum {
    EVENTS_PER_WAIT = 256,
    OWN_DESCRIPTORS = 3, /* wake, timer and signals */
    BODIES_AHEAD = 1024,
    SPAN_NS = NS_PER_S,             /* of loop and clock records */
    UPLOAD_SLICE_NS = 30 * NS_PER_US, /* for bodies on their way, between two waits */
    BODY_RETRY_NS = 20 * NS_PER_US, /* a body that is due but not built yet */
};

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static int64_t later(int64_t a_ns, int64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

static int64_t worker_now(const struct worker *worker)
{
    return clock_monotonic_ns() - worker->t0_ns;
}

static void count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter,
                          atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

void worker_on_finished(void *context, struct transfer *transfer)
{
    struct worker *worker = context;
    const struct arrival_request *record = &transfer->record;
    arrivals_writer_request(worker->log, record);
    worker->requests_logged++;
    worker->events_logged += record->event_count;
    worker->span.events += record->event_count;
    count(&worker->counters->finished, 1);
    count(&worker->counters->outcomes[record->outcome], 1);
    count(&worker->counters->token_events, transfer->answer.result.token_events);
    body_queue_give_back(worker->bodies, transfer->body);
    schedule_finished(worker->schedule, transfer->index, transfer->released_ns,
                      record->outcome != OUTCOME_OK);
}

void worker_ask_bodies(struct worker *worker)
{
    size_t index;
    while (schedule_next_body(worker->schedule, BODIES_AHEAD, &index))
        body_queue_ask(worker->bodies, index);
}

static void plan_record(const struct worker *worker, size_t index, int64_t due_ns,
                        struct arrival_request *record)
{
    const struct plan *plan = worker->setup->plan;
    const struct plan_request *planned = &plan->requests[index];
    arrival_request_init(record);
    record->row = index;
    record->due_ns = due_ns;
    record->planned_input_tokens = planned->input_tokens;
    record->planned_output_tokens = planned->output_tokens;
    const char *session = plan_session_name(plan, planned->session);
    size_t len = strnlen(session, SESSION_NAME_MAX - 1);
    memcpy(record->session, session, len);
    record->session[len] = '\0';
}

static void worker_send(struct worker *worker, size_t index, int64_t due_ns,
                        int64_t now_ns, struct buffer *body)
{
    struct arrival_request planned;
    plan_record(worker, index, due_ns, &planned);
    struct worker_counters *counters = worker->counters;
    count(&counters->sent, 1);
    if (now_ns - due_ns >
        atomic_load_explicit(&counters->lag_max_ns, memory_order_relaxed))
        atomic_store_explicit(&counters->lag_max_ns, now_ns - due_ns,
                              memory_order_relaxed);
    transfers_start(worker->transfers, &planned, index, body, now_ns);
}

/* When a request is started so that it can be written when it is due: a little earlier,
 * but not where it would then leave after the last moment to send. */
static int64_t worker_start_of(const struct worker *worker, int64_t due_ns)
{
    if (due_ns >= worker->setup->send_until_ns)
        return due_ns;
    return due_ns - transfers_prepare_ns(worker->transfers);
}

/* Starts everything whose time has come, and notes when that of the next will. */
static void worker_send_due(struct worker *worker)
{
    size_t index;
    int64_t due_ns;
    worker->next_due_ns = INT64_MAX;
    while (!worker->stopping && schedule_next(worker->schedule, &index, &due_ns)) {
        int64_t now_ns = worker_now(worker);
        int64_t start_ns = worker_start_of(worker, due_ns);
        struct buffer *body =
            start_ns > now_ns ? NULL : body_queue_take(worker->bodies, index);
        if (body == NULL) {
            worker->next_due_ns = start_ns > now_ns ? start_ns : now_ns + BODY_RETRY_NS;
            return;
        }
        schedule_take(worker->schedule);
        worker_ask_bodies(worker);
        worker_send(worker, index, due_ns, now_ns, body);
    }
}

static void worker_arm(struct worker *worker, int64_t deadline_ns)
{
    if (deadline_ns == worker->armed_ns)
        return;
    struct itimerspec when = { 0 };
    if (deadline_ns != INT64_MAX) {
        int64_t at_ns = worker->t0_ns + deadline_ns;
        when.it_value.tv_sec = at_ns / NS_PER_S;
        when.it_value.tv_nsec = at_ns % NS_PER_S;
    }
    timerfd_settime(worker->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
    worker->armed_ns = deadline_ns;
}

static void drain(int fd)
{
    char bytes[sizeof(struct signalfd_siginfo)];
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
}

/* What the plan of the run, the parent and the log's disk want. */
static void worker_obey(struct worker *worker)
{
    if (worker_now(worker) >= worker->setup->send_until_ns)
        worker->stopping = true;
    int stop = atomic_load_explicit(&worker->setup->control->stop, memory_order_relaxed);
    if (arrivals_writer_status(worker->log) != STATUS_OK)
        stop = RUN_ABORT;
    if (stop == RUN_GO || worker->abort)
        return;
    if (!worker->interrupted)
        worker->stop_at_ns =
            earlier(worker->stop_at_ns, worker_now(worker) + worker->setup->grace_ns);
    worker->stopping = true;
    worker->interrupted = true;
    worker->abort = stop == RUN_ABORT;
}

static void worker_handle(struct worker *worker, const struct epoll_event *event)
{
    switch (event->data.u64) {
    case WAKE_DATA:
        drain(worker->setup->wake_fd);
        break;
    case TIMER_DATA:
        drain(worker->timer_fd);
        worker->armed_ns = INT64_MAX;
        break;
    case SIGNAL_DATA:
        drain(worker->signal_fd);
        atomic_store(&worker->setup->control->stop, RUN_ABORT);
        break;
    default:
        transfers_ready(worker->transfers,
                        (struct ready_socket){ event->data.u64, event->events });
    }
}

/* A slice of the request bodies that are on their way, from another one each time. */
static void worker_upload(struct worker *worker, const struct epoll_event *const *uploads,
                          unsigned count)
{
    int64_t until_ns = count == 0 ? 0 : worker_now(worker) + UPLOAD_SLICE_NS;
    for (unsigned done = 0; done < count && worker_now(worker) < until_ns; done++)
        worker_handle(worker, uploads[worker->next_upload++ % count]);
}

/* What can be read comes first: no token waits for the bodies of other requests. */
static void worker_handle_ready(struct worker *worker, const struct epoll_event *events,
                                int ready)
{
    const struct epoll_event *uploads[EVENTS_PER_WAIT];
    unsigned count = 0;
    for (int at = 0; at < ready; at++) {
        if (events[at].events == EPOLLOUT &&
            transfers_is_upload(worker->transfers, events[at].data.u64)) {
            uploads[count++] = &events[at];
            continue;
        }
        worker_handle(worker, &events[at]);
        if (worker->next_due_ns <= worker_now(worker))
            worker_send_due(worker);
    }
    worker_upload(worker, uploads, count);
}

static void worker_log_clock(struct worker *worker, int64_t step_ns)
{
    struct clock_pair pair = clock_pair_read();
    struct clock_record record = {
        .at_ns = pair.monotonic_ns - worker->t0_ns,
        .realtime_ns = pair.realtime_ns,
        .step_ns = step_ns,
    };
    arrivals_writer_clock(worker->log, &record);
}

static void worker_log_span(struct worker *worker, int64_t now_ns)
{
    struct span *span = &worker->span;
    uint64_t reads = transfers_reads(worker->transfers);
    int64_t held_ns = transfers_held_ns(worker->transfers);
    uint64_t waited_ns = arrivals_writer_waited_ns(worker->log);
    struct loop_record record = {
        .from_ns = span->from_ns,
        .to_ns = now_ns,
        .busy_ns = (uint64_t)(span->busy_ns - (held_ns - span->held_before_ns)),
        .iterations = span->iterations,
        .reads = reads - span->reads_before,
        .events = span->events,
        .stall_ns = (uint64_t)span->longest_ns,
        .log_wait_ns = waited_ns - span->waited_before_ns,
    };
    arrivals_writer_loop(worker->log, &record);
    *span = (struct span){ .from_ns = now_ns,
                           .reads_before = reads,
                           .held_before_ns = held_ns,
                           .waited_before_ns = waited_ns };
}

/* Notes how long this turn worked, and how long it kept what was due waiting: a loop that
 * slept past its deadline was not run by the system, or the process was stopped. */
static void worker_note_turn(struct worker *worker, int64_t deadline_ns,
                             int64_t slept_at_ns, int64_t woke_ns)
{
    struct span *span = &worker->span;
    int64_t done_ns = worker_now(worker);
    int64_t overslept_ns = woke_ns - later(deadline_ns, slept_at_ns);
    span->iterations++;
    span->busy_ns += done_ns - woke_ns;
    span->longest_ns = later(span->longest_ns, later(done_ns - woke_ns, overslept_ns));
    arrivals_writer_tick(worker->log, worker->t0_ns + done_ns);
    atomic_store_explicit(&worker->counters->open, transfers_open(worker->transfers),
                          memory_order_relaxed);
    if (done_ns - span->from_ns >= SPAN_NS) {
        worker_log_span(worker, done_ns);
        worker_log_clock(worker, 0);
    }
}

/* Ends what has been silent for too long, as of a moment for which every socket that was
 * ready then has been looked at: the last wait, when it had room for more; else, as epoll
 * gives ready sockets in turn, the first of as many full waits as all that were open then
 * take. A process that was stopped and goes on finds its wait interrupted: then nothing
 * has been looked at. */
static void worker_expire(struct worker *worker, int ready, size_t open_before,
                          int64_t slept_at_ns)
{
    if (ready < 0)
        return;
    if (worker->unseen == 0) {
        worker->unseen = open_before + OWN_DESCRIPTORS;
        worker->look_from_ns = slept_at_ns;
    }
    if (ready == EVENTS_PER_WAIT && worker->unseen > EVENTS_PER_WAIT) {
        worker->unseen -= EVENTS_PER_WAIT;
        return;
    }
    worker->unseen = 0;
    transfers_expire(worker->transfers, worker->look_from_ns);
}

/* One turn of the loop: sleep until something is due or ready, then do all of it. */
static void worker_turn(struct worker *worker)
{
    int64_t deadline_ns = earlier(earlier(worker->next_due_ns, worker->stop_at_ns),
                                  earlier(transfers_next_deadline(worker->transfers),
                                          worker->span.from_ns + SPAN_NS));
    worker_arm(worker, deadline_ns);
    struct epoll_event events[EVENTS_PER_WAIT];
    int64_t slept_at_ns = worker_now(worker);
    int ready = epoll_wait(worker->epoll_fd, events, EVENTS_PER_WAIT,
                           deadline_ns <= slept_at_ns ? 0 : -1);
    int64_t woke_ns = worker_now(worker);
    int64_t step_ns = transfers_woke(worker->transfers, slept_at_ns, woke_ns);
    if (step_ns != 0)
        worker_log_clock(worker, step_ns);
    size_t open_before = transfers_open(worker->transfers);
    worker_handle_ready(worker, events, ready);
    transfers_run_timers(worker->transfers, worker_now(worker));
    worker_expire(worker, ready, open_before, slept_at_ns);
    worker_obey(worker);
    worker_send_due(worker);
    worker_note_turn(worker, deadline_ns, slept_at_ns, woke_ns);
}

static bool worker_is_finished(const struct worker *worker)
{
    if (worker->abort || worker_now(worker) >= worker->stop_at_ns)
        return true;
    return transfers_open(worker->transfers) == 0 &&
           (worker->stopping || schedule_is_over(worker->schedule));
}

/* Requests that were due and never sent, or that a stop kept from being sent, have
 * records too. */
static void worker_log_unsent(struct worker *worker)
{
    size_t index;
    while (schedule_next_unsent(worker->schedule, &index)) {
        struct arrival_request record;
        plan_record(worker, index, worker->setup->plan->requests[index].due_ns, &record);
        record.outcome = OUTCOME_NOT_SENT;
        arrivals_writer_request(worker->log, &record);
        worker->requests_logged++;
        count(&worker->counters->outcomes[OUTCOME_NOT_SENT], 1);
    }
}

int worker_loop(struct worker *worker, struct fault *fault)
{
    worker->armed_ns = INT64_MAX;
    worker->stop_at_ns = worker->setup->cut_at_ns;
    worker_log_clock(worker, 0);
    worker->span.from_ns = worker_now(worker);
    while (!worker_is_finished(worker))
        worker_turn(worker);
    transfers_cancel(worker->transfers);
    if (worker->interrupted || worker_now(worker) < worker->setup->send_until_ns)
        worker_log_unsent(worker);
    worker_log_span(worker, worker_now(worker));
    worker_log_clock(worker, 0);
    struct end_record end = {
        .at_ns = worker_now(worker),
        .requests = worker->requests_logged,
        .events = worker->events_logged,
        .interrupted = worker->interrupted,
    };
    int status = arrivals_writer_close(worker->log, &end, fault);
    worker->log = NULL;
    return status;
}
