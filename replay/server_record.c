/* What the simulated server logs of a reply. */
#include <stdio.h>

#include "formats/base/memory.h"
#include "replay/server.h"

void reply_log_event(struct server *server, struct server_reply *reply, uint8_t kind,
                     uint32_t choice, uint32_t tokens, uint8_t flags)
{
    if (!server->log)
        return;
    reply->log = memory_grow(reply->log, reply->log_count, &reply->log_capacity,
                             sizeof(*reply->log));
    reply->log[reply->log_count++] = (struct server_event){
        .tokens = tokens,
        .choice = (uint16_t)choice,
        .kind = kind,
        .flags = flags,
    };
}

static struct arrival_event *expand_events(struct server *server,
                                           const struct server_reply *reply)
{
    if (reply->log_count > server->log_events_capacity) {
        server->log_events = memory_resize(server->log_events, reply->log_count,
                                           sizeof(*server->log_events));
        server->log_events_capacity = reply->log_count;
    }
    for (size_t i = 0; i < reply->log_count; i++) {
        const struct server_event *event = &reply->log[i];
        server->log_events[i] = (struct arrival_event){
            .arrival_ns = event->at_ns,
            .app_ns = TIME_NONE,
            .tokens = event->tokens,
            .choice = event->choice,
            .kind = event->kind,
            .flags = event->flags,
        };
    }
    return server->log_events;
}

void reply_log_request(struct server *server, struct connection *connection)
{
    const struct server_reply *reply = &connection->reply;
    if (!server->log)
        return;
    struct arrival_request record;
    arrival_request_init(&record);
    record.row = reply->number;
    record.due_ns = record.start_ns = connection->start_ns;
    record.sent_ns = connection->received_ns;
    record.headers_ns = reply->headers_ns;
    record.end_ns = server->now_ns;
    record.usage_prompt_tokens = (uint32_t)reply->usage.prompt_tokens;
    record.usage_completion_tokens = (uint32_t)reply->usage.completion_tokens;
    if (server->cache)
        record.usage_cached_tokens = (uint32_t)reply->usage.cached_tokens;
    record.bytes_sent = connection->request_bytes;
    record.bytes_received = connection->reply_bytes;
    record.connection_request = connection->requests;
    record.local_port = connection->peer_port;
    record.remote_port = server->port;
    record.http_status = reply->http_status;
    record.attempts = 1;
    record.outcome = reply->outcome;
    record.flags = reply->flags |
                   (connection->requests > 1 ? REQUEST_REUSED_CONNECTION : 0);
    if (reply->outcome == OUTCOME_OK)
        snprintf(record.finish_reason, sizeof(record.finish_reason), "%s",
                 reply->identity.finish_reason);
    record.events = expand_events(server, reply);
    record.event_count = reply->log_count;
    serve_log_request(server->log, &record);
}
