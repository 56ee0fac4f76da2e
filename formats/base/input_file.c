#include "formats/base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "formats/base/buffer.h"
#include "formats/base/memory.h"

enum {
    RAW_SIZE = 64 * 1024, /* compressed bytes read at a time */
    STEP_SIZE = 64 * 1024 /* plain bytes made at a time */
};

enum encoding { ENCODING_UNKNOWN, ENCODING_PLAIN, ENCODING_GZIP, ENCODING_ZSTD };

struct input_file {
    char *name; /* owned */
    int fd;
    enum encoding encoding;
    z_stream gzip;
    bool gzip_started;
    ZSTD_DStream *zstd;
    /* Bytes as they are in the file: raw[raw_at..raw_len) are to be decoded. */
    unsigned char raw[RAW_SIZE];
    size_t raw_at;
    size_t raw_len;
    uint64_t raw_offset; /* in the file, of raw[0] */
    bool raw_end;
    bool inside; /* a gzip member or zstd frame has begun and not ended */
    /* Decoded bytes: plain.data[plain_at..plain.len) are not consumed yet. */
    struct buffer plain;
    size_t plain_at;
    bool plain_end;
    uint64_t line_number;
};

/* A directory can be opened, but not read. -1 with errno. */
static int open_readable(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISDIR(status.st_mode))
        return fd;
    close(fd);
    errno = EISDIR;
    return -1;
}

int input_file_open(struct input_file **file, const char *path, struct fault *fault)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open_readable(path);
    if (fd < 0) {
        /* Short of resources is the system's fault; anything else, that of the name that
         * was given. */
        bool ours = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;
        fault_set_errno(fault, "cannot open %s", path);
        return ours ? STATUS_IO : STATUS_BAD_INPUT;
    }
    const char *name = standard ? "standard input" : path;
    struct input_file *opened = memory_new(1, sizeof *opened);
    opened->name = memory_copy_text(name, strlen(name));
    opened->fd = fd;
    *file = opened;
    return STATUS_OK;
}

void input_file_close(struct input_file *file)
{
    if (file == NULL)
        return;
    if (file->gzip_started)
        inflateEnd(&file->gzip);
    ZSTD_freeDStream(file->zstd);
    if (file->fd != STDIN_FILENO)
        close(file->fd);
    buffer_release(&file->plain);
    free(file->name);
    free(file);
}

const char *input_file_name(const struct input_file *file)
{
    return file->name;
}

uint64_t input_file_line_number(const struct input_file *file)
{
    return file->line_number;
}

static int read_retrying(struct input_file *file, void *bytes, size_t size, size_t *got,
                         struct fault *fault)
{
    ssize_t result;
    do {
        result = read(file->fd, bytes, size);
    } while (result < 0 && errno == EINTR);
    if (result < 0)
        return fault_set_errno(fault, "cannot read %s", file->name);
    *got = (size_t)result;
    return STATUS_OK;
}

/* Reads once into raw, behind what waits there. */
static int refill_raw(struct input_file *file, struct fault *fault)
{
    if (file->raw_at > 0) {
        file->raw_len -= file->raw_at;
        memmove(file->raw, file->raw + file->raw_at, file->raw_len);
        file->raw_offset += file->raw_at;
        file->raw_at = 0;
    }
    size_t got = 0;
    int status = read_retrying(file, file->raw + file->raw_len, RAW_SIZE - file->raw_len,
                               &got, fault);
    if (status < 0)
        return status;
    file->raw_len += got;
    file->raw_end = got == 0;
    return STATUS_OK;
}

static enum encoding encoding_of(const unsigned char *bytes, size_t len)
{
    static const unsigned char gzip_magic[] = { 0x1f, 0x8b };
    static const unsigned char zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
    /* Skippable frames begin with one byte of 0x50 to 0x5f before these. */
    static const unsigned char skippable_magic[] = { 0x2a, 0x4d, 0x18 };
    if (len >= 2 && memcmp(bytes, gzip_magic, 2) == 0)
        return ENCODING_GZIP;
    if (len >= 4 && memcmp(bytes, zstd_magic, 4) == 0)
        return ENCODING_ZSTD;
    if (len >= 4 && (bytes[0] & 0xf0) == 0x50 &&
        memcmp(bytes + 1, skippable_magic, 3) == 0)
        return ENCODING_ZSTD;
    return ENCODING_PLAIN;
}

