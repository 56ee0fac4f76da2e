/* A summary as people and as programs read it. */
#ifndef TOKTRACE_SUMMARY_OUTPUT_H
#define TOKTRACE_SUMMARY_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analyze/load.h"
#include "analyze/sheet.h"
#include "analyze/summary.h"

/* The document of schema tokanalyze.summary/1; new reference. */
json_t *summary_json(const struct summary *summary, const struct load *load,
                     const struct slo *slo);

/* The verdict within it; new reference. */
json_t *verdict_json(const struct verdict *verdict);

struct summary_text_options {
    bool color;
    bool by_worker; /* a table of the workers too */
};

void summary_print(FILE *out, const struct summary *summary, const struct load *load,
                   const struct slo *slo, const struct summary_text_options *options);

/* Sections of the above. */
void summary_show_run(struct sheet *sheet, const struct summary *summary,
                      const struct load *load, const struct slo *slo);
void summary_show_latencies(struct sheet *sheet, const struct summary *summary);
void summary_show_parts(struct sheet *sheet, const struct ntpot_parts *parts);
void summary_show_workers(struct sheet *sheet, const struct summary *summary);
void summary_show_checks(struct sheet *sheet, const struct verdict *verdict);

/* Where arrival is from: "packets" (of some requests at least), "kernel", "server" or
 * "import". */
const char *summary_arrival_name(const struct load *load);

/* The manifest, when the load is one run directory; else NULL. */
const struct run_manifest *summary_manifest(const struct load *load);

/* The id that all logs share; else "". */
const char *summary_run_id(const struct load *load);

/* "usage", "events", "mixed" or "nothing". */
const char *counted_name(enum counted counted);

#endif
