/* Reads a file of zstd frames one whole frame at a time, and knows where each lies.
 * Memory is bounded by the largest frame. */
#ifndef TOKTRACE_FRAME_READER_H
#define TOKTRACE_FRAME_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "formats/base/fault.h"

enum {
    /* decompressed bytes; a larger frame is refused */
    FRAME_CONTENT_MAX = 64 * 1024 * 1024,
    FRAME_WINDOW_LOG_MAX = 23,            /* 8 MiB */
};

struct frame {
    uint64_t offset; /* in the file */
    uint64_t compressed_bytes;
    /* decompressed, or of a skippable frame as it is; borrowed until the next call */
    const uint8_t *content;
    size_t content_bytes;
    uint32_t magic;
    bool skippable;
    /* the file ends inside it: content is what the intact blocks hold, not covered by a
     * checksum */
    bool cut;
};

struct frame_reader {
    int fd;
    char *name; /* owned; for messages */
    ZSTD_DCtx *context;
    uint8_t *in; /* owned; file bytes in[at..end) */
    size_t at;
    size_t end;
    uint64_t in_offset; /* in the file, of in[0] */
    uint64_t stop_offset; /* read nothing from here on; UINT64_MAX: to the end */
    bool at_eof;
    uint8_t *content; /* owned */
    size_t capacity;
};

/* `path` may be "-". On failure nothing needs a release. */
int frame_reader_open(struct frame_reader *reader, const char *path, struct fault *fault);

void frame_reader_release(struct frame_reader *reader);

/* 1: a frame, 0: the end; STATUS_BAD_INPUT with the offset where no frame starts or one
 * is damaged, STATUS_LIMIT for a frame beyond the limits above, STATUS_IO. */
int frame_reader_next(struct frame_reader *reader, struct frame *frame,
                      struct fault *fault);

/* Goes on at `offset`, where a frame starts, and stops before stop_offset. Seekable files
 * only. */
int frame_reader_seek(struct frame_reader *reader, uint64_t offset, uint64_t stop_offset,
                      struct fault *fault);

#endif
