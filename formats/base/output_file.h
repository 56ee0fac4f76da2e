/* Files that are whole or not there: written as NAME.part, then fsync and rename. */
#ifndef TOKTRACE_OUTPUT_FILE_H
#define TOKTRACE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/fault.h"

struct output_file {
    FILE *stream;    /* write here; stdout for "-" */
    char *path;      /* owned; NULL for stdout */
    char *part_path; /* owned; NULL for a pipe or device, which is written in place */
    bool force;
};

enum output_flags {
    OUTPUT_FORCE = 1 << 0,  /* overwrite */
    OUTPUT_BINARY = 1 << 1, /* refuse to write to a terminal */
};

/* Opens `path`, or stdout for "-" or NULL. Refuses to overwrite without OUTPUT_FORCE. */
int output_file_open(struct output_file *file, const char *path, unsigned flags,
                     struct fault *fault);

/* Flush, fsync, rename; reports what the disk said. Releases in any case; on failure
 * removes the part. */
int output_file_commit(struct output_file *file, struct fault *fault);

/* Removes the part and releases. Does nothing when already committed or never opened. */
void output_file_abandon(struct output_file *file);

/* Commits when status is STATUS_OK, else abandons and returns status: the end of a
 * function that wrote the file. */
int output_file_finish(struct output_file *file, int status, struct fault *fault);

#endif
