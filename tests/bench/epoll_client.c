/* The least that a client can do: one epoll loop, recvmsg with the kernel's receive
 * stamp, and counting token events by "data: " without looking at the JSON. The limit
 * against which clients are measured. Usage: epoll_client PORT RATE SECONDS TOKENS
 * [PROMPT_TOKENS] Sends RATE requests/s, open loop, for SECONDS, TOKENS each; prints one
 * line of JSON. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/fault.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"

#define EVENT_MARK "data: "
#define END_MARK "\r\n0\r\n\r\n"

enum {
    READ_MAX = 64 * 1024,
    TAIL = sizeof(END_MARK) - 2, /* bytes of the read before that a mark may begin in */
    EVENTS_PER_TURN = 256,
};

struct stream {
    struct stream *next; /* among the idle */
    int fd;
    uint32_t events; /* of the answer so far, [DONE] and usage included */
    char tail[TAIL];
};

struct client {
    struct sockaddr_in server;
    struct buffer request;
    int epoll_fd;
    struct stream *idle;
    int64_t planned;
    int64_t sent;
    int64_t completed;
    int64_t failed;
    int64_t open;
    int64_t open_max;
    int64_t tokens;
    double interval_ns;
    int64_t start_ns;
    int64_t *lags_ns; /* from the kernel's stamp to the read, one per read */
    size_t lag_count;
    size_t lag_capacity;
    int64_t send_lag_max_ns;
    char bytes[TAIL + READ_MAX];
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t number(const char *text)
{
    struct fault fault;
    int64_t value;
    if (units_parse_int(text, &value, &fault) != STATUS_OK || value < 1) {
        fprintf(stderr, "epoll_client: '%s' is no positive number\n", text);
        exit(2);
    }
    return value;
}

static void build_request(struct client *client, int64_t tokens, int64_t prompt_tokens)
{
    struct buffer body = BUFFER_INIT;
    buffer_printf(&body,
                  "{\"model\":\"m\",\"max_tokens\":%lld,\"stream\":true,\"ignore_eos\":"
                  "true,\"prompt\":[",
                  (long long)tokens);
    for (int64_t i = 0; i < prompt_tokens; i++)
        buffer_printf(&body, "%s%lld", i ? "," : "", (long long)(1000 + i % 1000));
    buffer_append_text(&body, "]}");
    buffer_printf(&client->request,
                  "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                  "application/json\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  body.len);
    buffer_append(&client->request, body.data, body.len);
    buffer_release(&body);
}

static struct stream *connect_stream(struct client *client)
{
    struct stream *stream = memory_new(1, sizeof(*stream));
    int on = 1;
    stream->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (stream->fd < 0 ||
        connect(stream->fd, (struct sockaddr *)&client->server, sizeof(client->server)))
        die("connect");
    setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(stream->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = stream };
    if (epoll_ctl(client->epoll_fd, EPOLL_CTL_ADD, stream->fd, &event))
        die("epoll_ctl");
    return stream;
}

static void send_request(struct client *client)
{
    struct stream *stream = client->idle;
    if (stream)
        client->idle = stream->next;
    else
        stream = connect_stream(client);
    stream->events = 0;
    memset(stream->tail, 0, sizeof(stream->tail));
    ssize_t sent = send(stream->fd, client->request.data, client->request.len,
                        MSG_NOSIGNAL);
    if (sent != (ssize_t)client->request.len)
        die("send");
    client->sent++;
    if (++client->open > client->open_max)
        client->open_max = client->open;
}

static int64_t due_ns(const struct client *client)
{
    return client->start_ns + llround((double)client->sent * client->interval_ns);
}

static void send_due(struct client *client)
{
    int64_t now_ns = clock_monotonic_ns();
    while (client->sent < client->planned && due_ns(client) <= now_ns) {
        if (now_ns - due_ns(client) > client->send_lag_max_ns)
            client->send_lag_max_ns = now_ns - due_ns(client);
        send_request(client);
    }
}

static void note_lag(struct client *client, struct msghdr *message)
{
    int64_t now_ns = clock_realtime_ns();
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(header), sizeof(stamp));
        client->lags_ns = memory_grow(client->lags_ns, client->lag_count,
                                      &client->lag_capacity, sizeof(*client->lags_ns));
        client->lags_ns[client->lag_count++] = now_ns - (int64_t)stamp.tv_sec * NS_PER_S -
                                               stamp.tv_nsec;
    }
}

static uint32_t count_marks(const char *bytes, size_t len, const char *mark,
                            size_t mark_len)
{
    uint32_t count = 0;
    const char *end = bytes + len;
    for (const char *at = bytes;
         (at = memmem(at, (size_t)(end - at), mark, mark_len)) != NULL; at += mark_len)
        count++;
    return count;
}

