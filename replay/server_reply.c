/* Answers of the simulated server that take time: their tokens by the law, their faults,
 * their records. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "formats/base/clock.h"
#include "formats/base/draw.h"
#include "formats/base/memory.h"
#include "replay/server.h"

void reply_release(struct server_reply *reply)
{
    free(reply->choices);
    free(reply->log);
    buffer_release(&reply->model);
    serve_stream_release(&reply->events);
}

static uint64_t next_number(struct server *server)
{
    return server->request_count++ * server->config.processes + server->config.process;
}

/* The model's name is kept: it stands in a body that is read over soon. */
static void set_identity(struct server *server, struct server_reply *reply,
                         const struct serve_request *request)
{
    buffer_clear(&reply->model);
    if (request->model.len)
        buffer_append(&reply->model, request->model.bytes, request->model.len);
    else
        buffer_append_text(&reply->model, server->config.model);
    struct draw id = draw_at(server->config.law.seed, reply->number, UINT64_MAX / 2);
    reply->identity = (struct serve_identity){
        .id = { id.words[0], id.words[1] },
        .created_s = clock_realtime_ns() / NS_PER_S,
        .model = { .bytes = reply->model.data, .len = reply->model.len },
        .finish_reason = reply->stopped ? "stop" : "length",
    };
}

/* Forgets the request before, but keeps its memory. */
static void reset(struct server *server, struct server_reply *reply)
{
    *reply = (struct server_reply){
        .choices = reply->choices,
        .choice_capacity = reply->choice_capacity,
        .events = reply->events,
        .model = reply->model,
        .log = reply->log,
        .log_capacity = reply->log_capacity,
        .number = next_number(server),
        .http_status = 200,
        .headers_ns = TIME_NONE,
    };
}

static void end_reply(struct server *server, struct connection *connection)
{
    reply_log_request(server, connection);
    reply_schedule_end(server, &connection->reply);
    connection->reply.phase = REPLY_NONE;
    timer_heap_remove(&server->timers, &connection->timer);
    connection->closing |= !connection->keep_alive;
    server->running--;
}

void reply_cancel(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    if (reply->phase == REPLY_NONE)
        return;
    if (reply->outcome == OUTCOME_OK)
        reply->outcome = OUTCOME_CANCELLED;
    end_reply(server, connection);
}

void reply_send_event(struct server *server, struct connection *connection,
                      struct serve_event event)
{
    connection_send(server, connection, event.bytes, event.len, server->log ? 1 : 0);
}

/* Usage so far on an event, counted for its choice alone, as vLLM does; NULL when not
 * asked for. */
static const struct serve_usage *continuous(struct server_reply *reply, uint32_t index)
{
    reply->choice_usage = reply->usage;
    reply->choice_usage.prompt_tokens = reply->choices[index].prompt_tokens;
    reply->choice_usage.completion_tokens = reply->choices[index].sent;
    return reply->continuous_usage ? &reply->choice_usage : NULL;
}

static void send_head(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    struct buffer *head = &server->answer;
    buffer_clear(head);
    server_head_append(server, head, connection, 200, "text/event-stream; charset=utf-8");
    if (reply->events.framed)
        buffer_append_text(head, "Transfer-Encoding: chunked\r\n");
    else if (reply->fault.kind == SERVE_FAULT_SHORT_LENGTH)
        buffer_printf(head, "Content-Length: %llu\r\n",
                      1000ULL * (1ULL + reply->max_tokens));
    buffer_append_text(head, "\r\n");
    connection_send(server, connection, head->data, head->len, 0);
    reply->headers_ns = server->now_ns;
    reply->flags |= REQUEST_STREAMED;
    reply->phase = REPLY_TOKENS;
}

static void send_role(struct server *server, struct connection *connection,
                      uint32_t index)
{
    struct server_reply *reply = &connection->reply;
    reply->choices[index].role_sent = true;
    reply_log_event(server, reply, EVENT_ROLE, index, 0, 0);
    reply_send_event(server, connection,
                     serve_event_role(&reply->events, &server->scratch, index,
                                      continuous(reply, index)));
}

static void close_choice(struct server_reply *reply, struct server_choice *choice)
{
    choice->due_ns = SERVER_NEVER_NS;
    reply->choices_open--;
}

