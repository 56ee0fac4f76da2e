#include "record/connection.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

/* Beginnings of messages. */

bool begins_with(const char *bytes, size_t len, const char *text)
{
    size_t text_len = strlen(text);
    return len >= text_len && memcmp(bytes, text, text_len) == 0;
}

bool begins_response(const char *bytes, size_t len)
{
    return begins_with(bytes, len, "HTTP/1.");
}

bool begins_request(const char *bytes, size_t len)
{
    static const char *const methods[] = { "POST ", "GET ", "HEAD ", "PUT ", "DELETE ",
                                           "OPTIONS ", "PATCH ", "CONNECT " };
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (begins_with(bytes, len, methods[i]))
            return true;
    return false;
}

/* Exchanges. */

static void count_exchange(struct http_counts *counts, const struct exchange *exchange)
{
    const struct arrival_request *record = &exchange->record;
    counts->exchanges++;
    counts->outcomes[record->outcome]++;
    counts->streamed += (record->flags & REQUEST_STREAMED) != 0;
    counts->no_request += !exchange->request_seen;
    counts->unanswered += !exchange->head_seen;
    counts->opaque_coded += (record->flags & REQUEST_WIRE_OPAQUE) != 0;
    counts->no_syn += (record->flags & REQUEST_WIRE_NO_SYN) != 0;
    counts->retransmission += (record->flags & REQUEST_WIRE_RETRANSMISSION) != 0;
    counts->reordered += (record->flags & REQUEST_WIRE_REORDERED) != 0;
    counts->hole += (record->flags & REQUEST_WIRE_HOLE) != 0;
    counts->snaplen += (record->flags & REQUEST_WIRE_SNAPLEN) != 0;
    counts->overlap += (record->flags & REQUEST_WIRE_OVERLAP) != 0;
    for (size_t i = 0; i < record->event_count; i++) {
        bool unknown = record->events[i].flags & EVENT_FLAG_UNKNOWN_TIME;
        counts->unknown_events += unknown;
        counts->token_events += !unknown && event_kind_is_token(record->events[i].kind);
    }
}

/* Tells the parser of responses which method the next one answers. */
static void expect_answer(struct connection *connection)
{
    const struct exchange *exchange = connection->first;
    struct http_parser *parser = &connection->streams[HTTP_RESPONSES].parser;
    if (!exchange)
        return;
    if (exchange->answers_head)
        http_parser_expect(parser, "HEAD", 4);
    else if (exchange->answers_connect)
        http_parser_expect(parser, "CONNECT", 7);
}

static struct exchange *append_exchange(const struct place *place, int64_t time_ns)
{
    struct connection *connection = place->connection;
    struct exchange *exchange = exchange_create(place->flow, place->http->rows++,
                                                ++connection->requests, time_ns);
    if (connection->last)
        connection->last->next = exchange;
    else
        connection->first = exchange;
    connection->last = exchange;
    connection->open++;
    return exchange;
}

static void finish_first(const struct place *place, enum body_end end,
                         enum outcome open_outcome)
{
    struct connection *connection = place->connection;
    struct exchange *exchange = connection->first;
    const struct message_stream *answers = &connection->streams[HTTP_RESPONSES];
    if (exchange->head_seen)
        exchange->record.bytes_received =
            answers->parser.offset - answers->parser.head.start_offset;
    exchange_finish(exchange, place->flow, end, open_outcome, place->delivered_ns);
    count_exchange(&place->http->counts, exchange);
    place->http->settings.on_exchange(place->http->settings.context, exchange);
    connection->first = exchange->next;
    if (!connection->first)
        connection->last = NULL;
    connection->open--;
    place->http->memory -= exchange->counted_memory;
    exchange_free(exchange);
    expect_answer(connection);
}

void connection_finish(const struct place *place, enum outcome open_outcome)
{
    while (place->connection->first)
        finish_first(place, BODY_BROKEN, open_outcome);
}

void connection_ignore(const struct place *place, uint64_t *counter)
{
    ++*counter;
    connection_finish(place, OUTCOME_TRUNCATED);
    place->connection->ignored = true;
    for (unsigned role = 0; role < 2; role++)
        http_parser_release(&place->connection->streams[role].parser);
}

/* Memory. */

