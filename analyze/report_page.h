/* What the pages of `tokanalyze report` share: their frame and style, and how what they
 * show can be made again. */
#ifndef TOKTRACE_REPORT_PAGE_H
#define TOKTRACE_REPORT_PAGE_H

#include "analyze/verdict.h"
#include "formats/base/buffer.h"
#include "formats/base/options.h"
#include "formats/base/fault.h"
#include "formats/run_manifest.h"

/* Begins a page about a "Run" or a "Latency profile" that lies at `path`. */
void report_page_begin(struct buffer *page, const char *kind, const char *path);

void report_page_end(struct buffer *page);

/* The verdict, as HTML; the tone is "good", "bad" or "". */
void report_page_verdict(struct buffer *page, const char *tone, const char *words);

/* An item of a list, text from outside. */
void report_page_item(struct buffer *page, const char *text);

/* A part of the page. */
void report_page_heading(struct buffer *page, const char *heading);

/* What a run was, and the commands that make it and this page again; NULL: not known. */
void report_page_origin(struct buffer *page, const struct run_manifest *manifest);

/* The whole page of the run, or of the profile, that lies at `path`. */
int report_run(struct buffer *page, char *path, const struct verdict_limits *limits,
               const struct common_options *common, struct fault *fault);
int report_profile(struct buffer *page, char *path, const struct verdict_limits *limits,
                   const struct common_options *common, struct fault *fault);

#endif
