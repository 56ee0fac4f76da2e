#include "record/http_flows.h"

#include <stdlib.h>

#include "formats/base/memory.h"
#include "record/connection.h"

/* Requests without an answer on one connection; more is no client of ours. */
enum { PIPELINE_MAX = 4096 };

/* A TLS record: handshake, or, in the middle of a connection, any other. */
static bool begins_tls(const char *bytes, size_t len)
{
    enum { CHANGE_CIPHER = 0x14, APPLICATION_DATA = 0x17, MAJOR_VERSION = 3 };
    return len >= 2 && bytes[0] >= CHANGE_CIPHER && bytes[0] <= APPLICATION_DATA &&
           bytes[1] == MAJOR_VERSION;
}

/* Says who the client is where no SYN told: by the server asked for, else by what the
 * first bytes look like. False while neither does. */
static bool find_client(const struct place *place, unsigned direction, const char *bytes,
                        size_t len)
{
    struct flow *flow = place->flow;
    const struct server_filter *server = place->http->settings.server;
    for (int d = 0; d < 2 && server->server.port != 0; d++)
        if (server_filter_names(server, &flow->ends[d]))
            flow->client = 1 - d;
    if (flow->client < 0 && (begins_request(bytes, len) || begins_tls(bytes, len)))
        flow->client = (int)direction;
    if (flow->client < 0 && begins_response(bytes, len))
        flow->client = 1 - (int)direction;
    return flow->client >= 0;
}

/* Looks at the first bytes of the client for protocols that hide what they carry. */
static void find_opaque(const struct place *place, const char *bytes, size_t len)
{
    struct http_counts *counts = &place->http->counts;
    if (begins_tls(bytes, len))
        connection_ignore(place, &counts->opaque_tls);
    else if (begins_with(bytes, len, "PRI * HTTP/2"))
        connection_ignore(place, &counts->opaque_http2);
}

static void recount(struct http_flows *http, size_t *counted, size_t now)
{
    http->memory += now - *counted;
    *counted = now;
}

/* Gives the connection up when it made the whole exceed its limit. Only its first and
 * last exchange can have grown. */
static void keep_within_memory(const struct place *place)
{
    struct http_flows *http = place->http;
    struct connection *connection = place->connection;
    size_t own = sizeof(*connection);
    for (unsigned role = 0; role < 2; role++)
        own += connection->streams[role].parser.text.capacity;
    recount(http, &connection->memory, own);
    connection_recount(http, connection->first);
    connection_recount(http, connection->last);
    if (connection->ignored ||
        (http->memory <= http->settings.max_memory && connection->open <= PIPELINE_MAX))
        return;
    for (struct exchange *at = connection->first; at; at = at->next)
        at->record.flags |= REQUEST_WIRE_HOLE;
    connection_ignore(place, &http->counts.given_up);
    recount(http, &connection->memory, sizeof(*connection));
}

static struct connection *new_connection(struct http_flows *http, const struct flow *flow)
{
    http->counts.connections++;
    return connection_create(flow);
}

static void take_bytes(void *context, struct flow *flow, unsigned direction,
                       const uint8_t *bytes, size_t len, int64_t delivered_ns)
{
    struct http_flows *http = context;
    if (!flow->connection)
        flow->connection = new_connection(http, flow);
    struct place place = { http, flow, flow->connection, delivered_ns };
    const char *text = (const char *)bytes;
    if (place.connection->ignored ||
        (flow->client < 0 && !find_client(&place, direction, text, len)))
        return;
    enum http_role role = (int)direction == flow->client ? HTTP_REQUESTS : HTTP_RESPONSES;
    if (role == HTTP_REQUESTS && place.connection->requests == 0)
        find_opaque(&place, text, len);
    if (!place.connection->ignored)
        connection_feed(&place, role, text, len);
    keep_within_memory(&place);
}

static void take_gap(void *context, struct flow *flow, unsigned direction, uint64_t len,
                     enum gap_reason reason)
{
    struct connection *connection = flow->connection;
    if (!connection || connection->ignored || flow->client < 0)
        return;
    struct place place = { context, flow, connection,
                           flow->directions[direction].delivered_ns };
    enum http_role role = (int)direction == flow->client ? HTTP_REQUESTS : HTTP_RESPONSES;
    connection_gap(&place, role, len, reason);
}

/* A FIN: the end of an answer that runs until close. */
static void take_end(void *context, struct flow *flow, unsigned direction,
                     int64_t time_ns)
{
    struct connection *connection = flow->connection;
    if (!connection || connection->ignored || flow->client < 0 ||
        (int)direction == flow->client)
        return;
    struct place place = { context, flow, connection, time_ns };
    connection_end(&place);
}

/* What an answer that was open at the end of its connection counts as. */
static enum outcome open_outcome(const struct flow *flow)
{
    bool closed_by_server = flow->closed_by >= 0 && flow->closed_by != flow->client;
    return closed_by_server ? OUTCOME_TRUNCATED : OUTCOME_CANCELLED;
}

static void take_close(void *context, struct flow *flow, enum flow_close how,
                       int64_t time_ns)
{
    struct http_flows *http = context;
    struct connection *connection = flow->connection;
    (void)how;
    if (!connection)
        return;
    struct place place = { http, flow, connection, time_ns };
    connection_finish(&place, open_outcome(flow));
    http->memory -= connection->memory;
    connection_free(connection);
    flow->connection = NULL;
}

struct http_flows *http_flows_create(const struct http_settings *settings)
{
    struct http_flows *http = memory_new(1, sizeof(*http));
    http->settings = *settings;
    return http;
}

void http_flows_free(struct http_flows *http)
{
    free(http);
}

struct flow_handler http_flows_handler(struct http_flows *http)
{
    return (struct flow_handler){ take_bytes, take_gap, take_end, take_close, http };
}

const struct http_counts *http_flows_counts(const struct http_flows *http)
{
    return &http->counts;
}
