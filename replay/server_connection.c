/* A connection of the simulated server: reading requests, one at a time, and writing
 * without blocking. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/server.h"

/* How long a refused client may go on sending. */
static const int64_t DRAIN_NS = NS_PER_S;

/* Buffers that grew beyond this are given back after the request. */
enum { KEPT_MEMORY_MAX = 64 * 1024 };

void connection_accept(struct server *server, int fd, uint16_t peer_port)
{
    struct connection *connection = memory_new(1, sizeof(*connection));
    uint64_t number = server->connection_count++ * server->config.processes +
                      server->config.process;
    connection->fd = fd;
    connection->peer_port = peer_port;
    connection->ignored =
        serve_faults_of_connection(&server->config.faults, number).kind !=
        SERVE_FAULT_NONE;
    http_parser_start(&connection->parser, HTTP_REQUESTS);
    connection->next = server->connections;
    if (server->connections)
        server->connections->previous = connection;
    server->connections = connection;
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                 .data.ptr = connection };
    if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event))
        connection_free(server, connection);
}

void connection_free(struct server *server, struct connection *connection)
{
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        server->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    timer_heap_remove(&server->timers, &connection->timer);
    close(connection->fd);
    http_parser_release(&connection->parser);
    buffer_release(&connection->body);
    buffer_release(&connection->unread);
    buffer_release(&connection->out);
    reply_release(&connection->reply);
    free(connection);
    server_resume_accepting(server);
}

static bool has_pending(const struct connection *connection)
{
    return connection->out_at < connection->out.len;
}

