#include "replay/transfers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/transfers_state.h"

enum { TRANSFER_SLAB = 64, PREPARE_FIRST_NS = 30 * NS_PER_US };

int64_t transfers_now(const struct transfers *transfers)
{
    return clock_monotonic_ns() - transfers->t0_ns;
}

void transfers_set_t0(struct transfers *transfers, int64_t t0_ns)
{
    transfers->t0_ns = t0_ns;
}

static void transfers_add_slab(struct transfers *transfers)
{
    struct transfer *slab = memory_new(TRANSFER_SLAB, sizeof *slab);
    transfers->slabs = memory_grow(transfers->slabs, transfers->slab_count,
                                   &transfers->slab_capacity, sizeof *transfers->slabs);
    transfers->slabs[transfers->slab_count++] = slab;
    for (size_t at = 0; at < TRANSFER_SLAB; at++) {
        slab[at].owner = transfers;
        slab[at].next_free = transfers->free_transfers;
        transfers->free_transfers = &slab[at];
    }
}

int transfers_create(struct transfers **transfers,
                     const struct transfers_options *options, struct fault *fault)
{
    struct transfers *created = memory_new(1, sizeof *created);
    created->options = *options;
    TAILQ_INIT(&created->by_start);
    TAILQ_INIT(&created->by_activity);
    TAILQ_INIT(&created->by_linger);
    TAILQ_INIT(&created->by_retry);
    read_end(created);
    created->prepare_ns = PREPARE_FIRST_NS;
    stamp_clock_init(&created->stamps);
    connections_init(&created->connections, options->descriptors);
    event_pool_init(&created->events, options->planned_events);
    transfers_add_slab(created);
    int status = lanes_init(created, fault);
    if (status != STATUS_OK) {
        transfers_free(created);
        return status;
    }
    *transfers = created;
    return STATUS_OK;
}

void transfers_free(struct transfers *transfers)
{
    if (transfers == NULL)
        return;
    struct transfer *open;
    TAILQ_FOREACH(open, &transfers->by_start, by_start)
    curl_multi_remove_handle(transfers->lanes[open->lane].multi, open->easy);
    for (size_t slab = 0; slab < transfers->slab_count; slab++) {
        for (size_t at = 0; at < TRANSFER_SLAB; at++) {
            struct transfer *transfer = &transfers->slabs[slab][at];
            if (transfer->easy != NULL)
                curl_easy_cleanup(transfer->easy);
            answer_release(&transfer->answer);
        }
        free(transfers->slabs[slab]);
    }
    lanes_release(transfers);
    connections_release(&transfers->connections);
    event_pool_release(&transfers->events);
    free(transfers->slabs);
    free(transfers->finished_events);
    free(transfers);
}

/* A transfer with its handle ready for the target. */
static struct transfer *transfers_take(struct transfers *transfers)
{
    if (transfers->free_transfers == NULL)
        transfers_add_slab(transfers);
    struct transfer *transfer = transfers->free_transfers;
    transfers->free_transfers = transfer->next_free;
    if (transfer->easy == NULL) {
        transfer->easy = curl_easy_init();
        if (transfer->easy == NULL)
            abort();
        target_apply(transfers->options.target, transfer->easy);
        transfer_callbacks_set(transfer);
    }
    return transfer;
}

void transfer_launch(struct transfer *transfer)
{
    struct transfers *transfers = transfer->owner;
    transfer->fd = -1;
    transfer->settled = false;
    transfer->no_resource = false;
    transfer->head_seen = false;
    transfer->connected = false;
    transfer->sent_whole = false;
    transfer->redirects = false;
    transfer->waits = false;
    transfer->lingers = false;
    transfer->body_sent = 0;
    transfer->retry_after_ns = 0;
    transfer->active_ns = transfers_now(transfers);
    transfer->record.http_status = 0; /* of this try, as all that an answer brings */
    transfer->record.headers_ns = TIME_NONE;
    transfer->record.curl_code = 0;
    transfer->record.attempts++;
    answer_start(&transfer->answer);
    TAILQ_INSERT_TAIL(&transfers->by_activity, transfer, by_activity);
    unsigned turn = transfers->next_turn++;
    transfer->lane = (uint16_t)(turn % transfers->options.lanes);
    target_apply_source(transfers->options.target, transfer->easy, turn);
    curl_easy_setopt(transfer->easy, CURLOPT_VERBOSE, 1L);
    struct lane *lane = &transfers->lanes[transfer->lane];
    curl_multi_add_handle(lane->multi, transfer->easy);
    transfers->launching = transfer;
    lane_act(lane, CURL_SOCKET_TIMEOUT, 0);
    transfers->launching = NULL;
}

