#include "formats/frame_index.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "formats/base/bytes.h"
#include "formats/base/memory.h"

static const char FOOTER_MAGIC[] = "toklogIX";
enum { FOOTER_MAGIC_BYTES = sizeof FOOTER_MAGIC - 1 };

void frame_index_release(struct frame_index *index)
{
    free(index->entries);
    *index = (struct frame_index){ 0 };
}

void frame_index_append(struct frame_index *index, const struct frame_entry *entry)
{
    index->entries = memory_grow(index->entries, index->count, &index->capacity,
                                 sizeof *index->entries);
    index->entries[index->count++] = *entry;
}

static uint32_t checksum(const void *bytes, size_t len)
{
    return (uint32_t)crc32_z(0, bytes, len);
}

static void entry_encode(const struct frame_entry *entry, uint8_t *at)
{
    store_le64(at, entry->offset);
    store_le64(at + 8, entry->compressed_bytes);
    store_le64(at + 16, entry->content_bytes);
    store_le64(at + 24, entry->requests);
    store_le64(at + 32, entry->events);
}

static struct frame_entry entry_decode(const uint8_t *at)
{
    return (struct frame_entry){
        .offset = load_le64(at),
        .compressed_bytes = load_le64(at + 8),
        .content_bytes = load_le64(at + 16),
        .requests = load_le64(at + 24),
        .events = load_le64(at + 32),
    };
}

void frame_index_encode(const struct frame_index *index, struct buffer *bytes)
{
    assert(index->count <= FRAME_INDEX_MAX);
    size_t entries_bytes = index->count * FRAME_INDEX_ENTRY_BYTES;
    size_t content_bytes = entries_bytes + FRAME_INDEX_FOOTER_BYTES;
    buffer_reserve(bytes, SKIPPABLE_HEADER_BYTES + content_bytes);
    uint8_t *at = (uint8_t *)bytes->data + bytes->len;
    store_le32(at, FRAME_INDEX_SKIPPABLE);
    store_le32(at + 4, (uint32_t)content_bytes);
    uint8_t *entries = at + SKIPPABLE_HEADER_BYTES;
    for (size_t i = 0; i < index->count; i++)
        entry_encode(&index->entries[i], entries + i * FRAME_INDEX_ENTRY_BYTES);
    uint8_t *footer = entries + entries_bytes;
    store_le64(footer, index->count);
    store_le32(footer + 8, FRAME_INDEX_ENTRY_BYTES);
    store_le32(footer + 12, checksum(entries, entries_bytes));
    memcpy(footer + 16, FOOTER_MAGIC, FOOTER_MAGIC_BYTES);
    bytes->len += SKIPPABLE_HEADER_BYTES + content_bytes;
}

/* The number of entries that a footer claims. */
static int footer_decode(const uint8_t *footer, uint64_t *count, struct fault *fault)
{
    if (memcmp(footer + 16, FOOTER_MAGIC, FOOTER_MAGIC_BYTES) != 0)
        return fault_set(fault, STATUS_BAD_INPUT, "the index has no footer");
    *count = load_le64(footer);
    if (*count > FRAME_INDEX_MAX)
        return fault_set(fault, STATUS_LIMIT,
                         "an index of %llu frames, at most %d are allowed",
                         (unsigned long long)*count, FRAME_INDEX_MAX);
    if (load_le32(footer + 8) != FRAME_INDEX_ENTRY_BYTES)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "index entries of %u bytes, expected %d", load_le32(footer + 8),
                         FRAME_INDEX_ENTRY_BYTES);
    return STATUS_OK;
}

int frame_index_decode(struct frame_index *index, const uint8_t *content, size_t len,
                       struct fault *fault)
{
    if (len < FRAME_INDEX_FOOTER_BYTES)
        return fault_set(fault, STATUS_BAD_INPUT, "an index of %zu bytes is too short",
                         len);
    const uint8_t *footer = content + len - FRAME_INDEX_FOOTER_BYTES;
    uint64_t count;
    int status = footer_decode(footer, &count, fault);
    if (status)
        return status;
    size_t entries_bytes = (size_t)(footer - content);
    if (entries_bytes != count * FRAME_INDEX_ENTRY_BYTES)
        return fault_set(fault, STATUS_BAD_INPUT, "an index of %zu bytes for %llu frames",
                         len, (unsigned long long)count);
    if (load_le32(footer + 12) != checksum(content, entries_bytes))
        return fault_set(fault, STATUS_BAD_INPUT,
                         "the index does not match its checksum");
    for (size_t i = 0; i < count; i++) {
        struct frame_entry entry = entry_decode(content + i * FRAME_INDEX_ENTRY_BYTES);
        frame_index_append(index, &entry);
    }
    return STATUS_OK;
}

/* Exactly len bytes from offset. */
static int read_at(int fd, void *bytes, size_t len, uint64_t offset, struct fault *fault)
{
    for (size_t done = 0; done < len;) {
        ssize_t got = pread(fd, (char *)bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR)
            return fault_set_errno(fault, "read");
        if (got == 0)
            return fault_set(fault, STATUS_IO, "the file became shorter");
        if (got > 0)
            done += (size_t)got;
    }
    return STATUS_OK;
}

/* As frame_index_read, for an open file of file_bytes. */
static int read_from_end(struct frame_index *index, int fd, uint64_t file_bytes,
                         struct fault *fault)
{
    uint8_t footer[FRAME_INDEX_FOOTER_BYTES];
    if (file_bytes < SKIPPABLE_HEADER_BYTES + sizeof footer)
        return 0;
    int status = read_at(fd, footer, sizeof footer, file_bytes - sizeof footer, fault);
    if (status)
        return status;
    if (memcmp(footer + 16, FOOTER_MAGIC, FOOTER_MAGIC_BYTES) != 0)
        return 0;
    uint64_t count;
    status = footer_decode(footer, &count, fault);
    if (status)
        return status;
    size_t content_bytes = count * FRAME_INDEX_ENTRY_BYTES + sizeof footer;
    if (content_bytes + SKIPPABLE_HEADER_BYTES > file_bytes)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "the index claims %llu frames, more than fit",
                         (unsigned long long)count);
    uint8_t *content = memory_new(content_bytes, 1);
    status = read_at(fd, content, content_bytes, file_bytes - content_bytes, fault);
    if (!status)
        status = frame_index_decode(index, content, content_bytes, fault);
    free(content);
    return status ? status : 1;
}

int frame_index_read(struct frame_index *index, const char *path, struct fault *fault)
{
    struct stat info;
    int found = STATUS_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fault_set_errno(fault, "%s", path);
    if (fstat(fd, &info))
        found = fault_set_errno(fault, "stat");
    else if (S_ISREG(info.st_mode))
        found = read_from_end(index, fd, (uint64_t)info.st_size, fault);
    close(fd);
    if (found < 0)
        fault_prefix(fault, "%s", path);
    return found;
}
