#include "formats/arrivals_reader.h"

#include <stdlib.h>
#include <string.h>

#include "formats/arrivals_decode.h"
#include "formats/arrivals_tables.h"
#include "formats/base/bytes.h"
#include "formats/base/memory.h"
#include "formats/frame_index.h"
#include "formats/frame_reader.h"

struct arrivals_reader {
    struct frame_reader frames;
    struct frame frame; /* the current one */
    bool first_shown;   /* by arrivals_frames_next */
    const uint8_t *at;  /* in the content of the frame */
    struct arrivals_version version;
    struct arrivals_header header;
    struct arrivals_decoder decoder;
    struct arrivals_loss loss;
    bool range; /* only some frames are read: no end, no index, no totals */
    uint64_t requests;
    uint64_t events;
};

static const uint8_t *content_end(const struct arrivals_reader *reader)
{
    return reader->frame.content + reader->frame.content_bytes;
}

/* Says where in the file the text that is there happened. */
static void prefix_place(const struct arrivals_reader *reader, const uint8_t *at,
                         struct fault *fault)
{
    fault_prefix(fault, "%s: frame at offset %llu, byte %zu of its content",
                 reader->frames.name, (unsigned long long)reader->frame.offset,
                 (size_t)(at - reader->frame.content));
}

/* Judges a frame that is not of zstd: the index, or something to be passed over. */
static void see_skippable(struct arrivals_reader *reader)
{
    struct frame_index index = { 0 };
    struct fault ignored = { 0 };
    const struct frame *frame = &reader->frame;
    if (frame->cut || frame->magic != FRAME_INDEX_SKIPPABLE)
        return;
    reader->loss.index_missing = false;
    reader->loss.index_damaged =
        frame_index_decode(&index, frame->content, frame->content_bytes,
                           &ignored) != STATUS_OK;
    frame_index_release(&index);
}

/* The next frame of either kind, cut ones too. */
static int next_frame(struct arrivals_reader *reader, struct fault *fault)
{
    int found = frame_reader_next(&reader->frames, &reader->frame, fault);
    if (found <= 0)
        return found;
    const struct frame *frame = &reader->frame;
    reader->at = frame->skippable ? content_end(reader) : frame->content;
    if (frame->skippable)
        see_skippable(reader);
    /* A cut index loses nothing: that the index is missing says it all. */
    if (frame->cut && !(frame->skippable && !reader->loss.end_missing)) {
        reader->loss.truncated = true;
        reader->loss.offset = frame->offset;
        reader->loss.lost_bytes = frame->compressed_bytes;
    }
    return 1;
}

static int read_preamble(struct arrivals_reader *reader, struct fault *fault)
{
    const char *name = reader->frames.name;
    const struct frame *frame = &reader->frame;
    if (frame->content_bytes < ARRIVALS_PREAMBLE_BYTES && frame->cut)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s: cut at byte %llu, inside its header: nothing can be read",
                         name, (unsigned long long)frame->compressed_bytes);
    if (frame->content_bytes < ARRIVALS_PREAMBLE_BYTES
        || memcmp(frame->content, ARRIVALS_MAGIC, ARRIVALS_MAGIC_BYTES) != 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s: compressed, but no arrival log: its content does not start "
                         "with the format's magic bytes", name);
    const uint8_t *version = frame->content + ARRIVALS_MAGIC_BYTES;
    reader->version.major = load_le16(version);
    reader->version.minor = load_le16(version + 2);
    if (reader->version.major != ARRIVALS_MAJOR)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "%s: an arrival log of format version %u.%u; this program reads "
                         "version %d", name, reader->version.major, reader->version.minor,
                         ARRIVALS_MAJOR);
    reader->at = frame->content + ARRIVALS_PREAMBLE_BYTES;
    return STATUS_OK;
}

