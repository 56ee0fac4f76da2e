/* What the simulated server answers at once: its paths, errors, and heads. */
#include <string.h>
#include <time.h>

#include "formats/base/clock.h"
#include "replay/server.h"

static const char *reason(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Error";
    }
}

/* The Date field; made once per second. */
static const char *date(struct server *server)
{
    time_t now_s = (time_t)(clock_realtime_ns() / NS_PER_S);
    if (now_s != server->date_s) {
        struct tm parts;
        gmtime_r(&now_s, &parts);
        strftime(server->date, sizeof(server->date), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        server->date_s = now_s;
    }
    return server->date;
}

void server_head_append(struct server *server, struct buffer *head,
                        const struct connection *connection, unsigned status,
                        const char *content_type)
{
    buffer_printf(
        head, "HTTP/1.1 %u %s\r\nDate: %s\r\nServer: tokreplay\r\nContent-Type: %s\r\n",
        status, reason(status), date(server), content_type);
    if (!connection->keep_alive)
        buffer_append_text(head, "Connection: close\r\n");
    else if (!connection->parser.head.minor_version)
        buffer_append_text(head, "Connection: keep-alive\r\n");
}

void server_answer(struct server *server, struct connection *connection, unsigned status,
                   const char *content_type, const char *extra, const struct buffer *body)
{
    struct buffer *out = &server->scratch;
    buffer_clear(out);
    server_head_append(server, out, connection, status, content_type);
    buffer_printf(out, "%sContent-Length: %zu\r\n\r\n", extra, body->len);
    if (!connection->head_only)
        buffer_append(out, body->data, body->len);
    connection_send(server, connection, out->data, out->len, 0);
    connection->closing = !connection->keep_alive && !connection->draining;
}

void server_answer_error(struct server *server, struct connection *connection,
                         unsigned status, const char *message, const char *param)
{
    struct buffer *body = &server->answer;
    buffer_clear(body);
    serve_error_append(body, status, message, param);
    server_answer(server, connection, status, "application/json",
                  status == 429 ? "Retry-After: 1\r\n" : "", body);
}

static void answer_json(struct server *server, struct connection *connection)
{
    server_answer(server, connection, 200, "application/json", "", &server->answer);
}

static void health(struct server *server, struct connection *connection)
{
    buffer_clear(&server->answer);
    answer_json(server, connection);
}

static void models(struct server *server, struct connection *connection)
{
    buffer_clear(&server->answer);
    buffer_printf(&server->answer,
                  "{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\","
                  "\"created\":%lld,"
                  "\"owned_by\":\"tokreplay\",\"root\":\"%s\",\"parent\":null,\"max_"
                  "model_len\":%d}]}",
                  server->config.model, (long long)server->started_s,
                  server->config.model, SERVE_TOKENS_MAX);
    answer_json(server, connection);
}

/* Sequences of one request count apart, as the engine sees them. */
static void metrics(struct server *server, struct connection *connection)
{
    uint64_t waiting = server->engine.waiting.count;
    const struct {
        const char *name;
        const char *type;
        uint64_t value;
    } rows[] = {
        { "vllm:num_requests_running", "gauge", server->running - waiting },
        { "vllm:num_requests_waiting", "gauge", waiting },
        { "vllm:prompt_tokens_total", "counter", server->prompt_tokens },
        { "vllm:generation_tokens_total", "counter", server->generation_tokens },
    };
    buffer_clear(&server->answer);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        buffer_printf(&server->answer, "# TYPE %s %s\n%s{model_name=\"%s\"} %llu\n",
                      rows[i].name, rows[i].type, rows[i].name, server->config.model,
                      (unsigned long long)rows[i].value);
    server_answer(server, connection, 200, "text/plain; version=0.0.4; charset=utf-8", "",
                  &server->answer);
}

/* Ids of tokens are their places in the prompt: there is no vocabulary. */
static void tokenize(struct server *server, struct connection *connection)
{
    struct serve_request request;
    struct serve_refusal refusal;
    if (!serve_request_parse(&request, SERVE_EITHER, connection->body.data,
                             connection->body.len, NULL, &refusal)) {
        server_answer_error(server, connection, 400, refusal.message, refusal.param);
        return;
    }
    if (request.prompt_tokens[0] > SERVE_TOKENS_MAX) {
        server_answer_error(server, connection, 400, "the prompt is over max_model_len",
                            "prompt");
        return;
    }
    buffer_clear(&server->answer);
    buffer_printf(&server->answer, "{\"count\":%u,\"max_model_len\":%d,\"tokens\":[",
                  request.prompt_tokens[0], SERVE_TOKENS_MAX);
    for (uint32_t i = 0; i < request.prompt_tokens[0]; i++) {
        if (i)
            buffer_append_byte(&server->answer, ',');
        buffer_append_int(&server->answer, i);
    }
    buffer_append_text(&server->answer, "]}");
    answer_json(server, connection);
}

static void generate(struct server *server, struct connection *connection, bool chat)
{
    struct serve_request request;
    struct serve_refusal refusal;
    if (serve_request_parse(&request, chat ? SERVE_MESSAGES : SERVE_PROMPT,
                            connection->body.data, connection->body.len,
                            server->cache ? &server->blocks : NULL, &refusal))
        reply_start(server, connection, &request, chat);
    else
        reply_refuse(server, connection, &refusal);
}

static void completions(struct server *server, struct connection *connection)
{
    generate(server, connection, false);
}

static void chat_completions(struct server *server, struct connection *connection)
{
    generate(server, connection, true);
}

static const struct route {
    const char *path;
    bool post;
    void (*serve)(struct server *server, struct connection *connection);
} routes[] = {
    { "/v1/completions", true, completions },
    { "/v1/chat/completions", true, chat_completions },
    { "/v1/models", false, models },
    { "/health", false, health },
    { "/ping", false, health },
    { "/metrics", false, metrics },
    { "/tokenize", true, tokenize },
};

/* The path of a target: without query, and without scheme and host where a proxy's form
 * was used. */
static struct http_text path_of(struct http_text target)
{
    if (target.len > 7 && !strncmp(target.text, "http://", 7)) {
        const char *slash = memchr(target.text + 7, '/', target.len - 7);
        const char *start = slash ? slash : target.text + target.len;
        target.len -= (size_t)(start - target.text);
        target.text = start;
    }
    const char *query = memchr(target.text, '?', target.len);
    if (query)
        target.len = (size_t)(query - target.text);
    return target;
}

static const struct route *find_route(struct http_text path)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (strlen(routes[i].path) == path.len &&
            !memcmp(routes[i].path, path.text, path.len))
            return &routes[i];
    }
    return NULL;
}

static bool is_method(struct http_text method, const char *name)
{
    return strlen(name) == method.len && !memcmp(name, method.text, method.len);
}

void server_route(struct server *server, struct connection *connection)
{
    const struct http_head *head = &connection->parser.head;
    const struct route *route = find_route(path_of(head->target));
    if (!route) {
        server_answer_error(server, connection, 404, "no such path", NULL);
        return;
    }
    bool post = is_method(head->method, "POST");
    bool get = is_method(head->method, "GET") || connection->head_only;
    if (route->post ? post : get) {
        route->serve(server, connection);
        return;
    }
    buffer_clear(&server->answer);
    serve_error_append(&server->answer, 405, "this path takes another method", NULL);
    server_answer(server, connection, 405, "application/json",
                  route->post ? "Allow: POST\r\n" : "Allow: GET, HEAD\r\n",
                  &server->answer);
}
