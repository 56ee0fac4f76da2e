/* When what libcurl reads reached the host. It reads a socket until it is empty, without
 * a word between two reads, and each read has stamps of its own; so recv(), which libcurl
 * calls, is this program's, and looks at the stamps first. */
#include <stddef.h>
#include <sys/socket.h>

#include "replay/transfers_state.h"

static _Thread_local struct transfers *watched;

void reads_watch(struct transfers *transfers)
{
    watched = transfers;
}

/* A stamp that was just taken, on the run clock; TIME_NONE when there is none. */
static int64_t map_stamp(struct transfers *transfers, int64_t stamp_ns)
{
    stamp_clock_follow(&transfers->stamps);
    return stamp_ns == INT64_MIN
               ? TIME_NONE
               : stamp_clock_map(&transfers->stamps, stamp_ns) - transfers->t0_ns;
}

/* The stamp of the last packet among the next `len` bytes of the socket's queue, as
 * map_stamp has it; and how many bytes there are. */
static size_t peek_arrival(struct transfers *transfers, int fd, size_t len,
                           int64_t *arrival_ns)
{
    int64_t stamp_ns;
    size_t waiting = socket_peek_stamp(fd, len, &stamp_ns);
    *arrival_ns = map_stamp(transfers, stamp_ns);
    return waiting;
}

/* What is hardly longer than one event came at once; of anything longer the first
 * packet's stamp is asked for too. */
void read_look(struct transfers *transfers, int fd)
{
    read_end(transfers);
    const struct connection *connection = connections_at(&transfers->connections, fd);
    if (connection == NULL)
        return;
    struct read_context *read = &transfers->read;
    read->fd = fd;
    read->generation = connection->generation;
    read->ahead = true;
    read->waiting = peek_arrival(transfers, fd, PEEK_BYTES_MAX, &read->last_arrival_ns);
    read->arrival_ns = read->last_arrival_ns;
    if (read->waiting > connection->event_bytes + connection->event_bytes / 2)
        peek_arrival(transfers, fd, 1, &read->arrival_ns);
}

void read_end(struct transfers *transfers)
{
    struct read_context *read = &transfers->read;
    struct connection *connection = connections_at(&transfers->connections, read->fd);
    transfers->reads += read->fd >= 0 && read->events > 0;
    if (read->events == 1 && connection != NULL &&
        connection->generation == read->generation)
        connection->event_bytes = read->waiting;
    read->fd = -1;
    read->ahead = false;
    read->events = 0;
    read->arrival_ns = read->last_arrival_ns = TIME_NONE;
}

/* More came between the look and the read; long after it, when the process was stopped
 * there. */
static void note_latecomers(struct transfers *transfers, size_t received,
                            int64_t stamp_ns)
{
    struct read_context *read = &transfers->read;
    if (received <= read->waiting)
        return;
    read->last_arrival_ns = map_stamp(transfers, stamp_ns);
    if (read->waiting == 0)
        read->arrival_ns = read->last_arrival_ns;
    read->waiting = received;
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    if (watched == NULL || flags & MSG_PEEK)
        return recvfrom(fd, bytes, len, flags, NULL, NULL);
    if (!watched->read.ahead || watched->read.fd != fd)
        read_look(watched, fd);
    watched->read.ahead = false;
    int64_t stamp_ns;
    ssize_t received = socket_receive(fd, bytes, len, flags, &stamp_ns);
    if (received > 0 && watched->read.fd == fd)
        note_latecomers(watched, (size_t)received, stamp_ns);
    return received;
}
