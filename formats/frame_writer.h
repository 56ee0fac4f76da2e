/* Appends blocks of bytes to a new file, each as one independent zstd frame with a
 * checksum, and the index when it is done. After a failure the file ends with its last
 * whole frame. */
#ifndef TOKTRACE_FRAME_WRITER_H
#define TOKTRACE_FRAME_WRITER_H

#include <stdint.h>
#include <zstd.h>

#include "formats/base/fault.h"
#include "formats/frame_index.h"

struct frame_writer {
    int fd;
    char *path;         /* owned */
    ZSTD_CCtx *context; /* owned */
    uint8_t *out;       /* owned */
    size_t out_capacity;
    uint64_t file_bytes; /* whole frames only */
    struct frame_index index;
};

/* Creates `path`, which must not exist. Blocks of up to block_bytes are compressed
 * without taking memory. On failure nothing needs a release. */
int frame_writer_open(struct frame_writer *writer, const char *path, size_t block_bytes,
                      struct fault *fault);

/* Compresses and writes one frame; requests and events go to the index. On failure, the
 * disk's as a rule, the file is cut back to its last whole frame; append nothing after
 * that. A file that was removed meanwhile is a failure too. */
int frame_writer_append(struct frame_writer *writer, const void *content, size_t len,
                        uint64_t requests, uint64_t events, struct fault *fault);

/* Writes the index. */
int frame_writer_finish(struct frame_writer *writer, struct fault *fault);

/* fsync. */
int frame_writer_sync(struct frame_writer *writer, struct fault *fault);

/* Closes and releases. */
void frame_writer_release(struct frame_writer *writer);

#endif
