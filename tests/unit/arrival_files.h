/* Arrival logs as files of bytes: made from a record stream, read whole, or cut. */
#ifndef TOKTRACE_TEST_ARRIVAL_FILES_H
#define TOKTRACE_TEST_ARRIVAL_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/arrivals_reader.h"
#include "formats/arrivals_writer.h"
#include "tests/unit/scratch.h"

/* The smallest record stream: magic, version 1.0, a header record (source client). */
#define SMALLEST_STREAM "toklog\r\n\1\0\0\0\1\2\x08\0"
enum { SMALLEST_STREAM_BYTES = 16 };

/* A file's bytes; free them. */
static inline uint8_t *file_bytes(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*len + 1);
    assert_int_equal(fread(bytes, 1, *len, file), *len);
    fclose(file);
    return bytes;
}

/* One zstd frame with a checksum around the bytes, appended to the file. */
static inline void append_frame(const char *path, const void *bytes, size_t len)
{
    size_t bound = ZSTD_compressBound(len);
    void *out = malloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(context, out, bound, bytes, len);
    assert_false(ZSTD_isError(size));
    FILE *file = fopen(path, "ab");
    assert_int_equal(fwrite(out, 1, size, file), size);
    fclose(file);
    ZSTD_freeCCtx(context);
    free(out);
}

/* What came of reading a log to its end. */
struct reading {
    int status; /* of the call that ended it */
    uint64_t requests;
    uint64_t events;
    struct arrivals_loss loss;
    struct fault fault;
};

static inline struct reading read_all(const char *path)
{
    struct reading result = { 0 };
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    result.status = arrivals_reader_open(&reader, path, &result.fault);
    if (result.status)
        return result;
    while ((result.status = arrivals_reader_next(reader, &record, &result.fault)) > 0)
        if (record.type == RECORD_REQUEST) {
            result.requests++;
            result.events += record.request.event_count;
        }
    result.loss = arrivals_reader_loss(reader);
    arrivals_reader_close(reader);
    return result;
}

#endif
