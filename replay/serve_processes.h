/* Listening sockets and processes of the simulated server: one socket per process on the
 * same port, so that the kernel spreads the connections. */
#ifndef TOKTRACE_SERVE_PROCESSES_H
#define TOKTRACE_SERVE_PROCESSES_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "replay/server.h"

enum { SERVE_PROCESSES_MAX = 256, SERVE_URL_MAX = 80 };

struct serve_sockets {
    int fds[SERVE_PROCESSES_MAX];
    uint32_t count;
    uint16_t port;
    char url[SERVE_URL_MAX]; /* "http://127.0.0.1:8000" */
};

/* Listens `count` times on a numeric address; port 0 takes a free one. On failure nothing
 * stays open. */
int serve_sockets_open(struct serve_sockets *sockets, const char *address, int64_t port,
                       uint32_t count, struct fault *fault);

/* Called once, when every process has opened its log and is about to serve. */
typedef int serve_ready_fn(void *context, struct fault *fault);

/* Runs one server per socket, in forked processes when there are several, until SIGINT or
 * SIGTERM, which must be blocked. `log_path` may be NULL. Returns the signal's number or
 * a status; in the forked processes, too. Closes the sockets. */
int serve_processes_run(struct serve_sockets *sockets, const struct server_config *config,
                        const char *log_path, serve_ready_fn *ready, void *context,
                        struct fault *fault);

#endif
