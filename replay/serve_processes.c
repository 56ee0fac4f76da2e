#include "replay/serve_processes.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int resolve(const char *address, int64_t port, struct addrinfo **found,
                   struct fault *fault)
{
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
    };
    char service[8];
    snprintf(service, sizeof(service), "%u", (unsigned)(uint16_t)port);
    int error = getaddrinfo(address, service, &hints, found);
    if (error)
        return fault_set(fault, STATUS_USAGE,
                         "--listen '%s': expected a numeric address (%s)", address,
                         gai_strerror(error));
    return STATUS_OK;
}

/* A listening socket, or -1 with errno. A port is shared by our own processes only: a
 * second server on it would take half of the first one's connections. */
static int listen_on(const struct sockaddr *address, socklen_t len, bool shared)
{
    int on = 1, share = shared;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    /* accepted sockets inherit TCP_NODELAY */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &share, sizeof(share)) ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
        bind(fd, address, len) || listen(fd, SOMAXCONN)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void close_all(struct serve_sockets *sockets)
{
    for (uint32_t i = 0; i < sockets->count; i++)
        close(sockets->fds[i]);
    sockets->count = 0;
}

/* Notes the port that the first socket was given, so that the others take the same. */
static void take_port(struct serve_sockets *sockets, const char *text,
                      struct sockaddr_storage *to)
{
    socklen_t len = sizeof(*to);
    getsockname(sockets->fds[0], (struct sockaddr *)to, &len);
    /* the port lies at the same place for both families */
    sockets->port = ntohs(((struct sockaddr_in *)to)->sin_port);
    snprintf(sockets->url, sizeof(sockets->url),
             to->ss_family == AF_INET6 ? "http://[%s]:%u" : "http://%s:%u", text,
             (unsigned)sockets->port);
}

int serve_sockets_open(struct serve_sockets *sockets, const char *address, int64_t port,
                       uint32_t count, struct fault *fault)
{
    struct addrinfo *found = NULL;
    struct sockaddr_storage bound = { 0 };
    sockets->count = 0;
    int status = resolve(address, port, &found, fault);
    if (status != STATUS_OK)
        return status;
    memcpy(&bound, found->ai_addr, found->ai_addrlen);
    while (status == STATUS_OK && sockets->count < count) {
        int fd = listen_on((struct sockaddr *)&bound, found->ai_addrlen, count > 1);
        if (fd < 0) {
            status = fault_set_errno(fault, "cannot listen on %s port %lld", address,
                                     (long long)port);
            break;
        }
        sockets->fds[sockets->count++] = fd;
        take_port(sockets, address, &bound);
    }
    freeaddrinfo(found);
    if (status != STATUS_OK)
        close_all(sockets);
    return status;
}

/* One process: its log, its loop. */
static int run_one(const struct server_config *config, int listen_fd,
                   const char *log_path, serve_ready_fn *ready, void *context,
                   struct fault *fault)
{
    struct serve_log *log = NULL;
    char *path = NULL;
    if (log_path && config->processes > 1)
        log_path = path = serve_log_path(log_path, config->process);
    int status = STATUS_OK;
    if (log_path)
        status = serve_log_open(&log, log_path, config->process, config->processes,
                                fault);
    if (status == STATUS_OK)
        status = ready(context, fault);
    if (status == STATUS_OK)
        status = server_run(config, listen_fd, log, fault);
    else
        close(listen_fd);
    if (log) {
        int closed = serve_log_close(log, fault);
        status = status < 0 || closed == STATUS_OK ? status : closed;
    }
    free(path);
    return status;
}

/* In a child: tells the parent, through a pipe. */
static int report_ready(void *context, struct fault *fault)
{
    const int *pipe_fd = context;
    ssize_t written = write(*pipe_fd, "", 1);
    close(*pipe_fd);
    return written == 1 ? STATUS_OK : fault_set_errno(fault, "cannot reach the parent");
}

/* In a child: keeps its own socket only, and dies with the parent. */
static int run_child(struct serve_sockets *sockets, const struct server_config *config,
                     const char *log_path, pid_t parent, int ready_fd,
                     struct fault *fault)
{
    int own = sockets->fds[config->process];
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
    for (uint32_t i = 0; i < sockets->count; i++) {
        if (sockets->fds[i] != own)
            close(sockets->fds[i]);
    }
    return run_one(config, own, log_path, report_ready, &ready_fd, fault);
}

