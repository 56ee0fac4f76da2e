#include "formats/run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/buffer.h"
#include "formats/base/memory.h"

static const char WIRE_LOG_NAME[] = "wire.toklog";

char *run_directory_file(const char *directory, const char *name)
{
    size_t len = strlen(directory);
    while (len > 1 && directory[len - 1] == '/')
        len--;
    struct buffer path = BUFFER_INIT;
    buffer_append(&path, directory, len);
    if (len > 0 && directory[len - 1] != '/')
        buffer_append_byte(&path, '/');
    buffer_append_text(&path, name);
    char *text = memory_copy_text(path.data, path.len);
    buffer_release(&path);
    return text;
}

char *run_directory_worker_log(const char *directory, uint32_t worker)
{
    char name[sizeof "worker-4294967295.toklog"];
    snprintf(name, sizeof name, "worker-%03u.toklog", worker);
    return run_directory_file(directory, name);
}

static bool is_dot_name(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* STATUS_OK for a directory with nothing in it. */
static int check_empty(const char *path, struct fault *fault)
{
    DIR *directory = opendir(path);
    if (!directory)
        return fault_set_errno(fault, "%s", path);
    int status = STATUS_OK;
    const struct dirent *entry;
    while (!status && (entry = readdir(directory)))
        if (!is_dot_name(entry->d_name))
            status = fault_set(fault, STATUS_USAGE,
                               "%s: exists and is not empty; name a new directory", path);
    closedir(directory);
    return status;
}

int run_directory_check(const char *path, bool force, struct fault *fault)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return STATUS_OK;
    if (force && S_ISDIR(status.st_mode))
        return check_empty(path, fault);
    return fault_set(fault, STATUS_USAGE,
                     "%s: exists; name a new directory (--force takes an empty one)",
                     path);
}

int run_directory_create(const char *path, bool force, struct fault *fault)
{
    int status = run_directory_check(path, force, fault);
    if (status != STATUS_OK || mkdir(path, 0777) == 0 || (force && errno == EEXIST))
        return status;
    return fault_set_errno(fault, "cannot make the directory %s", path);
}

/* Whether name is worker-NUMBER.toklog. */
static bool parse_worker_name(const char *name, uint32_t *worker)
{
    static const char prefix[] = "worker-";
    enum { PREFIX_LEN = sizeof prefix - 1, DIGITS_MAX = 9 };
    if (strncmp(name, prefix, PREFIX_LEN) != 0)
        return false;
    const char *digits = name + PREFIX_LEN;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > DIGITS_MAX || strcmp(digits + count, ".toklog") != 0)
        return false;
    *worker = (uint32_t)strtoul(digits, NULL, 10);
    return true;
}

struct worker_log {
    uint32_t worker;
    char *path; /* owned */
};

struct worker_logs {
    struct worker_log *items;
    size_t count;
    size_t capacity;
};

static int compare_worker_logs(const void *left, const void *right)
{
    const struct worker_log *a = left;
    const struct worker_log *b = right;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

static void see_entry(struct run_logs *logs, struct worker_logs *found,
                      const char *directory, const char *name)
{
    uint32_t worker;
    if (parse_worker_name(name, &worker)) {
        found->items = memory_grow(found->items, found->count, &found->capacity,
                                   sizeof *found->items);
        found->items[found->count++] = (struct worker_log){
            .worker = worker,
            .path = run_directory_file(directory, name),
        };
    } else if (strcmp(name, WIRE_LOG_NAME) == 0) {
        logs->wire = run_directory_file(directory, name);
    }
}

/* Puts the logs found in order, and frees them. */
static int take_sorted(struct run_logs *logs, struct worker_logs *found,
                       struct fault *fault)
{
    int status = STATUS_OK;
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, compare_worker_logs);
    for (size_t i = 0; i < found->count; i++) {
        if (i > 0 && found->items[i].worker == found->items[i - 1].worker)
            status = fault_set(fault, STATUS_BAD_INPUT, "%s: a second log of worker %u",
                               found->items[i].path, found->items[i].worker);
        run_texts_append(&logs->workers, found->items[i].path);
    }
    for (size_t i = 0; i < found->count; i++)
        free(found->items[i].path);
    free(found->items);
    return status;
}

int run_directory_logs(struct run_logs *logs, const char *directory, struct fault *fault)
{
    struct worker_logs found = { 0 };
    *logs = (struct run_logs){ 0 };
    DIR *handle = opendir(directory);
    if (!handle)
        return fault_set_errno(fault, "%s", directory);
    const struct dirent *entry;
    while ((entry = readdir(handle)))
        see_entry(logs, &found, directory, entry->d_name);
    closedir(handle);
    return take_sorted(logs, &found, fault);
}

void run_logs_release(struct run_logs *logs)
{
    run_texts_release(&logs->workers);
    free(logs->wire);
    *logs = (struct run_logs){ 0 };
}

bool run_directory_is(const char *path)
{
    struct stat info;
    if (stat(path, &info) || !S_ISDIR(info.st_mode))
        return false;
    char *manifest = run_directory_file(path, RUN_MANIFEST_NAME);
    bool there = access(manifest, F_OK) == 0;
    free(manifest);
    return there;
}

void run_directory_remove(const char *path)
{
    struct run_logs logs = { 0 };
    struct fault ignored = { "" };
    if (run_directory_logs(&logs, path, &ignored) == STATUS_OK)
        for (size_t at = 0; at < logs.workers.count; at++)
            unlink(logs.workers.items[at]);
    run_logs_release(&logs);
    char *manifest = run_directory_file(path, RUN_MANIFEST_NAME);
    unlink(manifest);
    free(manifest);
    rmdir(path);
}

const char *run_directory_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' && at[1] != '\0' && at[1] != '/')
            name = at + 1;
    return name;
}
