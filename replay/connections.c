#include "replay/connections.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "formats/arrivals.h"
#include "formats/base/memory.h"

void connections_init(struct connections *connections, size_t capacity)
{
    connections->by_fd = memory_new(capacity, sizeof *connections->by_fd);
    connections->capacity = capacity;
}

void connections_release(struct connections *connections)
{
    free(connections->by_fd);
    *connections = (struct connections){ 0 };
}

struct connection *connections_at(const struct connections *connections, int fd)
{
    if (fd < 0 || (size_t)fd >= connections->capacity)
        return NULL;
    return &connections->by_fd[fd];
}

bool connections_opened(struct connections *connections, int fd, uint16_t lane)
{
    struct connection *connection = connections_at(connections, fd);
    if (connection == NULL)
        return false;
    *connection = (struct connection){
        .generation = connection->generation + 1,
        .lane = lane,
        .open = true,
    };
    return true;
}

void connections_closing(struct connections *connections, int fd)
{
    struct connection *connection = connections_at(connections, fd);
    if (connection != NULL)
        *connection = (struct connection){ .generation = connection->generation };
}

bool connection_state_read(int fd, struct connection_state *state)
{
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t len = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
        return false;
    *state = (struct connection_state){
        .bytes_received = info.tcpi_bytes_received,
        .min_rtt_us = info.tcpi_min_rtt == 0 || info.tcpi_min_rtt == UINT32_MAX
                          ? COUNT_NONE
                          : info.tcpi_min_rtt,
        .retransmits = info.tcpi_total_retrans,
    };
    return true;
}

uint16_t connection_local_port(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in ip4;
        struct sockaddr_in6 ip6;
    } address;
    socklen_t len = sizeof address;
    if (getsockname(fd, &address.any, &len) != 0)
        return 0;
    if (address.any.sa_family == AF_INET)
        return ntohs(address.ip4.sin_port);
    return address.any.sa_family == AF_INET6 ? ntohs(address.ip6.sin6_port) : 0;
}