static void send_finish(struct server *server, struct connection *connection,
                        uint32_t index)
{
    struct server_reply *reply = &connection->reply;
    close_choice(reply, &reply->choices[index]);
    reply_log_event(server, reply, EVENT_FINISH, index, 0, EVENT_FLAG_FINISH);
    reply_send_event(server, connection,
                     serve_event_tokens(&reply->events, &server->scratch, index, 0, true,
                                        continuous(reply, index)));
}

static void send_tokens(struct server *server, struct connection *connection,
                        uint32_t index)
{
    struct server_reply *reply = &connection->reply;
    struct server_choice *choice = &reply->choices[index];
    uint32_t tokens = choice->ready;
    choice->sent += tokens;
    reply->usage.completion_tokens += tokens;
    server->generation_tokens += tokens;
    bool complete = choice->sent == reply->max_tokens;
    bool last = complete && !server->config.own_finish;
    uint8_t flags = (uint8_t)((last ? EVENT_FLAG_FINISH : 0) |
                              (reply->continuous_usage ? EVENT_FLAG_USAGE : 0));
    reply_log_event(server, reply, EVENT_CONTENT, index, tokens, flags);
    reply_send_event(server, connection,
                     serve_event_tokens(&reply->events, &server->scratch, index, tokens,
                                        last, continuous(reply, index)));
    if (last)
        close_choice(reply, choice);
    else if (!complete)
        reply_schedule_next(server, connection, index);
}

static void send_usage(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    reply->phase = REPLY_DONE;
    if (!reply->include_usage)
        return;
    reply_log_event(server, reply, EVENT_USAGE, 0, 0, EVENT_FLAG_USAGE);
    reply_send_event(server, connection,
                     serve_event_usage(&reply->events, &server->scratch, &reply->usage));
}

static void send_done(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    bool framed = reply->events.framed;
    reply->phase = REPLY_OVER;
    if (reply->fault.kind == SERVE_FAULT_NO_DONE) {
        if (framed)
            connection_send(server, connection, SERVE_LAST_CHUNK,
                            strlen(SERVE_LAST_CHUNK), 0);
        return;
    }
    bool cut = reply->fault.kind == SERVE_FAULT_NO_LAST_CHUNK;
    connection->keep_alive &= !cut;
    reply->flags |= REQUEST_DONE_SEEN;
    reply_log_event(server, reply, EVENT_DONE, 0, 0, 0);
    reply_send_event(server, connection,
                     serve_event_done(&reply->events, &server->scratch, !cut));
}

/* The whole answer at once, when its last token is ready. */
static void send_whole(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    struct buffer *body = &server->answer;
    struct buffer *out = &server->scratch;
    reply->usage.completion_tokens = (uint64_t)reply->max_tokens * reply->choice_count;
    server->generation_tokens += reply->usage.completion_tokens;
    buffer_clear(body);
    serve_answer_append(body, reply->chat, &reply->identity, reply->choice_count,
                        reply->max_tokens, &reply->usage);
    buffer_clear(out);
    server_head_append(server, out, connection, 200, "application/json");
    buffer_printf(out, "Content-Length: %zu\r\n\r\n", body->len);
    bool cut = reply->fault.kind == SERVE_FAULT_SHORT_LENGTH;
    buffer_append(out, body->data, cut ? body->len / 2 : body->len);
    for (uint32_t i = 0; i < reply->choice_count; i++)
        reply_log_event(server, reply, EVENT_CONTENT, i, reply->max_tokens,
                        EVENT_FLAG_FINISH | EVENT_FLAG_USAGE);
    connection_send(server, connection, out->data, out->len, reply->log_count);
    reply->headers_ns = server->now_ns;
    reply->phase = REPLY_OVER;
    if (cut) {
        reply->outcome = OUTCOME_TRUNCATED;
        connection->keep_alive = false;
    }
}

/* The choice whose next event is due first. */
static uint32_t first_due(const struct server_reply *reply)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < reply->choice_count; i++) {
        if (reply->choices[i].due_ns < reply->choices[best].due_ns)
            best = i;
    }
    return best;
}

