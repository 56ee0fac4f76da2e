#include "formats/frame_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd_errors.h>

#include "formats/base/bytes.h"
#include "formats/base/memory.h"
#include "formats/frame_index.h"

enum {
    /* several frames, so that most are decompressed in one step */
    IN_BYTES = 1024 * 1024,
    CONTENT_BYTES = 1024 * 1024,
    MAGIC_BYTES = 4,
};
static const uint32_t SKIPPABLE_MAGIC = 0x184D2A50; /* of 16, by the low four bits */
static const uint32_t SKIPPABLE_MASK = 0xFFFFFFF0;

int frame_reader_open(struct frame_reader *reader, const char *path, struct fault *fault)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    *reader = (struct frame_reader){ .stop_offset = UINT64_MAX };
    reader->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (reader->fd < 0)
        return fault_set_errno(fault, "%s", name);
    reader->name = memory_copy_text(name, strlen(name));
    reader->in = memory_new(IN_BYTES, 1);
    reader->capacity = CONTENT_BYTES;
    reader->content = memory_new(reader->capacity, 1);
    reader->context = ZSTD_createDCtx();
    if (!reader->context) {
        frame_reader_release(reader);
        return fault_set(fault, STATUS_IO, "%s: no memory to decompress with", name);
    }
    ZSTD_DCtx_setParameter(reader->context, ZSTD_d_windowLogMax, FRAME_WINDOW_LOG_MAX);
    return STATUS_OK;
}

void frame_reader_release(struct frame_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    ZSTD_freeDCtx(reader->context);
    free(reader->name);
    free(reader->in);
    free(reader->content);
    *reader = (struct frame_reader){ .fd = -1 };
}

static uint64_t position(const struct frame_reader *reader)
{
    return reader->in_offset + reader->at;
}

/* Reads until the buffer holds `wanted` bytes, wanted <= IN_BYTES, or the file ends. */
static int fill(struct frame_reader *reader, size_t wanted, struct fault *fault)
{
    if (reader->end - reader->at >= wanted || reader->at_eof)
        return STATUS_OK;
    memmove(reader->in, reader->in + reader->at, reader->end - reader->at);
    reader->in_offset += reader->at;
    reader->end -= reader->at;
    reader->at = 0;
    while (reader->end < wanted && !reader->at_eof) {
        uint64_t offset = reader->in_offset + reader->end;
        uint64_t room = IN_BYTES - reader->end;
        if (room > reader->stop_offset - offset)
            room = reader->stop_offset - offset;
        ssize_t got = room ? read(reader->fd, reader->in + reader->end, room) : 0;
        if (got < 0 && errno != EINTR)
            return fault_set_errno(fault, "%s: read", reader->name);
        reader->at_eof = got == 0;
        if (got > 0)
            reader->end += (size_t)got;
    }
    return STATUS_OK;
}

/* Room for more content: as bytes arrive, never as a header claims. */
static int grow_content(struct frame_reader *reader, uint64_t frame_offset,
                        struct fault *fault)
{
    if (reader->capacity >= FRAME_CONTENT_MAX)
        return fault_set(fault, STATUS_LIMIT,
                         "%s: the frame at offset %llu holds more than %d bytes",
                         reader->name, (unsigned long long)frame_offset,
                         FRAME_CONTENT_MAX);
    reader->capacity *= 2;
    reader->content = memory_resize(reader->content, reader->capacity, 1);
    return STATUS_OK;
}

static int zstd_fault(const struct frame_reader *reader, const struct frame *frame,
                      size_t code, struct fault *fault)
{
    enum status status =
        ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge
                             ? STATUS_LIMIT
                             : STATUS_BAD_INPUT;
    return fault_set(fault, status, "%s: the frame at offset %llu is damaged: %s",
                     reader->name, (unsigned long long)frame->offset,
                     ZSTD_getErrorName(code));
}

