#include "formats/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/memory.h"

static void release(struct output_file *file)
{
    free(file->path);
    free(file->part_path);
    *file = (struct output_file){ 0 };
}

static int open_stdout(struct output_file *file, unsigned flags, struct fault *fault)
{
    if ((flags & OUTPUT_BINARY) && isatty(STDOUT_FILENO))
        return fault_set(fault, STATUS_USAGE,
                         "will not write binary data to a terminal; name a file with -o");
    file->stream = stdout;
    return STATUS_OK;
}

static char *part_path_of(const char *path)
{
    size_t len = strlen(path);
    char *part = memory_new(len + sizeof ".part", 1);
    memcpy(part, path, len);
    memcpy(part + len, ".part", sizeof ".part");
    return part;
}

int output_file_open(struct output_file *file, const char *path, unsigned flags,
                     struct fault *fault)
{
    *file = (struct output_file){ 0 };
    if (path == NULL || strcmp(path, "-") == 0)
        return open_stdout(file, flags, fault);

    struct stat there;
    bool exists = stat(path, &there) == 0;
    /* A pipe or a device is written in place: it cannot be renamed over, and nothing is
     * lost. */
    bool in_place = exists && !S_ISREG(there.st_mode);
    file->force = (flags & OUTPUT_FORCE) != 0;
    if (exists && !in_place && !file->force)
        return fault_set(fault, STATUS_USAGE, "%s exists; --force overwrites it", path);

    file->path = memory_copy_text(path, strlen(path));
    file->part_path = in_place ? NULL : part_path_of(path);
    const char *target = in_place ? path : file->part_path;
    int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    file->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (file->stream == NULL) {
        fault_set_errno(fault, "cannot create %s", target);
        if (fd >= 0)
            close(fd);
        release(file);
        return STATUS_IO;
    }
    return STATUS_OK;
}

/* Moves the part to its place; without force a file that appeared meanwhile is not
 * overwritten. */
static int move_into_place(const struct output_file *file)
{
    if (!file->force) {
        if (renameat2(AT_FDCWD, file->part_path, AT_FDCWD, file->path,
                      RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return -1;
    }
    return rename(file->part_path, file->path);
}

/* The data is with the system, or on the disk for a file that will be renamed. */
static int flush(const struct output_file *file, const char *name, struct fault *fault)
{
    if (fflush(file->stream) != 0)
        return fault_set_errno(fault, "cannot write %s", name);
    if (ferror(file->stream))
        return fault_set(fault, STATUS_IO, "cannot write %s: an earlier write failed",
                         name);
    if (file->part_path != NULL && fsync(fileno(file->stream)) != 0)
        return fault_set_errno(fault, "cannot write %s", name);
    return STATUS_OK;
}

int output_file_commit(struct output_file *file, struct fault *fault)
{
    if (file->path == NULL) {
        int status = flush(file, "standard output", fault);
        release(file);
        return status;
    }
    int status = flush(file, file->path, fault);
    if (fclose(file->stream) != 0 && status == STATUS_OK)
        status = fault_set_errno(fault, "cannot write %s", file->path);
    if (status == STATUS_OK && file->part_path != NULL && move_into_place(file) != 0)
        status = fault_set_errno(fault, "cannot rename %s to %s", file->part_path,
                                 file->path);
    if (status != STATUS_OK && file->part_path != NULL)
        unlink(file->part_path);
    release(file);
    return status;
}

void output_file_abandon(struct output_file *file)
{
    if (file->path == NULL) {
        file->stream = NULL;
        return;
    }
    fclose(file->stream);
    if (file->part_path != NULL)
        unlink(file->part_path);
    release(file);
}

int output_file_finish(struct output_file *file, int status, struct fault *fault)
{
    if (status == STATUS_OK)
        return output_file_commit(file, fault);
    output_file_abandon(file);
    return status;
}
