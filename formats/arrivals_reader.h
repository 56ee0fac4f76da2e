/* Reads an arrival log record by record; memory does not grow with the log. What is
 * missing at its end is told, never guessed. */
#ifndef TOKTRACE_ARRIVALS_READER_H
#define TOKTRACE_ARRIVALS_READER_H

#include <stdbool.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

struct arrivals_reader; /* opaque */

/* Opens the log and reads its header. STATUS_BAD_INPUT with the offset for what is no
 * log; STATUS_UNSUPPORTED for a newer major version. `path` may be "-". */
int arrivals_reader_open(struct arrivals_reader **reader, const char *path,
                         struct fault *fault);

/* As above, for frames [first, first + count) of the log's index (frame_index.h) only: so
 * several readers share one log. arrivals_reader_loss then speaks of these frames.
 * STATUS_BAD_INPUT for a log without an index or with fewer frames. */
int arrivals_reader_open_range(struct arrivals_reader **reader, const char *path,
                               uint64_t first, uint64_t count, struct fault *fault);

void arrivals_reader_close(struct arrivals_reader *reader); /* NULL is allowed */

/* Borrowed from the reader. */
const struct arrivals_header *
arrivals_reader_header(const struct arrivals_reader *reader);

/* Of the format, as the log says. */
struct arrivals_version {
    unsigned major;
    unsigned minor;
};
struct arrivals_version arrivals_reader_version(const struct arrivals_reader *reader);

enum record_type { RECORD_REQUEST, RECORD_LOOP, RECORD_CLOCK, RECORD_END };

/* Borrowed until the next call. */
struct arrivals_record {
    enum record_type type;
    union {
        struct arrival_request request;
        struct loop_record loop;
        struct clock_record clock;
        struct end_record end;
    };
};

/* 1: a record, 0: the end of the file, <0: damage that cannot be read past (a broken
 * checksum, a broken record in an intact frame, an end record that counts more than was
 * read). A file cut inside a frame is no damage: what its intact blocks hold is returned,
 * then 0, and arrivals_reader_loss says the rest. Records of unknown type are skipped. */
int arrivals_reader_next(struct arrivals_reader *reader, struct arrivals_record *record,
                         struct fault *fault);

/* What is known to be missing, valid after arrivals_reader_next returned 0. */
struct arrivals_loss {
    bool truncated;      /* the file ends inside a frame */
    uint64_t offset;     /* of the frame that is cut */
    uint64_t lost_bytes; /* from there to the end of the file */
    /* that the cut frame still gave; no checksum vouches for them */
    uint64_t saved_records;
    bool end_missing;    /* no end record: the writer did not finish */
    bool index_missing;  /* finished, but the index is gone, or cut: nothing lost */
    bool index_damaged;  /* likewise, but it is there and wrong */
    uint64_t unknown_records; /* of types, */
    uint64_t unknown_fields;  /* and with fields, that a later minor version brought */
};

struct arrivals_loss arrivals_reader_loss(const struct arrivals_reader *reader);

/* For `tokanalyze dump`: the frames as they lie in the file, from the first on. 1: a
 * frame, 0: the end (arrivals_reader_loss says whether the file is cut), <0: damage. Use
 * a reader of its own: frames that went by here give no records. */
struct arrivals_frame {
    uint64_t offset;
    uint64_t compressed_bytes;
    uint64_t content_bytes;
    bool skippable; /* the index */
    bool cut;       /* the file ends inside it */
};
int arrivals_frames_next(struct arrivals_reader *reader, struct arrivals_frame *frame,
                         struct fault *fault);

#endif
