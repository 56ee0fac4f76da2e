/* Results of LMBenchmark's multi-round question answering, one CSV file per load: a row
 * per answer with prompt_tokens, generation_tokens, ttft, generation_time, launch_time
 * and finish_time (Unix seconds; durations in seconds). The load is in the file's name,
 * as in long_input_output_2.25.csv. Its users wait for their answers, so it launches less
 * than planned where the server is slow. */
#ifndef TOKTRACE_LMBENCH_H
#define TOKTRACE_LMBENCH_H

#include "analyze/collection.h"
#include "formats/base/fault.h"

/* The most rows taken from one file. */
enum { LMBENCH_ROWS_MAX = 10 * 1000 * 1000 };

/* The load in requests per second that the name ends in, before ".csv". STATUS_USAGE. */
int lmbench_rate(const char *path, double *planned_per_s, struct fault *fault);

/* Appends a sample per row, all succeeded, with times counted from the first launch and
 * without due times. A file without rows is no failure. STATUS_BAD_INPUT names line and
 * column. */
int lmbench_read(struct collection *collection, const char *path, struct fault *fault);

#endif
