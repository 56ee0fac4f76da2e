#include <stdlib.h>
#include <sys/epoll.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/transfers_state.h"

/* Idle connections that a lane keeps for later requests. */
enum { LANE_CONNECTIONS_KEPT = 65536 };

static uint32_t epoll_events_of(int what)
{
    uint32_t events = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        events |= EPOLLOUT;
    return events;
}

/* Registers, changes or ends the watch on a socket. An idle connection stays watched for
 * input: its next request then needs no system call here, and if its peer closes it, the
 * event ends the watch. */
static void lane_watch(struct lane *lane, int fd, uint32_t events)
{
    struct transfers *transfers = lane->owner;
    struct connection *connection = connections_at(&transfers->connections, fd);
    if (connection == NULL || connection->watched == events)
        return;
    struct epoll_event event = {
        .events = events,
        .data.u64 = (uint64_t)connection->generation << 32 | (uint32_t)fd,
    };
    int operation = connection->watched == 0 ? EPOLL_CTL_ADD
                    : events == 0            ? EPOLL_CTL_DEL
                                             : EPOLL_CTL_MOD;
    if (epoll_ctl(transfers->options.epoll_fd, operation, fd, &event) == 0)
        connection->watched = events;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *lane_pointer,
                     void *socket_pointer)
{
    (void)socket_pointer;
    struct lane *lane = lane_pointer;
    struct connection *connection = connections_at(&lane->owner->connections, fd);
    if (connection == NULL)
        return 0;
    if (what == CURL_POLL_REMOVE) {
        if (connection->watched & EPOLLOUT)
            lane_watch(lane, fd, EPOLLIN);
        return 0;
    }
    struct transfer *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (transfer != NULL) {
        if (transfer->fd != fd)
            transfer_leave_connection(transfer);
        transfer->fd = fd;
        connection->transfer = transfer;
    }
    lane_watch(lane, fd, epoll_events_of(what));
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *lane_pointer)
{
    (void)multi;
    struct lane *lane = lane_pointer;
    lane->deadline_ns =
        timeout_ms < 0 ? INT64_MAX
                       : transfers_now(lane->owner) + (int64_t)timeout_ms * NS_PER_MS;
    return 0;
}

static int lane_init(struct lane *lane, struct transfers *owner, uint16_t number)
{
    *lane = (struct lane){ .owner = owner, .deadline_ns = INT64_MAX, .number = number };
    lane->multi = curl_multi_init();
    if (lane->multi == NULL)
        return -1;
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETDATA, lane);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERDATA, lane);
    /* A connection has one request at a time, HTTP/2 too: what arrives on a socket then
       belongs to one answer, and so does the stamp of its arrival. */
    curl_multi_setopt(lane->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, (long)LANE_CONNECTIONS_KEPT);
    return 0;
}

int lanes_init(struct transfers *transfers, struct fault *fault)
{
    unsigned count = transfers->options.lanes;
    transfers->lanes = memory_new(count, sizeof *transfers->lanes);
    transfers->share = curl_share_init();
    if (transfers->share == NULL)
        return fault_set(fault, STATUS_IO, "libcurl gives no share handle");
    curl_share_setopt(transfers->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    for (unsigned number = 0; number < count; number++)
        if (lane_init(&transfers->lanes[number], transfers, (uint16_t)number) != 0)
            return fault_set(fault, STATUS_IO, "libcurl gives no multi handle");
    return STATUS_OK;
}

void lanes_release(struct transfers *transfers)
{
    for (unsigned number = 0; number < transfers->options.lanes; number++)
        if (transfers->lanes != NULL && transfers->lanes[number].multi != NULL)
            curl_multi_cleanup(transfers->lanes[number].multi);
    if (transfers->share != NULL)
        curl_share_cleanup(transfers->share);
    free(transfers->lanes);
}

void lane_act(struct lane *lane, curl_socket_t fd, int events)
{
    int running;
    if (fd == CURL_SOCKET_TIMEOUT)
        lane->deadline_ns = INT64_MAX;
    reads_watch(lane->owner);
    curl_multi_socket_action(lane->multi, fd, events, &running);
    reads_watch(NULL);
    int left;
    for (CURLMsg *message;
         (message = curl_multi_info_read(lane->multi, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE)
            continue;
        struct transfer *transfer = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        transfer_completed(transfer, message->data.result);
    }
    read_end(lane->owner);
}
