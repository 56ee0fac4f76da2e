/* Faults that strike a reply of the simulated server. */
#include <sys/socket.h>

#include "replay/server.h"

bool reply_fault_is_due(const struct server_reply *reply)
{
    uint64_t tokens = reply->usage.completion_tokens;
    switch (reply->fault.kind) {
    case SERVE_FAULT_SHORT_LENGTH:
        return reply->stream && tokens >= (uint64_t)reply->fault.argument;
    case SERVE_FAULT_ERROR_EVENT:
    case SERVE_FAULT_GARBAGE:
    case SERVE_FAULT_FIN:
    case SERVE_FAULT_RST:
    case SERVE_FAULT_SILENCE:
        return !reply->stream || tokens >= (uint64_t)reply->fault.argument;
    case SERVE_FAULT_STALL:
        return !reply->stream || tokens > 0;
    default:
        return false;
    }
}

static void send_error_event(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    struct buffer *payload = &server->answer;
    reply->outcome = OUTCOME_STREAM_ERROR;
    if (!reply->stream) {
        reply->http_status = 500;
        reply->outcome = OUTCOME_HTTP_STATUS;
        server_answer_error(server, connection, 500, "injected fault", NULL);
        reply->headers_ns = server->now_ns;
        reply->phase = REPLY_OVER;
        return;
    }
    buffer_clear(payload);
    serve_error_append(payload, 500, "injected fault", NULL);
    reply_log_event(server, reply, EVENT_ERROR, 0, 0, 0);
    reply_send_event(
        server, connection,
        serve_event_text(&reply->events, &server->scratch, buffer_text(payload)));
    reply->phase = REPLY_DONE;
}

static void send_garbage(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    reply->fault.kind = SERVE_FAULT_NONE; /* once */
    if (!reply->stream)
        return;
    reply_log_event(server, reply, EVENT_OTHER, 0, 0, 0);
    reply_send_event(server, connection,
                     serve_event_text(&reply->events, &server->scratch,
                                      "{\"choices\":[{\"index\":0,"));
}

/* Cuts the connection: an orderly close, or a reset. */
static void cut(struct connection *connection, bool reset)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };
    if (reset)
        setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    connection->reply.outcome = OUTCOME_TRUNCATED;
    connection->reply.phase = REPLY_OVER;
    connection->keep_alive = false;
}

void reply_strike(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    switch (reply->fault.kind) {
    case SERVE_FAULT_ERROR_EVENT:
        send_error_event(server, connection);
        break;
    case SERVE_FAULT_GARBAGE:
        send_garbage(server, connection);
        break;
    case SERVE_FAULT_SILENCE:
        reply->outcome = OUTCOME_TRUNCATED;
        reply->phase = REPLY_SILENT;
        break;
    case SERVE_FAULT_STALL:
        reply->paused_until_ns = server->now_ns + reply->fault.argument;
        reply->fault.kind = SERVE_FAULT_NONE; /* once */
        break;
    default:
        cut(connection, reply->fault.kind == SERVE_FAULT_RST);
        break;
    }
}

void reply_answer_by_fault(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    switch (reply->fault.kind) {
    case SERVE_FAULT_STATUS:
        reply->http_status = (uint16_t)reply->fault.argument;
        server_answer_error(server, connection, reply->http_status, "injected fault",
                            NULL);
        break;
    case SERVE_FAULT_HTML:
        buffer_clear(&server->answer);
        buffer_append_text(&server->answer, "<!DOCTYPE html><title>Gateway</title>"
                                            "<p>The service is being updated.</p>\n");
        server_answer(server, connection, 200, "text/html", "", &server->answer);
        break;
    case SERVE_FAULT_NO_ANSWER:
        reply->http_status = 0;
        reply->outcome = OUTCOME_TRUNCATED;
        reply->phase = REPLY_SILENT;
        return;
    default:
        return;
    }
    reply->headers_ns = server->now_ns;
    reply->outcome = OUTCOME_HTTP_STATUS;
    reply->phase = REPLY_OVER;
}