static int detect_encoding(struct input_file *file, struct fault *fault)
{
    enum { MAGIC_LEN = 4, GZIP_ONLY = 16 /* zlib: added to the window bits */ };
    while (file->raw_len < MAGIC_LEN && !file->raw_end) {
        int status = refill_raw(file, fault);
        if (status < 0)
            return status;
    }
    file->encoding = encoding_of(file->raw, file->raw_len);
    if (file->encoding == ENCODING_GZIP) {
        if (inflateInit2(&file->gzip, MAX_WBITS + GZIP_ONLY) != Z_OK)
            return fault_set(fault, STATUS_BUG, "%s: zlib cannot start", file->name);
        file->gzip_started = true;
    } else if (file->encoding == ENCODING_ZSTD) {
        file->zstd = ZSTD_createDStream();
        if (file->zstd == NULL)
            return fault_set(fault, STATUS_BUG, "%s: zstd cannot start", file->name);
    }
    return STATUS_OK;
}

static int damaged(const struct input_file *file, const char *format, const char *what,
                   struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT, "%s: offset %llu: damaged %s data: %s",
                     file->name, (unsigned long long)(file->raw_offset + file->raw_at),
                     format, what);
}

/* The decoders take some of raw and write up to `size` bytes; *made may be 0 while there
 * is progress. */
static int decode_gzip(struct input_file *file, void *bytes, size_t size, size_t *made,
                       struct fault *fault)
{
    z_stream *gzip = &file->gzip;
    if (!file->inside)
        inflateReset(gzip);
    file->inside = true;
    gzip->next_in = file->raw + file->raw_at;
    gzip->avail_in = (uInt)(file->raw_len - file->raw_at);
    gzip->next_out = bytes;
    gzip->avail_out = (uInt)size;
    int result = inflate(gzip, Z_NO_FLUSH);
    file->raw_at = file->raw_len - gzip->avail_in;
    *made = size - gzip->avail_out;
    if (result == Z_STREAM_END)
        file->inside = false;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return damaged(file, "gzip", gzip->msg != NULL ? gzip->msg : "unknown", fault);
    return STATUS_OK;
}

static int decode_zstd(struct input_file *file, void *bytes, size_t size, size_t *made,
                       struct fault *fault)
{
    ZSTD_inBuffer in = { .src = file->raw, .size = file->raw_len, .pos = file->raw_at };
    ZSTD_outBuffer out = { .dst = bytes, .size = size };
    size_t result = ZSTD_decompressStream(file->zstd, &out, &in);
    file->raw_at = in.pos;
    *made = out.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "%s: needs a zstd window of more than 128 MiB", file->name);
    if (ZSTD_isError(result))
        return damaged(file, "zstd", ZSTD_getErrorName(result), fault);
    file->inside = result > 0;
    return STATUS_OK;
}

static int decode_plain(struct input_file *file, void *bytes, size_t size, size_t *made)
{
    size_t waiting = file->raw_len - file->raw_at;
    *made = waiting < size ? waiting : size;
    memcpy(bytes, file->raw + file->raw_at, *made);
    file->raw_at += *made;
    return STATUS_OK;
}

static int decode(struct input_file *file, void *bytes, size_t size, size_t *made,
                  struct fault *fault)
{
    switch (file->encoding) {
    case ENCODING_GZIP:
        return decode_gzip(file, bytes, size, made, fault);
    case ENCODING_ZSTD:
        return decode_zstd(file, bytes, size, made, fault);
    default:
        return decode_plain(file, bytes, size, made);
    }
}