static int read_header(struct arrivals_reader *reader, struct fault *fault)
{
    const uint8_t *start = reader->at;
    uint64_t type = 0;
    struct byte_span payload;
    int found =
        arrivals_split_record(&reader->at, content_end(reader), &type, &payload, fault);
    if (found == 0 && reader->frame.cut)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s: cut at byte %llu, inside its header: nothing can be read",
                         reader->frames.name,
                         (unsigned long long)reader->frame.compressed_bytes);
    int status = found < 0 ? found : STATUS_OK;
    if (found == 0 || (found == 1 && type != STORED_HEADER))
        status = fault_set(fault, STATUS_BAD_INPUT, "no header record");
    if (!status)
        status = arrivals_decode_header(&reader->decoder, &reader->header, payload,
                                        fault);
    if (status)
        prefix_place(reader, start, fault);
    return status;
}

static int read_start(struct arrivals_reader *reader, struct fault *fault)
{
    const char *name = reader->frames.name;
    struct fault text = { 0 };
    int found = next_frame(reader, &text);
    if (found == 0)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: empty, expected an arrival log",
                         name);
    if (found == STATUS_BAD_INPUT)
        return fault_set(fault, found, "%s; expected an arrival log", text.text);
    if (found < 0)
        return fault_set(fault, found, "%s", text.text);
    int status = read_preamble(reader, fault);
    return status ? status : read_header(reader, fault);
}

int arrivals_reader_open(struct arrivals_reader **reader, const char *path,
                         struct fault *fault)
{
    struct frame_reader frames;
    int status = frame_reader_open(&frames, path, fault);
    if (status)
        return status;
    struct arrivals_reader *new_reader = memory_new(1, sizeof *new_reader);
    new_reader->frames = frames;
    new_reader->loss.end_missing = true;
    new_reader->loss.index_missing = true;
    status = read_start(new_reader, fault);
    if (status) {
        arrivals_reader_close(new_reader);
        return status;
    }
    *reader = new_reader;
    return STATUS_OK;
}

/* Where frames [first, first + count) lie. */
static int range_offsets(const char *path, uint64_t first, uint64_t count, uint64_t *from,
                         uint64_t *to, struct fault *fault)
{
    struct frame_index index = { 0 };
    int found = frame_index_read(&index, path, fault);
    if (found == 0)
        found = fault_set(fault, STATUS_BAD_INPUT, "%s: the log has no index", path);
    if (found == 1 && (count == 0 || first >= index.count || count > index.count - first))
        found = fault_set(fault, STATUS_BAD_INPUT,
                          "%s: %llu frames from frame %llu on, of %zu", path,
                          (unsigned long long)count, (unsigned long long)first,
                          index.count);
    if (found == 1) {
        const struct frame_entry *last = &index.entries[first + count - 1];
        *from = index.entries[first].offset;
        if (__builtin_add_overflow(last->offset, last->compressed_bytes, to)
            || *to < *from)
            found = fault_set(fault, STATUS_BAD_INPUT, "%s: the index is not in order",
                              path);
    }
    frame_index_release(&index);
    return found < 0 ? found : STATUS_OK;
}

int arrivals_reader_open_range(struct arrivals_reader **reader, const char *path,
                               uint64_t first, uint64_t count, struct fault *fault)
{
    struct arrivals_reader *new_reader = NULL;
    uint64_t from = 0, to = 0;
    int status = range_offsets(path, first, count, &from, &to, fault);
    if (!status)
        status = arrivals_reader_open(&new_reader, path, fault);
    if (status)
        return status;
    if (first == 0) /* is at hand already, read up to its header */
        from = new_reader->frame.offset + new_reader->frame.compressed_bytes;
    else
        new_reader->at = content_end(new_reader);
    status = frame_reader_seek(&new_reader->frames, from, to, fault);
    if (status) {
        arrivals_reader_close(new_reader);
        return status;
    }
    new_reader->range = true;
    *reader = new_reader;
    return STATUS_OK;
}