void transfers_start(struct transfers *transfers, const struct arrival_request *planned,
                     size_t index, struct buffer *body, int64_t now_ns)
{
    struct transfer *transfer = transfers_take(transfers);
    transfer->record = *planned;
    transfer->record.start_ns = now_ns;
    transfer->record.attempts = 0;
    transfer->index = index;
    transfer->body = body;
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, body->data);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
    TAILQ_INSERT_TAIL(&transfers->by_start, transfer, by_start);
    transfers->open++;
    transfer_launch(transfer);
}

/* Connection times from libcurl's, which are µs from its own start; ours begins at the
 * socket. */
static void record_connection(struct transfer *transfer)
{
    struct arrival_request *record = &transfer->record;
    CURL *easy = transfer->easy;
    long port = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    record->remote_port = (uint16_t)port;
    if (record->connect_start_ns == TIME_NONE) {
        if (record->sent_ns != TIME_NONE)
            record->flags |= REQUEST_REUSED_CONNECTION;
        return;
    }
    curl_off_t looked_up_us = 0;
    curl_off_t connected_us = 0;
    curl_off_t secured_us = 0;
    curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &looked_up_us);
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_us);
    curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &secured_us);
    if (connected_us > 0)
        record->connect_end_ns =
            record->connect_start_ns + (connected_us - looked_up_us) * NS_PER_US;
    if (secured_us > 0)
        record->tls_end_ns =
            record->connect_end_ns + (secured_us - connected_us) * NS_PER_US;
}

static enum outcome outcome_before_answer(const struct transfer *transfer, CURLcode code)
{
    long os_error = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &os_error);
    if (transfer->no_resource || os_error == EADDRNOTAVAIL || os_error == EMFILE ||
        os_error == ENFILE || code == CURLE_OUT_OF_MEMORY)
        return OUTCOME_CLIENT_RESOURCE;
    return code == CURLE_OPERATION_TIMEDOUT ? OUTCOME_TIMEOUT : OUTCOME_CONNECT;
}

static void record_answer(struct transfer *transfer, enum outcome outcome)
{
    const struct answer_result *result = &transfer->answer.result;
    struct arrival_request *record = &transfer->record;
    record->outcome = (uint8_t)outcome;
    record->flags |= result->flags;
    record->usage_prompt_tokens = result->usage_prompt_tokens;
    record->usage_completion_tokens = result->usage_completion_tokens;
    record->usage_cached_tokens = result->usage_cached_tokens;
    record->usage_reasoning_tokens = result->usage_reasoning_tokens;
    for (size_t at = 0; at < FINISH_REASON_MAX; at++)
        record->finish_reason[at] = result->finish_reason[at];
}

/* An answer that was there at once is read before libcurl has told of its socket. Finding
 * it is slow (a walk over the lane's connections), and seldom needed. */
static void transfer_find_socket(struct transfer *transfer)
{
    curl_socket_t fd = CURL_SOCKET_BAD;
    curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &fd);
    transfer->fd = fd == CURL_SOCKET_BAD ? -1 : fd;
}

void transfer_detach(struct transfer *transfer)
{
    struct transfers *transfers = transfer->owner;
    if (transfer->waits) {
        TAILQ_REMOVE(&transfers->by_retry, transfer, by_retry);
        return;
    }
    if (transfer->fd < 0 && transfer->sent_whole && !transfer->settled)
        transfer_find_socket(transfer);
    transfer_settle(transfer);
    curl_multi_remove_handle(transfers->lanes[transfer->lane].multi, transfer->easy);
    transfer_leave_connection(transfer);
    TAILQ_REMOVE(&transfers->by_activity, transfer, by_activity);
    if (transfer->lingers)
        TAILQ_REMOVE(&transfers->by_linger, transfer, by_linger);
}