static void signal_all(const pid_t *children, uint32_t count, int signal_number)
{
    for (uint32_t i = 0; i < count; i++) {
        if (children[i] > 0)
            kill(children[i], signal_number);
    }
}

/* Reaps what ended; how many, and whether one of them ended before it was told to. */
static uint32_t reap(pid_t *children, uint32_t count, bool stopping, bool *died)
{
    uint32_t reaped = 0;
    for (uint32_t i = 0; i < count; i++) {
        int how;
        if (children[i] <= 0 || waitpid(children[i], &how, WNOHANG) != children[i])
            continue;
        children[i] = 0;
        reaped++;
        /* the terminal's signal reaches the children too, maybe before us */
        bool stopped = WIFEXITED(how) && WEXITSTATUS(how) > 128;
        *died |= !stopped && (!stopping || !WIFEXITED(how));
    }
    return reaped;
}

/* Waits for a signal to stop, or for a child that dies; then for all children. */
static int supervise(pid_t *children, uint32_t count, struct fault *fault)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        left += children[i] > 0;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    int stop = 0;
    bool died = false;
    for (uint32_t all = left; left > 0;) {
        int got = sigwaitinfo(&signals, NULL);
        if (got == SIGINT || got == SIGTERM)
            stop = got;
        left -= reap(children, count, stop != 0, &died);
        if (stop || died || left < all)
            signal_all(children, count, SIGTERM);
    }
    if (died)
        return fault_set(fault, STATUS_IO, "a server process died");
    return stop ? stop : SIGTERM;
}

/* True when all children are ready; false as soon as one can be no more. */
static bool wait_until_ready(int ready_fd, uint32_t count)
{
    char byte;
    uint32_t ready = 0;
    while (ready < count && read(ready_fd, &byte, 1) == 1)
        ready++;
    return ready == count;
}

/* Forks one process per socket. In a child, returns true with its result. */
static bool fork_children(struct serve_sockets *sockets,
                          const struct server_config *config, const char *log_path,
                          int ready_fd, pid_t *children, int *result, struct fault *fault)
{
    pid_t parent = getpid();
    struct server_config own = *config;
    fflush(stdout);
    *result = STATUS_OK;
    for (uint32_t i = 0; i < sockets->count && *result == STATUS_OK; i++) {
        own.process = i;
        children[i] = fork();
        if (!children[i]) {
            *result = run_child(sockets, &own, log_path, parent, ready_fd, fault);
            return true;
        }
        if (children[i] < 0)
            *result = fault_set_errno(fault, "cannot fork");
    }
    return false;
}

static int run_forked(struct serve_sockets *sockets, const struct server_config *config,
                      const char *log_path, serve_ready_fn *ready, void *context,
                      struct fault *fault)
{
    pid_t children[SERVE_PROCESSES_MAX] = { 0 };
    int ready_fds[2], status;
    uint32_t count = sockets->count;
    if (pipe2(ready_fds, O_CLOEXEC))
        return fault_set_errno(fault, "cannot make a pipe");
    if (fork_children(sockets, config, log_path, ready_fds[1], children, &status, fault))
        return status;
    close(ready_fds[1]);
    close_all(sockets);
    if (status == STATUS_OK && wait_until_ready(ready_fds[0], count))
        status = ready(context, fault);
    else
        signal_all(children, count, SIGTERM);
    close(ready_fds[0]);
    if (status != STATUS_OK)
        signal_all(children, count, SIGTERM);
    int supervised = supervise(children, count, fault);
    return status == STATUS_OK ? supervised : status;
}

int serve_processes_run(struct serve_sockets *sockets, const struct server_config *config,
                        const char *log_path, serve_ready_fn *ready, void *context,
                        struct fault *fault)
{
    struct rlimit descriptors;
    if (!getrlimit(RLIMIT_NOFILE, &descriptors)) {
        descriptors.rlim_cur = descriptors.rlim_max;
        setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    if (sockets->count == 1)
        return run_one(config, sockets->fds[0], log_path, ready, context, fault);
    return run_forked(sockets, config, log_path, ready, context, fault);
}
