/* Any bytes as a file, plain or compressed: reading in pieces and reading lines must find
 * the same content, and neither more after an end nor after a failure. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/buffer.h"
#include "formats/base/input_file.h"

/* A bomb of a few bytes may unpack to gigabytes; the target reads no further than
 * this. */
enum { CONTENT_MAX = 1 << 20, PATH_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_in_pieces(const char *path, size_t piece, struct buffer *content)
{
    struct fault fault = { 0 };
    struct input_file *file = NULL;
    size_t got = 0;
    int status = input_file_open(&file, path, &fault);
    while (status == STATUS_OK && content->len < CONTENT_MAX) {
        buffer_reserve(content, piece);
        status = input_file_read(file, content->data + content->len, piece, &got, &fault);
        if (status < 0 || got == 0)
            break;
        content->len += got;
    }
    input_file_close(file);
    return status;
}

/* The same lines as `content` has, until it ends or the file is damaged. */
static void compare_lines(const char *path, const struct buffer *content)
{
    struct fault fault = { 0 };
    struct input_file *file = NULL;
    const char *line = NULL;
    size_t len = 0;
    size_t at = 0;
    if (input_file_open(&file, path, &fault) < 0)
        abort();
    while (input_file_line(file, CONTENT_MAX, &line, &len, &fault) > 0) {
        if (at + len > content->len)
            break;
        if (memcmp(line, content->data + at, len) != 0)
            abort();
        at += len;
        if (at < content->len && content->data[at] == '\r')
            at++;
        if (at < content->len && content->data[at] != '\n')
            abort();
        at++;
    }
    input_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct buffer whole = { 0 };
    struct buffer pieces = { 0 };
    int status = read_in_pieces(path, CONTENT_MAX, &whole);
    bool same = read_in_pieces(path, 7, &pieces) == status;
    size_t common = whole.len < pieces.len ? whole.len : pieces.len;
    if (!same || (common > 0 && memcmp(whole.data, pieces.data, common) != 0))
        abort();
    if (status == STATUS_OK && whole.len < CONTENT_MAX)
        compare_lines(path, &whole);
    buffer_release(&whole);
    buffer_release(&pieces);
    close(fd);
    return 0;
}
