/* The sockets of one worker: receive stamps, requests counted per connection, and what
 * the kernel knows of each (TCP_INFO). Indexed by descriptor. */
#ifndef TOKTRACE_CONNECTIONS_H
#define TOKTRACE_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transfer;

struct connection {
    struct transfer *transfer; /* whose request runs on it; NULL when idle */
    /* counts sockets that had this descriptor, so that late events show */
    uint32_t generation;
    uint32_t watched;  /* epoll events registered; 0: none */
    uint32_t requests; /* sent on it so far */
    uint16_t lane;
    uint16_t local_port; /* 0: not yet known */
    bool open;
    size_t event_bytes; /* of the latest read that brought one event */
    uint64_t received_before; /* tcpi_bytes_received when the present request began */
};

struct connections {
    struct connection *by_fd; /* owned */
    size_t capacity;
};

/* What TCP_INFO says of a connection. */
struct connection_state {
    uint64_t bytes_received;
    uint32_t min_rtt_us; /* COUNT_NONE when the kernel has none */
    uint32_t retransmits;
};

/* Room for descriptors below `capacity`. */
void connections_init(struct connections *connections, size_t capacity);
void connections_release(struct connections *connections);

/* The entry of a descriptor; NULL beyond the capacity. */
struct connection *connections_at(const struct connections *connections, int fd);

/* A new socket has this descriptor. False when the descriptor is beyond the capacity. */
bool connections_opened(struct connections *connections, int fd, uint16_t lane);

/* The socket is about to be closed. */
void connections_closing(struct connections *connections, int fd);

/* False when the kernel does not say (no TCP socket). */
bool connection_state_read(int fd, struct connection_state *state);

/* The port on our side, or 0. */
uint16_t connection_local_port(int fd);

#endif
