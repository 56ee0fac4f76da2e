/* wire.json beside wire.pcap.zst: how a capture was made, and what it missed. Schema
 * "tokrecord.capture/1". */
#ifndef TOKTRACE_CAPTURE_SIDECAR_H
#define TOKTRACE_CAPTURE_SIDECAR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "record/capture_device.h"
#include "record/wire_clock.h"

struct capture_facts {
    const struct capture_settings *settings;
    const struct capture_device *device;
    const struct capture_statistics *statistics;
    const struct wire_clock *clock;
    json_t *offload; /* borrowed; see offload_state */
    json_t *files;   /* borrowed: array of names */
    uint64_t packets; /* written */
    bool finished;   /* false: the capture goes on, or died */
};

/* "wire.pcap.zst" to "wire.json": the capture's suffixes replaced. Caller frees. */
char *capture_sidecar_path(const char *capture_path);

/* New reference. */
json_t *capture_sidecar_document(const struct capture_facts *facts);

/* What the reader of a capture needs of it. */
struct capture_sidecar {
    struct wire_clock clock;
    char boot_id[BOOT_ID_MAX];
    int64_t dropped; /* by kernel and interface; -1 when the capture did not finish */
};

/* 1 when there is one beside the capture; 0 when not, or when the file of that name is
 * something else; STATUS_BAD_INPUT when it is damaged. */
int capture_sidecar_read(struct capture_sidecar *sidecar, const char *capture_path,
                         struct fault *fault);

void capture_sidecar_release(struct capture_sidecar *sidecar);

/* Segmentation and checksum offloads of an interface, as an object of booleans (null: not
 * known): with them on, captured packets are larger than those on the wire. New
 * reference. */
json_t *offload_state(const char *interface);

#endif