/* Writes 1 to size decoded bytes, or 0 at the end. */
static int produce(struct input_file *file, void *bytes, size_t size, size_t *made,
                   struct fault *fault)
{
    int status = STATUS_OK;
    if (file->encoding == ENCODING_UNKNOWN)
        status = detect_encoding(file, fault);
    *made = 0;
    while (status == STATUS_OK && *made == 0) {
        /* A decoder may hold output back, so inside a frame it is asked before the
         * file. */
        if (file->raw_at < file->raw_len || file->inside) {
            size_t before = file->raw_at;
            status = decode(file, bytes, size, made, fault);
            if (status < 0 || *made > 0 || file->raw_at > before)
                continue;
        }
        if (file->raw_end)
            break;
        status = refill_raw(file, fault);
    }
    if (status == STATUS_OK && *made == 0 && file->inside)
        return damaged(file, file->encoding == ENCODING_GZIP ? "gzip" : "zstd",
                       "the file is cut off", fault);
    return status;
}

/* Adds decoded bytes to plain, or sets plain_end. */
static int extend_plain(struct input_file *file, struct fault *fault)
{
    if (file->plain_at > 0) {
        buffer_consume(&file->plain, file->plain_at);
        file->plain_at = 0;
    }
    buffer_reserve(&file->plain, STEP_SIZE);
    size_t made = 0;
    int status = produce(file, file->plain.data + file->plain.len, STEP_SIZE, &made,
                         fault);
    if (status < 0)
        return status;
    file->plain.len += made;
    file->plain_end = made == 0;
    return STATUS_OK;
}

int input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                    struct fault *fault)
{
    size_t waiting = file->plain.len - file->plain_at;
    if (waiting > 0) {
        *got = waiting < size ? waiting : size;
        memcpy(bytes, file->plain.data + file->plain_at, *got);
        file->plain_at += *got;
        return STATUS_OK;
    }
    *got = 0;
    if (file->plain_end || size == 0)
        return STATUS_OK;
    int status = produce(file, bytes, size, got, fault);
    file->plain_end = status == STATUS_OK && *got == 0;
    return status;
}

int input_file_peek(struct input_file *file, const char **bytes, size_t *len,
                    struct fault *fault)
{
    while (file->plain.len - file->plain_at < INPUT_PEEK_MAX && !file->plain_end) {
        int status = extend_plain(file, fault);
        if (status < 0)
            return status;
    }
    size_t waiting = file->plain.len - file->plain_at;
    *bytes = waiting > 0 ? file->plain.data + file->plain_at : "";
    *len = waiting < INPUT_PEEK_MAX ? waiting : INPUT_PEEK_MAX;
    return STATUS_OK;
}

static int line_too_long(const struct input_file *file, size_t limit, struct fault *fault)
{
    return fault_set(fault, STATUS_LIMIT, "%s: line %llu: longer than %zu bytes",
                     file->name, (unsigned long long)file->line_number, limit);
}

int input_file_line(struct input_file *file, size_t limit, const char **line, size_t *len,
                    struct fault *fault)
{
    size_t searched = 0;
    char *newline = NULL;
    for (;;) {
        size_t waiting = file->plain.len - file->plain_at;
        if (waiting > searched)
            newline = memchr(file->plain.data + file->plain_at + searched, '\n',
                             waiting - searched);
        searched = waiting;
        /* One byte more than the limit is let through: it may be the CR before the LF. */
        if (newline != NULL || file->plain_end || searched > limit + 1)
            break;
        int status = extend_plain(file, fault);
        if (status < 0)
            return status;
    }
    if (searched == 0)
        return 0;
    file->line_number++;
    char *start = file->plain.data + file->plain_at;
    size_t found = newline != NULL ? (size_t)(newline - start) : searched;
    bool crlf = newline != NULL && found > 0 && start[found - 1] == '\r';
    size_t text_len = crlf ? found - 1 : found;
    if (text_len > limit)
        return line_too_long(file, limit, fault);
    *line = start;
    *len = text_len;
    file->plain_at += newline != NULL ? found + 1 : found;
    return 1;
}
