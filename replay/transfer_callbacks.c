#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/event_columns.h"
#include "replay/transfers_state.h"

enum {
    RETRY_AFTER_MAX_S = 86400, /* nobody waits longer than a day */
    /* of a body sent at once, libcurl's least: the loop looks for tokens in between */
    UPLOAD_BYTES = 16384,
    PREPARE_STEP_NS = 500,
};

static void on_event(void *context, const struct answer_event *event)
{
    struct transfer *transfer = context;
    struct transfers *transfers = transfer->owner;
    struct read_context *read = &transfers->read;
    struct arrival_event *logged =
        event_chain_append(&transfer->events, &transfers->events);
    /* The first event of an answer may have come in a later packet than the head before
     * it. */
    bool first_packet = read->events == 0 && transfer->events.count > 1;
    int64_t arrival_ns = first_packet ? read->arrival_ns : read->last_arrival_ns;
    bool exact = arrival_ns != TIME_NONE;
    struct client_cost *cost = &transfers->options.cost;
    if (cost->mean_ns > 0 && event_kind_is_token(event->kind)) {
        client_cost_spend(cost);
        transfer->active_ns = transfers_now(transfers);
    }
    *logged = (struct arrival_event){
        .arrival_ns = exact ? arrival_ns : transfer->active_ns,
        .app_ns = transfer->active_ns,
        .tokens = event->tokens,
        .choice = event->choice,
        .kind = event->kind,
        .flags = event->flags,
    };
    if (read->events++ == 0)
        read->first_event = logged;
    if (read->events > 1) {
        logged->flags |= EVENT_FLAG_SHARED_READ;
        read->first_event->flags |= EVENT_FLAG_SHARED_READ;
    }
    if (!exact || read->arrival_ns != read->last_arrival_ns)
        logged->flags |= EVENT_FLAG_SHARED_READ;
    if (read->after_sleep && logged->arrival_ns >= read->slept_at_ns) {
        int64_t since_wake_ns = logged->app_ns - read->woke_ns;
        logged->flags |= EVENT_FLAG_AFTER_WAKE;
        logged->wake_ns =
            since_wake_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)since_wake_ns;
    }
    read->after_sleep = false;
}

void transfer_answer_finish(struct transfer *transfer, enum body_end end)
{
    answer_finish(&transfer->answer, end, on_event, transfer);
}

/* Bytes came or left. Takes the time first: what the client does with bytes is its own
 * cost, not the server's. */
static void note_activity(struct transfer *transfer)
{
    struct transfers *transfers = transfer->owner;
    transfer->active_ns = transfers_now(transfers);
    TAILQ_REMOVE(&transfers->by_activity, transfer, by_activity);
    TAILQ_INSERT_TAIL(&transfers->by_activity, transfer, by_activity);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    note_activity(transfer);
    answer_feed(&transfer->answer, bytes, size * count, on_event, transfer);
    if (answer_is_done(&transfer->answer) && !transfer->lingers) {
        transfer->lingers = true;
        transfer->over_ns = transfer->active_ns;
        TAILQ_INSERT_TAIL(&transfer->owner->by_linger, transfer, by_linger);
    }
    return size * count;
}

static bool header_is(const char *line, size_t len, const char *name)
{
    size_t name_len = strlen(name);
    return len > name_len && line[name_len] == ':' &&
           strncasecmp(line, name, name_len) == 0;
}

/* Retry-After in seconds. A date is taken as if nothing was said. */
static int64_t parse_retry_after(const char *value, size_t len)
{
    int64_t seconds = 0;
    size_t at = 0;
    while (at < len && (value[at] == ' ' || value[at] == '\t'))
        at++;
    for (; at < len && value[at] >= '0' && value[at] <= '9'; at++)
        if (seconds < RETRY_AFTER_MAX_S)
            seconds = seconds * 10 + (value[at] - '0');
    return seconds * NS_PER_S;
}

static void note_header(struct transfer *transfer, const char *line, size_t len)
{
    static const char retry_after[] = "Retry-After";
    if (header_is(line, len, "Location"))
        transfer->redirects = true;
    if (header_is(line, len, retry_after))
        transfer->retry_after_ns =
            parse_retry_after(line + sizeof retry_after, len - sizeof retry_after);
}

/* An interim answer or a redirect is not the answer. */
static void on_head_end(struct transfer *transfer)
{
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    bool redirected = transfer->redirects && status / 100 == 3;
    transfer->redirects = false;
    transfer->record.http_status = (uint16_t)status;
    if (status < 200 || redirected)
        return;
    char *content_type = NULL;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &content_type);
    answer_head(&transfer->answer, (unsigned)status, content_type);
    /* No more sends to be told of; every read would be told too. */
    curl_easy_setopt(transfer->easy, CURLOPT_VERBOSE, 0L);
}

/* An answer may be here before the send that asked for it has returned, when the server
 * shares this machine: the request left no later than its answer came, by the times that
 * the log can hold. */
static void note_first_byte(struct transfer *transfer)
{
    struct arrival_request *record = &transfer->record;
    int64_t arrival_ns = transfer->owner->read.arrival_ns;
    record->headers_ns = arrival_ns != TIME_NONE ? arrival_ns : transfer->active_ns;
    if (record->sent_ns != TIME_NONE && record->sent_ns > record->headers_ns)
        record->sent_ns = record->headers_ns - record->headers_ns % EVENT_UNIT_NS;
    transfer->head_seen = true;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    note_activity(transfer);
    if (!transfer->head_seen)
        note_first_byte(transfer);
    size_t len = size * count;
    if (bytes[0] == '\r' || bytes[0] == '\n')
        on_head_end(transfer);
    else
        note_header(transfer, bytes, len);
    return len;
}