/* When the reply can go on: for a whole answer, with its last choice. */
static int64_t next_due(const struct server_reply *reply)
{
    int64_t due_ns = reply->choices[first_due(reply)].due_ns;
    for (uint32_t i = 0; i < reply->choice_count && !reply->stream; i++) {
        if (reply->choices[i].due_ns > due_ns)
            due_ns = reply->choices[i].due_ns;
    }
    return due_ns > reply->paused_until_ns ? due_ns : reply->paused_until_ns;
}

/* The next event of a stream; false when it is not due. */
static bool step_tokens(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    uint32_t index = first_due(reply);
    struct server_choice *choice = &reply->choices[index];
    if (reply_fault_is_due(reply))
        reply_strike(server, connection);
    else if (!reply->choices_open)
        reply->phase = REPLY_USAGE;
    else if (next_due(reply) > server->now_ns)
        return false;
    else if (reply->chat && !choice->role_sent)
        send_role(server, connection, index);
    else if (choice->sent == reply->max_tokens)
        send_finish(server, connection, index);
    else
        send_tokens(server, connection, index);
    return true;
}

/* A whole answer, or the head of a stream. */
static bool step_head(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    bool waits = !reply->stream || server->config.hold_head;
    if (waits && next_due(reply) > server->now_ns)
        return false;
    if (reply->stream)
        send_head(server, connection);
    else if (reply_fault_is_due(reply))
        reply_strike(server, connection);
    else
        send_whole(server, connection);
    return true;
}

static bool step(struct server *server, struct connection *connection)
{
    switch (connection->reply.phase) {
    case REPLY_HEAD:
        return step_head(server, connection);
    case REPLY_TOKENS:
        return step_tokens(server, connection);
    case REPLY_USAGE:
        send_usage(server, connection);
        return true;
    case REPLY_DONE:
        send_done(server, connection);
        return true;
    case REPLY_OVER:
        end_reply(server, connection);
        return false;
    case REPLY_SILENT:
    case REPLY_NONE:
        break;
    }
    return false;
}

/* Only while a token is to come: its time, or never when the engine will say so. */
static int64_t wake_time(const struct server_reply *reply)
{
    bool waits = reply->phase == REPLY_HEAD || reply->phase == REPLY_TOKENS;
    return waits ? next_due(reply) : SERVER_NEVER_NS;
}

void reply_run(struct server *server, struct connection *connection)
{
    struct server_reply *reply = &connection->reply;
    while (!connection->broken && !connection->out.len) {
        if (!step(server, connection))
            break;
    }
    if (connection->broken || connection->out.len)
        return;
    int64_t wake_ns = wake_time(reply);
    if (wake_ns != SERVER_NEVER_NS)
        timer_heap_set(&server->timers, &connection->timer, wake_ns);
}

void reply_start(struct server *server, struct connection *connection,
                 const struct serve_request *request, bool chat)
{
    struct server_reply *reply = &connection->reply;
    reset(server, reply);
    server->running++;
    reply->phase = REPLY_HEAD;
    reply->chat = chat;
    reply->stream = request->stream;
    reply->include_usage = request->include_usage;
    reply->continuous_usage = request->include_usage && request->continuous_usage;
    reply->max_tokens = request->max_tokens;
    reply->fault = serve_faults_of_request(&server->config.faults, reply->number);
    reply_schedule_begin(server, connection, request);
    server->prompt_tokens += reply->usage.prompt_tokens;
    set_identity(server, reply, request);
    bool framed = connection->parser.head.minor_version > 0 &&
                  reply->fault.kind != SERVE_FAULT_SHORT_LENGTH;
    serve_stream_start(&reply->events, chat, framed, &reply->identity);
    if (reply->stream && !framed)
        connection->keep_alive = false;
    reply_answer_by_fault(server, connection);
    reply_run(server, connection);
}

void reply_refuse(struct server *server, struct connection *connection,
                  const struct serve_refusal *refusal)
{
    struct server_reply *reply = &connection->reply;
    reset(server, reply);
    server->running++;
    server_answer_error(server, connection, 400, refusal->message, refusal->param);
    reply->http_status = 400;
    reply->outcome = OUTCOME_HTTP_STATUS;
    reply->headers_ns = server->now_ns;
    reply->phase = REPLY_OVER;
    reply_run(server, connection);
}
