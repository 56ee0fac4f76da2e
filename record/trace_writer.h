/* Exchanges to a request trace of our own format (formats/requests.md), one row each as
 * they end. */
#ifndef TOKTRACE_TRACE_WRITER_H
#define TOKTRACE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/base/output_file.h"
#include "record/exchange.h"
#include "record/prompt_digest.h"

struct trace_counts {
    uint64_t rows;
    uint64_t estimated; /* of them with input tokens estimated from bytes */
    /* exchanges that ask for no tokens, or whose request is not known */
    uint64_t left_out;
};

struct trace_writer {
    struct output_file file;
    struct prompt_settings settings;
    struct prompt_digest digest;
    struct buffer line;
    struct trace_counts counts;
};

/* `salt` (NULL: a random one) makes the hashes: only traces of one salt can be
 * compared. */
int trace_writer_open(struct trace_writer *writer, const char *path, bool force,
                      const struct prompt_settings *settings, const char *salt,
                      struct fault *fault);

/* A row for an exchange whose copy holds the request. */
void trace_writer_add(struct trace_writer *writer, const struct exchange *exchange);

int trace_writer_commit(struct trace_writer *writer, struct fault *fault);

/* Removes what was written; nothing after a commit. */
void trace_writer_release(struct trace_writer *writer);

#endif