/* Hands bytes to the kernel; how many it took, 0 also when the peer is gone. */
static size_t try_send(struct connection *connection, const char *bytes, size_t len)
{
    ssize_t sent = send(connection->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
        return (size_t)sent;
    if (errno != EAGAIN && errno != EINTR)
        connection->broken = true;
    return 0;
}

static void stamp_events(struct connection *connection, size_t events, int64_t at_ns)
{
    struct server_reply *reply = &connection->reply;
    for (size_t i = reply->log_count - events; i < reply->log_count; i++)
        reply->log[i].at_ns = at_ns;
}

void connection_send(struct server *server, struct connection *connection,
                     const char *bytes, size_t len, size_t events)
{
    stamp_events(connection, events, server_now(server));
    size_t sent = has_pending(connection) ? 0 : try_send(connection, bytes, len);
    connection->reply_bytes += len;
    if (sent < len && !connection->broken) {
        buffer_append(&connection->out, bytes + sent, len - sent);
        connection->out_events = events;
    }
}

static void flush(struct server *server, struct connection *connection)
{
    while (has_pending(connection) && !connection->broken) {
        int64_t at_ns = server_now(server);
        size_t sent = try_send(connection, connection->out.data + connection->out_at,
                               connection->out.len - connection->out_at);
        connection->out_at += sent;
        if (!sent)
            return;
        if (!has_pending(connection))
            stamp_events(connection, connection->out_events, at_ns);
    }
    connection->out_at = 0;
    connection->out_events = 0;
    if (connection->out.capacity > KEPT_MEMORY_MAX)
        buffer_release(&connection->out);
    buffer_clear(&connection->out);
}

void connection_refuse(struct server *server, struct connection *connection,
                       unsigned status, const char *message)
{
    connection->keep_alive = false;
    connection->draining = true;
    server_answer_error(server, connection, status, message, NULL);
    timer_heap_set(&server->timers, &connection->timer, server->now_ns + DRAIN_NS);
}

static void take_head(struct server *server, struct connection *connection)
{
    const struct http_head *head = &connection->parser.head;
    connection->requests++;
    connection->reply_bytes = 0;
    connection->keep_alive = head->keep_alive;
    connection->head_only = http_text_equals(head->method, "HEAD");
    if (head->framing == HTTP_LENGTH && head->content_length > server->config.body_max)
        connection_refuse(server, connection, 413, "the body is longer than --max-body");
    else if (head->expect_continue && head->framing != HTTP_NO_BODY)
        connection_send(server, connection, "HTTP/1.1 100 Continue\r\n\r\n", 25, 0);
}

static void take_body(struct server *server, struct connection *connection,
                      const struct http_item *item)
{
    if (item->len > server->config.body_max - connection->body.len)
        connection_refuse(server, connection, 413, "the body is longer than --max-body");
    else
        buffer_append(&connection->body, item->bytes, item->len);
}

static void take_end(struct server *server, struct connection *connection,
                     const struct http_item *item)
{
    connection->in_request = false;
    connection->received_ns = server->now_ns;
    connection->request_bytes = item->offset - connection->parser.head.start_offset;
    server_route(server, connection);
    if (connection->body.capacity > KEPT_MEMORY_MAX)
        buffer_release(&connection->body);
    buffer_clear(&connection->body);
}

static bool takes_requests(const struct connection *connection)
{
    return connection->reply.phase == REPLY_NONE && !connection->closing &&
           !connection->draining && !connection->broken && !has_pending(connection);
}

/* Parses up to the end of a request that takes time; what is behind it is kept for later.
 */
static void parse(struct server *server, struct connection *connection, const char *bytes,
                  size_t len)
{
    struct http_item item;
    struct fault fault;
    while (takes_requests(connection)) {
        if (!connection->in_request && len) {
            connection->in_request = true;
            connection->start_ns = server->now_ns;
        }
        int got = http_parser_next(&connection->parser, &bytes, &len, &item, &fault);
        if (got < 0)
            connection_refuse(server, connection, connection->parser.problem_status,
                              connection->parser.problem);
        if (got <= 0)
            return;
        if (item.type == HTTP_HEAD)
            take_head(server, connection);
        else if (item.type == HTTP_BODY)
            take_body(server, connection, &item);
        else if (item.type == HTTP_END)
            take_end(server, connection, &item);
    }
    if (!connection->draining)
        buffer_append(&connection->unread, bytes, len);
}

static void parse_unread(struct server *server, struct connection *connection)
{
    struct buffer unread = connection->unread;
    connection->unread = (struct buffer)BUFFER_INIT;
    parse(server, connection, unread.data, unread.len);
    buffer_release(&unread);
}

/* Reads once; false when nothing more is to be had now. */
static bool read_once(struct server *server, struct connection *connection)
{
    ssize_t got = recv(connection->fd, server->read_buffer, SERVER_READ_MAX, 0);
    if (got < 0 && errno == EINTR)
        return true;
    if (got < 0 && errno == EAGAIN) {
        connection->readable = false;
        return false;
    }
    if (got <= 0) {
        connection->broken = true;
        return false;
    }
    server_now(server);
    if (!connection->draining)
        parse(server, connection, server->read_buffer, (size_t)got);
    return true;
}

/* Reads and serves until there is nothing to read, or an answer takes time. */
static void read_requests(struct server *server, struct connection *connection)
{
    if (connection->unread.len && takes_requests(connection))
        parse_unread(server, connection);
    while (connection->readable && (takes_requests(connection) || connection->draining)) {
        if (!read_once(server, connection))
            return;
    }
}

/* Ends the connection when its time has come; nothing may touch it afterwards. */
static void settle(struct server *server, struct connection *connection)
{
    if (!connection->broken && !connection->ignored)
        read_requests(server, connection);
    if (connection->draining && !has_pending(connection))
        shutdown(connection->fd, SHUT_WR);
    if (connection->broken || (connection->closing && !has_pending(connection))) {
        reply_cancel(server, connection);
        connection_free(server, connection);
    }
}

void connection_event(struct server *server, struct connection *connection,
                      uint32_t events)
{
    if (events & EPOLLIN)
        connection->readable = true;
    if (events & (EPOLLERR | EPOLLHUP))
        connection->broken = true;
    if (events & EPOLLOUT && has_pending(connection)) {
        flush(server, connection);
        reply_run(server, connection);
    }
    /* A client that shuts down its side while it waits for an answer has given up, as
     * servers take it. */
    if (events & EPOLLRDHUP && (connection->ignored || !takes_requests(connection)) &&
        !connection->draining)
        connection->broken = true;
    settle(server, connection);
}

void connection_resume(struct server *server, struct connection *connection)
{
    timer_heap_remove(&server->timers, &connection->timer);
    if (connection->draining)
        connection->broken = true;
    else
        reply_run(server, connection);
    settle(server, connection);
}
