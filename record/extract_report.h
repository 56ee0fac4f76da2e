/* What an extraction found, for people and as JSON ("tokrecord.extract/1"). */
#ifndef TOKTRACE_EXTRACT_REPORT_H
#define TOKTRACE_EXTRACT_REPORT_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/base/options.h"
#include "record/extractor.h"
#include "record/trace_writer.h"

struct extract_report {
    const struct extractor *extractor;
    const char *damage; /* of the last damaged file; NULL */
    uint64_t damaged_files;
    int64_t first_ns; /* packets, CLOCK_REALTIME; TIME_NONE without any */
    int64_t last_ns;
    int64_t dropped; /* by the capture, as its sidecar says; -1 unknown */
    const struct trace_counts *trace; /* NULL when no request trace was asked for */
};

/* Prints it on stdout as `common` wants it: as a document, as text, or not at all. */
int extract_report_print(const struct extract_report *report,
                         const struct common_options *common, struct fault *fault);

#endif
