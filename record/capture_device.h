/* A network interface being captured: libpcap with a TPACKET_V3 ring and ns stamps of the
 * kernel. */
#ifndef TOKTRACE_CAPTURE_DEVICE_H
#define TOKTRACE_CAPTURE_DEVICE_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

struct capture_settings {
    const char *interface;
    const char *const *ports; /* decimal; none: all TCP */
    size_t port_count;
    const char *filter; /* a pcap filter on top of that; NULL */
    int64_t ring_bytes;
    int64_t snaplen;
    bool promiscuous;
};

struct capture_device {
    pcap_t *pcap;
    struct buffer filter; /* the whole expression, for the sidecar */
};

/* Captures once it returns. STATUS_IO with what to do where the right is missing. */
int capture_device_open(struct capture_device *device,
                        const struct capture_settings *settings, struct fault *fault);

/* Waits up to CAPTURE_WAIT_MS for packets and passes those that are there to `handler`. A
 * signal ends the wait early. Packets show up at most CAPTURE_WAIT_MS after they were
 * captured. */
enum { CAPTURE_WAIT_MS = 100 };
int capture_device_poll(struct capture_device *device, pcap_handler handler,
                        void *context, struct fault *fault);

struct capture_statistics {
    uint64_t received;
    uint64_t dropped_by_kernel;    /* the ring was full */
    uint64_t dropped_by_interface; /* before it */
};

/* libpcap counts in 32 bits: call it every few seconds, starting from zeros, and it adds
 * up. */
void capture_device_statistics(struct capture_device *device,
                               struct capture_statistics *statistics);

void capture_device_close(struct capture_device *device);

#endif
