/* A packet capture around a run: `tokrecord capture` as a child process, and `tokrecord
 * extract` after it. */
#ifndef TOKTRACE_CAPTURE_PROCESS_H
#define TOKTRACE_CAPTURE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "formats/base/fault.h"

struct capture_process {
    pid_t pid; /* 0: none runs */
};

/* Starts to capture TCP port `port` on `interface` into DIRECTORY/wire.pcap.zst; returns
 * when packets are being captured. STATUS_IO when it could not; the child has said why on
 * stderr. */
int capture_process_start(struct capture_process *capture, const char *interface,
                          uint16_t port, const char *directory, struct fault *fault);

/* Stops it, waits until its file is whole, and extracts DIRECTORY/wire.toklog from it.
 * Does nothing when none runs. */
int capture_process_finish(struct capture_process *capture, uint16_t port,
                           const char *directory, struct fault *fault);

/* Stops it and removes its files. Does nothing when none runs. */
void capture_process_abandon(struct capture_process *capture, const char *directory);

#endif
