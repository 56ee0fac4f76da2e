#include "record/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum {
    STREAM_BUFFER = 256 * 1024,
    OUT_BYTES = 256 * 1024,
    LEVEL = 1, /* about 600 MB/s: keeps up with the ring */
};

struct capture_file {
    char *path; /* owned */
    int fd;
    FILE *stream;          /* libpcap writes here, it goes to the compressor */
    pcap_dumper_t *dumper; /* over `stream` */
    ZSTD_CCtx *zstd;
    uint64_t file_bytes;
    int64_t frame_start_ns;
    bool frame_open;
    int error; /* errno of the first failure; nothing is written after it */
    char out[OUT_BYTES];
};

static void write_out(struct capture_file *file, const char *bytes, size_t len)
{
    while (len > 0 && !file->error) {
        ssize_t written = write(file->fd, bytes, len);
        if (written < 0 && errno != EINTR)
            file->error = errno;
        if (written <= 0)
            continue;
        bytes += written;
        len -= (size_t)written;
        file->file_bytes += (uint64_t)written;
    }
}

static void compress(struct capture_file *file, const char *bytes, size_t len,
                     ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = { bytes, len, 0 };
    for (;;) {
        ZSTD_outBuffer out = { file->out, OUT_BYTES, 0 };
        size_t left = ZSTD_compressStream2(file->zstd, &out, &in, directive);
        if (ZSTD_isError(left))
            file->error = EIO;
        if (file->error)
            return;
        write_out(file, file->out, out.pos);
        if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return;
    }
}

static ssize_t write_cookie(void *cookie, const char *bytes, size_t len)
{
    struct capture_file *file = cookie;
    compress(file, bytes, len, ZSTD_e_continue);
    file->frame_open = true;
    if (file->error) {
        errno = file->error;
        return 0;
    }
    return (ssize_t)len;
}

static void end_frame(struct capture_file *file)
{
    fflush(file->stream);
    if (file->frame_open && !file->error)
        compress(file, NULL, 0, ZSTD_e_end);
    file->frame_open = false;
}

/* For its owner only: packets hold prompts, answers and keys. */
static int open_descriptor(const char *path, bool force, struct fault *fault)
{
    if (strcmp(path, "-") != 0) {
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL),
                      0600);
        if (fd < 0 && errno == EEXIST)
            return fault_set(fault, STATUS_USAGE, "%s exists; --force overwrites it",
                             path);
        return fd < 0 ? fault_set_errno(fault, "cannot create %s", path) : fd;
    }
    if (isatty(STDOUT_FILENO))
        return fault_set(
            fault, STATUS_USAGE,
            "refusing to write binary data to a terminal; name a file with -o");
    int fd = dup(STDOUT_FILENO);
    return fd < 0 ? fault_set_errno(fault, "cannot write to standard output") : fd;
}

static void free_file(struct capture_file *file)
{
    ZSTD_freeCCtx(file->zstd);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file);
}

int capture_file_open(struct capture_file **file, const char *path, pcap_t *pcap,
                      bool force, struct fault *fault)
{
    int fd = open_descriptor(path, force, fault);
    if (fd < 0)
        return fd;
    struct capture_file *opened = memory_new(1, sizeof(*opened));
    opened->path = memory_copy_text(path, strlen(path));
    opened->fd = fd;
    opened->zstd = ZSTD_createCCtx();
    cookie_io_functions_t functions = { .write = write_cookie };
    opened->stream = opened->zstd ? fopencookie(opened, "w", functions) : NULL;
    if (!opened->stream) {
        free_file(opened);
        return fault_set(fault, STATUS_IO, "%s: not enough memory to compress", path);
    }
    setvbuf(opened->stream, NULL, _IOFBF, STREAM_BUFFER);
    ZSTD_CCtx_setParameter(opened->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(opened->zstd, ZSTD_c_checksumFlag, 1);
    opened->dumper = pcap_dump_fopen(pcap, opened->stream);
    if (!opened->dumper) {
        fclose(opened->stream);
        free_file(opened);
        return fault_set(fault, STATUS_UNSUPPORTED, "%s: %s", path, pcap_geterr(pcap));
    }
    end_frame(opened); /* whoever follows the file sees its header now */
    opened->frame_start_ns = clock_monotonic_ns();
    *file = opened;
    return STATUS_OK;
}

void capture_file_write(struct capture_file *file, const struct pcap_pkthdr *header,
                        const u_char *bytes)
{
    if (!file->error)
        pcap_dump((u_char *)file->dumper, header, bytes);
}

static int check(const struct capture_file *file, struct fault *fault)
{
    if (!file->error)
        return STATUS_OK;
    errno = file->error;
    return fault_set_errno(fault, "cannot write %s", file->path);
}

int capture_file_tick(struct capture_file *file, int64_t now_monotonic_ns,
                      struct fault *fault)
{
    if (now_monotonic_ns - file->frame_start_ns >= NS_PER_S) {
        end_frame(file);
        file->frame_start_ns = now_monotonic_ns;
    }
    return check(file, fault);
}

uint64_t capture_file_bytes(const struct capture_file *file)
{
    return file->file_bytes;
}

int capture_file_close(struct capture_file *file, struct fault *fault)
{
    if (!file)
        return STATUS_OK;
    end_frame(file);
    pcap_dump_close(file->dumper);
    if (!file->error && fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        file->error = errno;
    int status = check(file, fault);
    free_file(file);
    return status;
}