/* A quarter of the requests take longer than the estimate in the long run: it moves three
 * steps up for each of them, one step down for each of the others. */
static void learn_prepare_time(struct transfers *transfers, int64_t took_ns)
{
    int64_t moved_ns = transfers->prepare_ns +
                       (took_ns > transfers->prepare_ns ? 3 : -1) * PREPARE_STEP_NS;
    if (moved_ns >= 0 && moved_ns <= PREPARE_MAX_NS)
        transfers->prepare_ns = moved_ns;
}

/* All is ready but for the write: no request leaves before it is due. */
static void transfer_await_due(struct transfer *transfer)
{
    struct transfers *transfers = transfer->owner;
    const struct arrival_request *record = &transfer->record;
    int64_t ready_ns = transfers_now(transfers);
    if (record->attempts == 1 && record->connect_start_ns == TIME_NONE)
        learn_prepare_time(transfers, ready_ns - record->start_ns);
    int64_t now_ns = ready_ns;
    while (now_ns < record->due_ns)
        now_ns = transfers_now(transfers);
    transfers->held_ns += now_ns - ready_ns;
}

static int on_connected(void *context, char *remote_address, char *local_address,
                        int remote_port, int local_port)
{
    (void)remote_address;
    (void)local_address;
    (void)remote_port;
    struct transfer *transfer = context;
    transfer->connected = true;
    transfer->local_port = (uint16_t)local_port;
    transfer_await_due(transfer);
    return CURL_PREREQFUNC_OK;
}

/* libcurl tells of every send here, right after it: the only exact moment of "the request
 * has left". */
static int on_debug(CURL *easy, curl_infotype type, char *bytes, size_t size,
                    void *context)
{
    (void)easy;
    (void)bytes;
    struct transfer *transfer = context;
    if (type != CURLINFO_HEADER_OUT && type != CURLINFO_DATA_OUT)
        return 0;
    note_activity(transfer);
    if (type == CURLINFO_HEADER_OUT && transfer->sent_whole) {
        /* After a redirect, or when the kept connection turned out to be dead. */
        if (transfer->fd >= 0)
            transfer_settle(transfer);
        transfer->body_sent = 0;
        transfer->sent_whole = false;
        transfer->settled = false;
    }
    transfer->record.bytes_sent += size;
    if (type == CURLINFO_DATA_OUT)
        transfer->body_sent += size;
    if (transfer->body_sent >= transfer->body->len) {
        transfer->sent_whole = true;
        /* Whatever follows the first time is charged to the request. */
        if (transfer->record.sent_ns == TIME_NONE)
            transfer->record.sent_ns = transfer->active_ns;
    }
    return 0;
}

static curl_socket_t on_open_socket(void *context, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
    (void)purpose;
    struct transfer *transfer = context;
    struct transfers *transfers = transfer->owner;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        transfer->no_resource = errno == EMFILE || errno == ENFILE || errno == ENOBUFS;
        return CURL_SOCKET_BAD;
    }
    if (!connections_opened(&transfers->connections, fd, transfer->lane)) {
        transfer->no_resource = true;
        close(fd);
        return CURL_SOCKET_BAD;
    }
    socket_enable_stamps(fd);
    if (transfer->record.connect_start_ns == TIME_NONE)
        transfer->record.connect_start_ns = transfers_now(transfers);
    return fd;
}

/* An answer that was over before libcurl asked to watch its kept connection. */
static void adopt_closing(struct transfers *transfers, struct connection *connection,
                          int fd)
{
    struct transfer *launching = transfers->launching;
    if (launching == NULL || !launching->connected || launching->fd >= 0 ||
        connection->transfer != NULL ||
        connection_local_port(fd) != launching->local_port)
        return;
    launching->fd = fd;
    connection->transfer = launching;
}

static int on_close_socket(void *context, curl_socket_t fd)
{
    struct transfers *transfers = context;
    struct connection *connection = connections_at(&transfers->connections, fd);
    if (connection != NULL)
        adopt_closing(transfers, connection, fd);
    if (connection != NULL && connection->transfer != NULL &&
        connection->transfer->fd == fd) {
        transfer_settle(connection->transfer);
        connection->transfer->fd = -1;
    }
    connections_closing(&transfers->connections, fd);
    return close(fd);
}

void transfer_settle(struct transfer *transfer)
{
    /* Over before libcurl asked to watch it, and its connection kept. */
    if (transfer->fd < 0 && transfer->connected)
        curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &transfer->fd);
    struct connection *connection =
        connections_at(&transfer->owner->connections, transfer->fd);
    if (transfer->settled || connection == NULL || !connection->open)
        return;
    transfer->settled = true;
    if (connection->local_port == 0)
        connection->local_port = connection_local_port(transfer->fd);
    struct arrival_request *record = &transfer->record;
    record->local_port = connection->local_port;
    record->connection_request = ++connection->requests;
    struct connection_state state;
    if (!connection_state_read(transfer->fd, &state))
        return;
    record->min_rtt_us = state.min_rtt_us;
    record->retransmits = state.retransmits;
    record->bytes_received = state.bytes_received - connection->received_before;
    connection->received_before = state.bytes_received;
}

void transfer_leave_connection(struct transfer *transfer)
{
    struct connection *connection =
        connections_at(&transfer->owner->connections, transfer->fd);
    if (connection != NULL && connection->transfer == transfer)
        connection->transfer = NULL;
    transfer->fd = -1;
}

void transfer_callbacks_set(struct transfer *transfer)
{
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->owner);
    curl_easy_setopt(easy, CURLOPT_SHARE, transfer->owner->share);
    curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BYTES);
    /* Giving a request up must not wait for a name server that does not answer. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}