void connection_recount(struct http_flows *http, struct exchange *exchange)
{
    if (!exchange)
        return;
    size_t now = exchange_memory(exchange);
    http->memory += now - exchange->counted_memory;
    exchange->counted_memory = now;
}

/* Requests. */

static void copy_session(const struct http_settings *settings,
                         const struct http_head *head, struct arrival_request *record)
{
    if (!settings->session_header)
        return;
    struct http_text value = http_head_field(head, settings->session_header);
    size_t len = value.len < SESSION_NAME_MAX ? value.len : SESSION_NAME_MAX - 1;
    if (len > 0)
        memcpy(record->session, value.text, len);
    record->session[len] = '\0';
}

/* A request may come behind its answer where the tap swapped them. */
static struct exchange *exchange_for_request(const struct place *place, int64_t start_ns)
{
    struct connection *connection = place->connection;
    struct exchange *last = connection->last;
    if (!last || last->request_seen || connection->first != last)
        return append_exchange(place, start_ns);
    last->record.due_ns = last->record.start_ns = start_ns;
    return last;
}

static void take_request_head(const struct place *place,
                              const struct message_stream *stream)
{
    struct connection *connection = place->connection;
    const struct http_settings *settings = &place->http->settings;
    const struct http_head *head = &stream->parser.head;
    /* a client asks again when it has the answer, so this one's end was lost */
    if (connection->first && connection->streams[HTTP_RESPONSES].state == STREAM_LOST)
        connection_finish(place, OUTCOME_TRUNCATED);
    struct exchange *exchange = exchange_for_request(place, stream->start_ns);
    exchange->request_seen = true;
    exchange->answers_head = begins_with(head->method.text, head->method.len, "HEAD");
    exchange->answers_connect = begins_with(head->method.text, head->method.len,
                                            "CONNECT");
    if (connection->first == exchange)
        expect_answer(connection);
    copy_session(settings, head, &exchange->record);
    if (settings->keep_requests) {
        buffer_append(&exchange->copy.target, head->target.text, head->target.len);
        exchange->copy.body_whole = !head->coded && head->content_encoding.len == 0;
    }
    connection_recount(place->http, exchange);
}

static void copy_request_body(const struct place *place, const struct http_item *item)
{
    struct exchange *exchange = place->connection->last;
    if (!exchange)
        return;
    struct request_copy *copy = &exchange->copy;
    copy->body_bytes += item->len;
    if (!place->http->settings.keep_requests || !copy->body_whole)
        return;
    if (copy->body.len + item->len > REQUEST_COPY_MAX) {
        copy->body_whole = false;
        buffer_release(&copy->body);
    } else {
        buffer_append(&copy->body, item->bytes, item->len);
    }
}

static void end_request(const struct place *place, const struct message_stream *stream,
                        const struct http_item *item)
{
    struct exchange *exchange = place->connection->last;
    if (!exchange || !exchange->request_seen || exchange->record.sent_ns != TIME_NONE)
        return;
    exchange->record.sent_ns = place->delivered_ns;
    exchange->record.bytes_sent = item->offset - stream->parser.head.start_offset;
}

static void take_request_item(const struct place *place, struct message_stream *stream,
                              const struct http_item *item)
{
    switch (item->type) {
    case HTTP_HEAD:
        take_request_head(place, stream);
        break;
    case HTTP_BODY:
        copy_request_body(place, item);
        break;
    case HTTP_END:
        end_request(place, stream, item);
        break;
    case HTTP_INTERIM:
    case HTTP_OPAQUE:
        break;
    }
}

/* Responses. */

static void take_response_item(const struct place *place, struct message_stream *stream,
                               const struct http_item *item)
{
    struct connection *connection = place->connection;
    if (!connection->first && item->type != HTTP_OPAQUE)
        append_exchange(place, stream->start_ns);
    switch (item->type) {
    case HTTP_HEAD:
        exchange_answer_head(connection->first, &stream->parser.head, stream->start_ns);
        break;
    case HTTP_BODY:
        exchange_answer_body(connection->first, item->bytes, item->len,
                             place->delivered_ns);
        break;
    case HTTP_END:
        finish_first(place, BODY_COMPLETE, OUTCOME_TRUNCATED);
        break;
    case HTTP_OPAQUE:
        connection_ignore(place, &place->http->counts.opaque_upgraded);
        break;
    case HTTP_INTERIM:
        break;
    }
}