void transfer_finish(struct transfer *transfer, enum outcome outcome, int64_t end_ns)
{
    struct transfers *transfers = transfer->owner;
    transfer->record.end_ns = end_ns;
    transfer_detach(transfer);
    record_connection(transfer);
    record_answer(transfer, outcome);
    TAILQ_REMOVE(&transfers->by_start, transfer, by_start);
    transfers->open--;

    size_t count = transfer->events.count;
    if (count > transfers->finished_capacity) {
        transfers->finished_capacity = count * 2;
        transfers->finished_events =
            memory_resize(transfers->finished_events, transfers->finished_capacity,
                          sizeof *transfers->finished_events);
    }
    event_chain_take(&transfer->events, &transfers->events, transfers->finished_events);
    transfer->record.events = transfers->finished_events;
    transfer->record.event_count = count;
    transfers->options.on_finished(transfers->options.context, transfer);
    transfer->next_free = transfers->free_transfers;
    transfers->free_transfers = transfer;
}

/* No connection stood, whatever went before: a redirect, or a kept connection that was
 * dead. One that was lost is another matter: how much of the request was sent by then is
 * chance. */
static bool is_unconnected(const struct transfer *transfer, CURLcode code)
{
    return !transfer->connected || code == CURLE_COULDNT_RESOLVE_PROXY ||
           code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
           code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
           code == CURLE_INTERFACE_FAILED;
}

/* A redirect that leads nowhere is the answer after all. */
static void take_redirect(struct transfer *transfer, CURLcode code)
{
    unsigned status = transfer->record.http_status;
    if (transfer->answer.http_status == 0 && status / 100 == 3 &&
        (code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_URL_MALFORMAT))
        answer_head(&transfer->answer, status, NULL);
}

void transfer_completed(struct transfer *transfer, CURLcode code)
{
    transfer->record.curl_code = (uint16_t)code;
    take_redirect(transfer, code);
    transfer_answer_finish(transfer, code == CURLE_OK ? BODY_COMPLETE : BODY_BROKEN);
    enum outcome outcome = code != CURLE_OK && is_unconnected(transfer, code)
                               ? outcome_before_answer(transfer, code)
                               : transfer->answer.result.outcome;
    if (transfer_retry(transfer, outcome))
        return;
    transfer->released_ns = transfers_now(transfer->owner);
    transfer_finish(transfer, outcome, transfer->released_ns);
}

int64_t transfers_woke(struct transfers *transfers, int64_t slept_at_ns, int64_t woke_ns)
{
    transfers->read.slept_at_ns = slept_at_ns;
    transfers->read.woke_ns = woke_ns;
    transfers->read.after_sleep = true;
    return stamp_clock_refresh(&transfers->stamps);
}

/* The connection that epoll data speaks of; NULL when it is gone. */
static struct connection *connection_of(const struct transfers *transfers, uint64_t data)
{
    struct connection *connection =
        connections_at(&transfers->connections, (int)(uint32_t)data);
    if (connection == NULL || connection->generation != (uint32_t)(data >> 32))
        return NULL;
    return connection;
}

bool transfers_is_upload(const struct transfers *transfers, uint64_t data)
{
    const struct connection *connection = connection_of(transfers, data);
    return connection != NULL && connection->transfer != NULL &&
           connection->transfer->connected;
}

void transfers_ready(struct transfers *transfers, struct ready_socket ready)
{
    int fd = (int)(uint32_t)ready.data;
    struct connection *connection = connection_of(transfers, ready.data);
    if (connection == NULL)
        return;
    if (connection->transfer == NULL) {
        /* Idle, so its peer closed it: libcurl finds out when it would use it again. */
        epoll_ctl(transfers->options.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        connection->watched = 0;
        return;
    }
    int events = 0;
    if (ready.events & EPOLLOUT)
        events |= CURL_CSELECT_OUT;
    if (ready.events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        events |= CURL_CSELECT_IN;
    if (ready.events & EPOLLIN)
        read_look(transfers, fd);
    lane_act(&transfers->lanes[connection->lane], fd, events);
}

size_t transfers_open(const struct transfers *transfers)
{
    return transfers->open;
}

uint64_t transfers_reads(const struct transfers *transfers)
{
    return transfers->reads;
}

int64_t transfers_prepare_ns(const struct transfers *transfers)
{
    return transfers->prepare_ns;
}

int64_t transfers_held_ns(const struct transfers *transfers)
{
    return transfers->held_ns;
}
