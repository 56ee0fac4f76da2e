/* The table of a log's frames, kept in a skippable zstd frame at the end of the file. Any
 * zstd tool passes over it; a reader that knows it can jump to any frame. The bytes:
 * arrivals.md, "Index". */
#ifndef TOKTRACE_FRAME_INDEX_H
#define TOKTRACE_FRAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"

enum {
    SKIPPABLE_HEADER_BYTES = 8,
    FRAME_INDEX_FOOTER_BYTES = 24,
    FRAME_INDEX_ENTRY_BYTES = 40,
    FRAME_INDEX_MAX = 16 * 1024 * 1024, /* entries; more are refused */
};
#define FRAME_INDEX_SKIPPABLE UINT32_C(0x184D2A5A)

struct frame_entry {
    uint64_t offset; /* in the file */
    uint64_t compressed_bytes;
    uint64_t content_bytes;
    uint64_t requests; /* records of that type */
    uint64_t events;
};

struct frame_index {
    struct frame_entry *entries; /* owned */
    size_t count;
    size_t capacity;
};

void frame_index_release(struct frame_index *index);

void frame_index_append(struct frame_index *index, const struct frame_entry *entry);

/* Appends the whole skippable frame to bytes. */
void frame_index_encode(const struct frame_index *index, struct buffer *bytes);

/* Reads the content of the skippable frame. STATUS_BAD_INPUT when it is no index or
 * damaged, STATUS_LIMIT when it is too large. */
int frame_index_decode(struct frame_index *index, const uint8_t *content, size_t len,
                       struct fault *fault);

/* Finds and reads the index from the end of the file at `path`. 1: found; 0: the file has
 * none; <0: it could not be read, or is damaged. */
int frame_index_read(struct frame_index *index, const char *path, struct fault *fault);

#endif