static void end_stream(struct client *client, struct stream *stream, bool failed)
{
    client->open--;
    if (failed) {
        client->failed++;
        close(stream->fd);
        free(stream);
        return;
    }
    client->completed++;
    client->tokens += stream->events - 1; /* [DONE] is none */
    stream->next = client->idle;
    client->idle = stream;
}

static void read_stream(struct client *client, struct stream *stream)
{
    char control[64];
    struct iovec span = { client->bytes + TAIL, READ_MAX };
    struct msghdr message = { .msg_iov = &span,
                              .msg_iovlen = 1,
                              .msg_control = control,
                              .msg_controllen = sizeof(control) };
    ssize_t got = recvmsg(stream->fd, &message, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        end_stream(client, stream, true);
        return;
    }
    note_lag(client, &message);
    memcpy(client->bytes, stream->tail, TAIL);
    size_t len = TAIL + (size_t)got;
    /* a mark that lies whole in the tail was counted with the read before */
    size_t skipped = TAIL - (sizeof(EVENT_MARK) - 2);
    stream->events += count_marks(client->bytes + skipped, len - skipped, EVENT_MARK,
                                  sizeof(EVENT_MARK) - 1);
    memcpy(stream->tail, client->bytes + len - TAIL, TAIL);
    if (len >= sizeof(END_MARK) - 1 &&
        !memcmp(client->bytes + len - (sizeof(END_MARK) - 1), END_MARK,
                sizeof(END_MARK) - 1))
        end_stream(client, stream, false);
}

static void turn(struct client *client)
{
    struct epoll_event events[EVENTS_PER_TURN];
    struct timespec timeout = { .tv_sec = 1 };
    if (client->sent < client->planned) {
        int64_t wait_ns = due_ns(client) - clock_monotonic_ns();
        wait_ns = wait_ns < 0 ? 0 : wait_ns;
        timeout = (struct timespec){ .tv_sec = wait_ns / NS_PER_S,
                                     .tv_nsec = wait_ns % NS_PER_S };
    }
    int count = epoll_pwait2(client->epoll_fd, events, EVENTS_PER_TURN, &timeout, NULL);
    for (int i = 0; i < count; i++)
        read_stream(client, events[i].data.ptr);
    send_due(client);
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double lag_us(const struct client *client, double fraction)
{
    if (!client->lag_count)
        return 0;
    size_t index = (size_t)(fraction * (double)(client->lag_count - 1));
    return (double)client->lags_ns[index] / NS_PER_US;
}

static void report(struct client *client, int64_t cpu_ns)
{
    double elapsed_s = (double)(clock_monotonic_ns() - client->start_ns) / NS_PER_S;
    qsort(client->lags_ns, client->lag_count, sizeof(*client->lags_ns), compare);
    printf("{\"client\":\"epoll\",\"planned\":%lld,\"sent\":%lld,\"completed\":%lld,"
           "\"failed\":%lld,"
           "\"tokens\":%lld,\"tokens_per_s\":%.0f,\"open_max\":%lld,\"cpu_us_per_token\":"
           "%.3f,"
           "\"receive_lag_us\":{\"p50\":%.1f,\"p99\":%.1f},\"send_lag_max_ms\":%.3f}\n",
           (long long)client->planned, (long long)client->sent,
           (long long)client->completed, (long long)client->failed,
           (long long)client->tokens, (double)client->tokens / elapsed_s,
           (long long)client->open_max,
           (double)cpu_ns / NS_PER_US / (double)(client->tokens ? client->tokens : 1),
           lag_us(client, 0.5), lag_us(client, 0.99),
           (double)client->send_lag_max_ns / NS_PER_MS);
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6) {
        fprintf(stderr, "usage: epoll_client PORT RATE SECONDS TOKENS [PROMPT_TOKENS]\n");
        return 2;
    }
    struct client *client = memory_new(1, sizeof(*client));
    int64_t rate = number(argv[2]), seconds = number(argv[3]);
    client->server = (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)number(argv[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    client->planned = rate * seconds;
    client->interval_ns = (double)NS_PER_S / (double)rate;
    build_request(client, number(argv[4]), argc > 5 ? number(argv[5]) : 8);
    raise_descriptor_limit();
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    client->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    client->start_ns = clock_monotonic_ns();
    int64_t cpu_ns = clock_process_cpu_ns();
    int64_t give_up_ns = client->start_ns + (seconds + 60) * NS_PER_S;
    while ((client->sent < client->planned || client->open > 0) &&
           clock_monotonic_ns() < give_up_ns)
        turn(client);
    report(client, clock_process_cpu_ns() - cpu_ns);
    return client->completed == client->planned ? 0 : 1;
}