void arrivals_reader_close(struct arrivals_reader *reader)
{
    if (!reader)
        return;
    frame_reader_release(&reader->frames);
    arrivals_decoder_release(&reader->decoder);
    free(reader);
}

const struct arrivals_header *arrivals_reader_header(const struct arrivals_reader *reader)
{
    return &reader->header;
}

struct arrivals_version arrivals_reader_version(const struct arrivals_reader *reader)
{
    return reader->version;
}

/* The end record counts what the log must hold: a frame missing in the middle shows. */
static int check_end(const struct arrivals_reader *reader, const struct end_record *end,
                     struct fault *fault)
{
    if (reader->range
        || (end->requests == reader->requests && end->events == reader->events))
        return 1;
    return fault_set(fault, STATUS_BAD_INPUT,
                     "the end record counts %llu requests and %llu events, "
                     "read were %llu and %llu",
                     (unsigned long long)end->requests, (unsigned long long)end->events,
                     (unsigned long long)reader->requests,
                     (unsigned long long)reader->events);
}

/* Keeps the books on a record that was decoded. */
static int account(struct arrivals_reader *reader, const struct arrivals_record *record,
                   struct fault *fault)
{
    if (!reader->loss.end_missing)
        return fault_set(fault, STATUS_BAD_INPUT, "a record after the end record");
    if (reader->frame.cut)
        reader->loss.saved_records++;
    if (record->type == RECORD_REQUEST) {
        reader->requests++;
        reader->events += record->request.event_count;
    }
    if (record->type != RECORD_END)
        return 1;
    reader->loss.end_missing = false;
    return check_end(reader, &record->end, fault);
}

/* The next record of the current frame. 1: a record, 0: no more in this frame, <0:
 * damage. */
static int next_in_frame(struct arrivals_reader *reader, struct arrivals_record *record,
                         struct fault *fault)
{
    while (reader->at < content_end(reader)) {
        const uint8_t *start = reader->at;
        uint64_t type;
        struct byte_span payload;
        int found =
            arrivals_split_record(&reader->at, content_end(reader), &type, &payload,
                                  fault);
        if (found == 0 && reader->frame.cut)
            return 0;
        if (found == 0)
            found = fault_set(fault, STATUS_BAD_INPUT,
                              "a record is longer than its frame");
        if (found > 0) {
            found = arrivals_decode_record(&reader->decoder, type, payload, record,
                                           fault);
            reader->loss.unknown_records += found == 0;
        }
        if (found > 0)
            found = account(reader, record, fault);
        if (found < 0)
            prefix_place(reader, start, fault);
        if (found != 0)
            return found;
    }
    return 0;
}

int arrivals_reader_next(struct arrivals_reader *reader, struct arrivals_record *record,
                         struct fault *fault)
{
    for (;;) {
        int found = next_in_frame(reader, record, fault);
        if (found != 0 || reader->frame.cut)
            return found;
        found = next_frame(reader, fault);
        if (found <= 0)
            return found;
    }
}

struct arrivals_loss arrivals_reader_loss(const struct arrivals_reader *reader)
{
    struct arrivals_loss loss = reader->loss;
    loss.unknown_fields = reader->decoder.unknown_fields;
    if (reader->range) {
        loss.end_missing = false;
        loss.index_missing = false;
    }
    return loss;
}

int arrivals_frames_next(struct arrivals_reader *reader, struct arrivals_frame *frame,
                         struct fault *fault)
{
    if (reader->first_shown) {
        int found = reader->frame.cut ? 0 : next_frame(reader, fault);
        if (found <= 0)
            return found;
    }
    reader->first_shown = true;
    *frame = (struct arrivals_frame){
        .offset = reader->frame.offset,
        .compressed_bytes = reader->frame.compressed_bytes,
        .content_bytes = reader->frame.content_bytes,
        .skippable = reader->frame.skippable,
        .cut = reader->frame.cut,
    };
    return 1;
}
