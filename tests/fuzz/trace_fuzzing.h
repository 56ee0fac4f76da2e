/* Any bytes as a request trace of a given format: what fuzz targets of the readers
 * share. */
#ifndef TOKTRACE_TRACE_FUZZING_H
#define TOKTRACE_TRACE_FUZZING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/block_ids.h"
#include "formats/requests_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check_that(bool condition)
{
    if (!condition)
        abort();
}

static inline void check_report(const struct request_trace *trace)
{
    uint64_t refused = 0;
    for (int i = 0; i < REFUSALS; i++)
        refused += trace->report.refused[i];
    check_that(trace->report.read == trace->report.accepted + refused);
    check_that(trace->report.accepted == trace->count);
}

static inline void check_row(const struct request_trace *trace,
                             const struct request_row *row)
{
    check_that(row->input_tokens >= 1 && row->input_tokens <= REQUEST_TOKENS_MAX);
    check_that(row->output_tokens >= 1 && row->output_tokens <= REQUEST_TOKENS_MAX);
    check_that(row->think_ns >= 0 || row->think_ns == THINK_NONE);
    check_that(row->session == SESSION_NONE || row->session < trace->sessions.count);
    check_that(row->text == TEXT_NONE || row->text < trace->text_count);
    check_that(row->row < trace->report.read);
    struct block_cursor cursor = block_cursor_at(&trace->block_bytes, row->first_block,
                                                 0);
    for (uint32_t i = 0; i < row->block_count; i++)
        block_cursor_next(&cursor);
}

static inline void check_trace(const struct request_trace *trace)
{
    check_report(trace);
    for (size_t i = 0; i < trace->count; i++) {
        check_row(trace, &trace->rows[i]);
        check_that(trace->rows[i].time_ns >= (i == 0 ? 0 : trace->rows[i - 1].time_ns));
    }
}

/* Reads it strictly and leniently: what strict reading accepts, lenient reading does
 * too, and finds no other rows; a refusal says why. */
static inline void fuzz_trace(const uint8_t *data, size_t size,
                              enum request_format format)
{
    char path[64];
    int fd = memfd_create("trace", 0);
    check_that(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct requests_read_options options = { .format = format, .keep_texts = true };
    struct request_trace strict = { 0 };
    struct request_trace lenient = { 0 };
    struct fault fault = { 0 };
    int rc = requests_read(&strict, path, &options, &fault);
    check_that((rc == STATUS_OK) == (fault.text[0] == '\0'));
    if (rc == STATUS_OK)
        check_trace(&strict);
    options.skip_bad_rows = true;
    options.zero_output_one = rc != STATUS_OK;
    int lenient_rc = requests_read(&lenient, path, &options, &fault);
    if (lenient_rc == STATUS_OK)
        check_trace(&lenient);
    check_that(rc != STATUS_OK || (lenient_rc == STATUS_OK
                                   && lenient.count == strict.count));
    request_trace_release(&strict);
    request_trace_release(&lenient);
    close(fd);
}

#endif
