#include "replay/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum {
    EVENTS_PER_TURN = 256,
    TIMERS_PER_TURN =
        256, /* then the sockets have their turn, however late the tokens are */
    ACCEPTS_PER_TURN = 64,
};

int64_t server_now(struct server *server)
{
    return server->now_ns = clock_monotonic_ns();
}

static int watch(struct server *server, int *fd, uint32_t events, struct fault *fault)
{
    struct epoll_event event = { .events = events, .data.ptr = fd };
    if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, *fd, &event))
        return fault_set_errno(fault, "cannot watch a descriptor");
    return STATUS_OK;
}

void server_resume_accepting(struct server *server)
{
    struct fault ignored = { "" };
    if (!server->accepting)
        server->accepting = watch(server, &server->listen_fd, EPOLLIN, &ignored) ==
                            STATUS_OK;
}

/* Out of descriptors: the backlog waits until a connection closes. */
static void pause_accepting(struct server *server)
{
    server->accepting = epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, server->listen_fd,
                                  NULL) != 0;
}

static uint16_t port_of(const struct sockaddr_storage *address)
{
    /* the port lies at the same place for both families */
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    return ntohs(in->sin_port);
}

static void accept_some(struct server *server)
{
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        struct sockaddr_storage peer = { 0 };
        socklen_t len = sizeof(peer);
        int fd = accept4(server->listen_fd, (struct sockaddr *)&peer, &len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            connection_accept(server, fd, port_of(&peer));
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
                 errno == ENOBUFS)
            pause_accepting(server);
        if (fd < 0 && errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

static void take_signal(struct server *server)
{
    struct signalfd_siginfo info;
    if (read(server->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        server->stop_signal = (int)info.ssi_signo;
}

static void take_event(struct server *server, const struct epoll_event *event)
{
    if (event->data.ptr == &server->listen_fd)
        accept_some(server);
    else if (event->data.ptr == &server->signal_fd)
        take_signal(server);
    else if (event->data.ptr != &server->timer_fd)
        connection_event(server, event->data.ptr, event->events);
}

static struct connection *owner_of(struct timer *timer)
{
    return (struct connection *)((char *)timer - offsetof(struct connection, timer));
}

static void run_timers(struct server *server)
{
    const struct timer_entry *first;
    for (int i = 0; i < TIMERS_PER_TURN; i++) {
        first = timer_heap_first(&server->timers);
        if (!first || first->due_ns > server->now_ns)
            return;
        if (first->timer == &server->engine_timer)
            reply_schedule_engine_step(server);
        else
            connection_resume(server, owner_of(first->timer));
    }
}

/* How long to wait, in ms for epoll_wait: not at all when a timer is due, else until the
 * timer descriptor, armed for the first timer, wakes us. */
static int prepare_wait(struct server *server)
{
    enum { LONGEST_WAIT_MS = 250 }; /* so that the log's blocks get closed */
    const struct timer_entry *first = timer_heap_first(&server->timers);
    if (!first)
        return LONGEST_WAIT_MS;
    if (first->due_ns <= server->now_ns)
        return 0;
    if (first->due_ns != server->armed_ns) {
        struct itimerspec until = { .it_value = { .tv_sec = first->due_ns / NS_PER_S,
                                                  .tv_nsec = first->due_ns % NS_PER_S } };
        timerfd_settime(server->timer_fd, TFD_TIMER_ABSTIME, &until, NULL);
        server->armed_ns = first->due_ns;
    }
    return LONGEST_WAIT_MS;
}

/* Waits for events until the first timer is due; returns the time spent asleep. */
static int64_t turn(struct server *server)
{
    struct epoll_event events[EVENTS_PER_TURN];
    int64_t before_ns = server->now_ns;
    int wait_ms = prepare_wait(server);
    int count = epoll_wait(server->epoll_fd, events, EVENTS_PER_TURN, wait_ms);
    int64_t idle_ns = wait_ms ? server_now(server) - before_ns : 0;
    for (int i = 0; i < count; i++)
        take_event(server, &events[i]);
    run_timers(server);
    return idle_ns;
}

static int open_descriptors(struct server *server, struct fault *fault)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->signal_fd = signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
    server->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (server->epoll_fd < 0 || server->signal_fd < 0 || server->timer_fd < 0)
        return fault_set_errno(fault, "cannot make the server's descriptors");
    int status = watch(server, &server->signal_fd, EPOLLIN, fault);
    if (status ==
        STATUS_OK) /* by edges: arming it again makes it quiet, reading is not needed */
        status = watch(server, &server->timer_fd, EPOLLIN | EPOLLET, fault);
    if (status == STATUS_OK)
        status = watch(server, &server->listen_fd, EPOLLIN, fault);
    server->accepting = status == STATUS_OK;
    return status;
}

static void release(struct server *server)
{
    server->accepting = true; /* closing must not resume anything */
    while (server->connections) {
        reply_cancel(server, server->connections);
        connection_free(server, server->connections);
    }
    timer_heap_release(&server->timers);
    serve_cache_free(server->cache);
    serve_blocks_release(&server->blocks);
    buffer_release(&server->scratch);
    buffer_release(&server->answer);
    free(server->read_buffer);
    free(server->log_events);
    if (server->epoll_fd >= 0)
        close(server->epoll_fd);
    if (server->signal_fd >= 0)
        close(server->signal_fd);
    if (server->timer_fd >= 0)
        close(server->timer_fd);
    close(server->listen_fd);
}

int server_run(const struct server_config *config, int listen_fd, struct serve_log *log,
               struct fault *fault)
{
    struct server server = { .config = *config, .log = log, .listen_fd = listen_fd };
    struct sockaddr_storage address = { 0 };
    socklen_t len = sizeof(address);
    getsockname(listen_fd, (struct sockaddr *)&address, &len);
    server.port = port_of(&address);
    server.started_s = clock_realtime_ns() / NS_PER_S;
    server.read_buffer = memory_new(SERVER_READ_MAX, 1);
    engine_init(&server.engine, &config->engine);
    if (config->cache_blocks)
        server.cache = serve_cache_create(config->cache_blocks);
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    server_now(&server);
    int status = open_descriptors(&server, fault);
    while (status == STATUS_OK && !server.stop_signal) {
        int64_t idle_ns = turn(&server);
        int64_t now_ns = server_now(&server);
        if (log && serve_log_tick(log, now_ns, idle_ns) != STATUS_OK)
            status = fault_set(fault, STATUS_IO, "the log cannot be written any more");
    }
    release(&server);
    return status == STATUS_OK ? server.stop_signal : status;
}
