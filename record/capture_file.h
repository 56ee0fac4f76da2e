/* A capture file being written: classic pcap with ns stamps, inside independent zstd
 * frames that end between two packets, so that a killed capture loses at most the open
 * frame. */
#ifndef TOKTRACE_CAPTURE_FILE_H
#define TOKTRACE_CAPTURE_FILE_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"

struct capture_file; /* opaque */

/* Creates `path` with the header for packets of `pcap`; "-" is stdout. Refuses to
 * overwrite without `force`. The file appears under its name at once: what is written
 * stays after a crash. */
int capture_file_open(struct capture_file **file, const char *path, pcap_t *pcap,
                      bool force, struct fault *fault);

/* Cheap; failures of the disk show in capture_file_tick and capture_file_close. */
void capture_file_write(struct capture_file *file, const struct pcap_pkthdr *header,
                        const u_char *bytes);

/* Ends the open frame when it is a second old. STATUS_IO once the disk refused. */
int capture_file_tick(struct capture_file *file, int64_t now_monotonic_ns,
                      struct fault *fault);

/* Bytes in the file by now, without the open frame's tail. */
uint64_t capture_file_bytes(const struct capture_file *file);

/* Ends the frame, fsyncs and frees in any case. NULL is allowed. */
int capture_file_close(struct capture_file *file, struct fault *fault);

#endif
