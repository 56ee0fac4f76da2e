/* A run directory: the manifest run.json (run_manifest.h), one worker-NNN.toklog per
 * worker and, when packets were taken, wire.pcap.zst and wire.toklog. */
#ifndef TOKTRACE_RUN_DIRECTORY_H
#define TOKTRACE_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/run_manifest.h"

/* Whether run_directory_create would take this path. One that exists is refused
 * (STATUS_USAGE); with `force` an empty directory is taken. */
int run_directory_check(const char *path, bool force, struct fault *fault);

/* Makes the directory, as far as run_directory_check allows it. */
int run_directory_create(const char *path, bool force, struct fault *fault);

/* Removes a run directory that came to nothing: its manifest, its workers' logs, and
 * itself when it is empty then. */
void run_directory_remove(const char *path);

/* DIRECTORY/NAME. Caller frees. */
char *run_directory_file(const char *directory, const char *name);

/* DIRECTORY/worker-NNN.toklog. Caller frees. */
char *run_directory_worker_log(const char *directory, uint32_t worker);

/* The logs of a run directory. */
struct run_logs {
    struct run_texts workers; /* paths in the order of the workers' numbers */
    char *wire;               /* path of wire.toklog, owned; NULL when there is none */
};

/* Lists them; release in any case. A directory without any log is no failure; two logs of
 * one worker (worker-1 and worker-001) are STATUS_BAD_INPUT. */
int run_directory_logs(struct run_logs *logs, const char *directory, struct fault *fault);

void run_logs_release(struct run_logs *logs);

/* True when `path` is a directory that holds a run.json. */
bool run_directory_is(const char *path);

/* The last component of the path of a run or of one of its files, with the slashes that
 * follow it; points into path. */
const char *run_directory_name(const char *path);

#endif