/* Streams. */

static void take_item(const struct place *place, enum http_role role,
                      struct http_item *item)
{
    struct message_stream *stream = &place->connection->streams[role];
    if (role == HTTP_REQUESTS)
        take_request_item(place, stream, item);
    else
        take_response_item(place, stream, item);
    stream->between |= item->type == HTTP_END || item->type == HTTP_INTERIM;
}

/* The stream cannot be followed from here on. */
static void lose_stream(const struct place *place, enum http_role role)
{
    struct connection *connection = place->connection;
    place->http->counts.lost_streams++;
    connection->streams[role].state = STREAM_LOST;
    if (role == HTTP_RESPONSES && connection->first && connection->first->head_seen)
        finish_first(place, BODY_BROKEN, OUTCOME_TRUNCATED);
}

static void restart_stream(struct connection *connection, enum http_role role)
{
    struct message_stream *stream = &connection->streams[role];
    http_parser_start(&stream->parser, role);
    stream->state = STREAM_READING;
    stream->between = true;
    if (role == HTTP_RESPONSES)
        expect_answer(connection);
}

void connection_feed(const struct place *place, enum http_role role, const char *bytes,
                        size_t len)
{
    struct connection *connection = place->connection;
    struct message_stream *stream = &connection->streams[role];
    if (stream->state == STREAM_LOST) {
        if (role == HTTP_REQUESTS ? !begins_request(bytes, len)
                                  : !begins_response(bytes, len))
            return;
        restart_stream(connection, role);
    }
    struct fault fault = { "" };
    struct http_item item;
    while (!connection->ignored) {
        if (stream->between && len > 0) {
            stream->between = false;
            stream->start_ns = place->delivered_ns;
        }
        int got = http_parser_next(&stream->parser, &bytes, &len, &item, &fault);
        if (got < 0 && connection->requests == 0)
            connection_ignore(place, &place->http->counts.not_http);
        else if (got < 0)
            lose_stream(place, role);
        if (got <= 0)
            return;
        take_item(place, role, &item);
    }
}

static void mark_gap(struct exchange *exchange, enum gap_reason reason)
{
    exchange->record.flags |= reason == GAP_SNAPLEN ? REQUEST_WIRE_SNAPLEN
                                                    : REQUEST_WIRE_HOLE;
}

void connection_gap(const struct place *place, enum http_role role, uint64_t len,
                     enum gap_reason reason)
{
    struct connection *connection = place->connection;
    struct message_stream *stream = &connection->streams[role];
    if (stream->state == STREAM_LOST)
        return;
    struct exchange *exchange = role == HTTP_REQUESTS ? connection->last
                                                      : connection->first;
    struct fault fault = { "" };
    /* between two requests it hides none that is known, but an answer is awaited for the
     * first */
    if (exchange && (role == HTTP_RESPONSES || !stream->between))
        mark_gap(exchange, reason);
    if (http_parser_skip(&stream->parser, len, &fault) < 0) {
        lose_stream(place, role);
    } else if (role == HTTP_RESPONSES && exchange && exchange->head_seen) {
        exchange_answer_gap(exchange);
    } else if (role == HTTP_REQUESTS && exchange) {
        exchange->copy.body_whole = false;
        exchange->copy.body_bytes += len;
    }
}

void connection_end(const struct place *place)
{
    struct message_stream *stream = &place->connection->streams[HTTP_RESPONSES];
    struct fault fault = { "" };
    struct http_item item;
    if (stream->state == STREAM_READING &&
        http_parser_finish(&stream->parser, &item, &fault) == 1)
        take_item(place, HTTP_RESPONSES, &item);
}

struct connection *connection_create(const struct flow *flow)
{
    struct connection *connection = memory_new(1, sizeof(*connection));
    restart_stream(connection, HTTP_REQUESTS);
    restart_stream(connection, HTTP_RESPONSES);
    for (unsigned role = 0; role < 2 && !flow->syn_seen; role++)
        connection->streams[role].state = STREAM_LOST;
    return connection;
}

void connection_free(struct connection *connection)
{
    for (unsigned role = 0; role < 2; role++)
        http_parser_release(&connection->streams[role].parser);
    free(connection);
}
