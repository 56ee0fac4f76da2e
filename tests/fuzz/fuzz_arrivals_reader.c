/* The reader of arrival logs on any bytes. Byte 0 says what the rest is: a file, the
 * content of a frame behind a good header (so that the fuzzer need not guess checksums),
 * or an index. What is read must go round: encoded, decoded and encoded again it is the
 * same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/arrivals_decode.h"
#include "formats/arrivals_encode.h"
#include "formats/base/memory.h"
#include "formats/frame_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct arrivals_encoder encoder;
static struct arrivals_encoder second_encoder;

static void check_round_trip(const struct arrival_request *request)
{
    static struct arrivals_decoder decoder;
    struct arrivals_record again;
    struct fault fault = { 0 };
    struct byte_span payload;
    uint64_t type;
    size_t kept;
    struct byte_span first = arrivals_encode_request(&encoder, request, &kept);
    const uint8_t *at = first.at;
    if (arrivals_split_record(&at, first.at + first.len, &type, &payload, &fault) != 1
        || arrivals_decode_record(&decoder, type, payload, &again, &fault) != 1)
        abort();
    struct byte_span second =
        arrivals_encode_request(&second_encoder, &again.request, &kept);
    if (first.len != second.len || memcmp(first.at, second.at, first.len) != 0)
        abort();
}

static void read_file(const void *bytes, size_t len)
{
    char path[40];
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    struct fault fault = { 0 };
    int fd = memfd_create("log", 0);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (arrivals_reader_open(&reader, path, &fault) == STATUS_OK) {
        while (arrivals_reader_next(reader, &record, &fault) > 0)
            if (record.type == RECORD_REQUEST)
                check_round_trip(&record.request);
        arrivals_reader_close(reader);
    }
    close(fd);
}

static void read_content(const uint8_t *content, size_t len)
{
    static const char start[] = "toklog\r\n\1\0\0\0\1\2\x08";
    size_t stream_bytes = sizeof start + len;
    char *stream = memory_new(stream_bytes, 1);
    memcpy(stream, start, sizeof start);
    memcpy(stream + sizeof start, content, len);
    size_t bound = ZSTD_compressBound(stream_bytes);
    char *file = memory_new(bound, 1);
    size_t file_bytes = ZSTD_compress(file, bound, stream, stream_bytes, 1);
    read_file(file, file_bytes);
    free(file);
    free(stream);
}

static void read_index(const uint8_t *content, size_t len)
{
    struct frame_index index = { 0 };
    struct fault fault = { 0 };
    struct buffer bytes = BUFFER_INIT;
    if (frame_index_decode(&index, content, len, &fault) == STATUS_OK) {
        frame_index_encode(&index, &bytes);
        if (bytes.len != len + 8 || memcmp(bytes.data + 8, content, len) != 0)
            abort();
    }
    buffer_release(&bytes);
    frame_index_release(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!encoder.columns) {
        arrivals_encoder_init(&encoder);
        arrivals_encoder_init(&second_encoder);
    }
    if (size == 0)
        return 0;
    if (data[0] % 3 == 0)
        read_file(data + 1, size - 1);
    else if (data[0] % 3 == 1)
        read_content(data + 1, size - 1);
    else
        read_index(data + 1, size - 1);
    return 0;
}