/* Decompresses the frame that starts at reader->at. */
static int read_zstd_frame(struct frame_reader *reader, struct frame *frame,
                           struct fault *fault)
{
    size_t left = 1; /* 0: the frame is complete */
    while (left > 0) {
        int status = fill(reader, 1, fault);
        if (!status && frame->content_bytes == reader->capacity)
            status = grow_content(reader, frame->offset, fault);
        if (status)
            return status;
        ZSTD_inBuffer in = { reader->in, reader->end, reader->at };
        ZSTD_outBuffer out = { reader->content, reader->capacity, frame->content_bytes };
        left = ZSTD_decompressStream(reader->context, &out, &in);
        if (ZSTD_isError(left))
            return zstd_fault(reader, frame, left, fault);
        bool idle = in.pos == reader->at && out.pos == frame->content_bytes;
        reader->at = in.pos;
        frame->content_bytes = out.pos;
        if (idle && reader->at_eof) {
            frame->cut = true;
            break;
        }
    }
    return STATUS_OK;
}

/* Copies the content of the skippable frame that starts at reader->at. */
static int read_skippable_frame(struct frame_reader *reader, struct frame *frame,
                                struct fault *fault)
{
    size_t header = reader->end - reader->at;
    if (header > SKIPPABLE_HEADER_BYTES)
        header = SKIPPABLE_HEADER_BYTES;
    const uint8_t *start = reader->in + reader->at;
    reader->at += header;
    frame->cut = header < SKIPPABLE_HEADER_BYTES;
    if (frame->cut)
        return STATUS_OK;
    size_t content_bytes = load_le32(start + MAGIC_BYTES);
    while (frame->content_bytes < content_bytes && !frame->cut) {
        int status = fill(reader, 1, fault);
        if (!status && frame->content_bytes == reader->capacity)
            status = grow_content(reader, frame->offset, fault);
        if (status)
            return status;
        size_t len = content_bytes - frame->content_bytes;
        if (len > reader->end - reader->at)
            len = reader->end - reader->at;
        if (len > reader->capacity - frame->content_bytes)
            len = reader->capacity - frame->content_bytes;
        memcpy(reader->content + frame->content_bytes, reader->in + reader->at, len);
        reader->at += len;
        frame->content_bytes += len;
        frame->cut = len == 0;
    }
    return STATUS_OK;
}

/* The magic number at reader->at. A file that ends inside one must agree with it. */
static int read_magic(struct frame_reader *reader, struct frame *frame,
                      struct fault *fault)
{
    uint8_t magic[MAGIC_BYTES];
    store_le32(magic, ZSTD_MAGICNUMBER);
    const uint8_t *start = reader->in + reader->at;
    size_t len = reader->end - reader->at;
    size_t known = len < MAGIC_BYTES ? len : MAGIC_BYTES;
    bool zstd = memcmp(start, magic, known) == 0;
    store_le32(magic, SKIPPABLE_MAGIC | (start[0] & ~SKIPPABLE_MASK));
    frame->skippable = memcmp(start, magic, known) == 0;
    if (!zstd && !frame->skippable)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: no zstd frame at offset %llu",
                         reader->name, (unsigned long long)frame->offset);
    frame->cut = len < MAGIC_BYTES;
    if (frame->cut)
        reader->at = reader->end;
    else
        frame->magic = load_le32(start);
    return STATUS_OK;
}

int frame_reader_next(struct frame_reader *reader, struct frame *frame,
                      struct fault *fault)
{
    /* Half a buffer: a frame of ordinary size is then there as a whole. */
    int status = fill(reader, IN_BYTES / 2, fault);
    if (status)
        return status;
    if (reader->at == reader->end)
        return 0;
    *frame = (struct frame){ .offset = position(reader) };
    status = read_magic(reader, frame, fault);
    if (!status && !frame->cut)
        status = frame->skippable ? read_skippable_frame(reader, frame, fault)
                                  : read_zstd_frame(reader, frame, fault);
    if (status)
        return status;
    frame->compressed_bytes = position(reader) - frame->offset;
    frame->content = reader->content;
    return 1;
}

int frame_reader_seek(struct frame_reader *reader, uint64_t offset, uint64_t stop_offset,
                      struct fault *fault)
{
    if (offset > INT64_MAX || lseek(reader->fd, (off_t)offset, SEEK_SET) < 0)
        return fault_set_errno(fault, "%s: seek", reader->name);
    ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
    reader->at = 0;
    reader->end = 0;
    reader->in_offset = offset;
    reader->stop_offset = stop_offset;
    reader->at_eof = false;
    return STATUS_OK;
}
