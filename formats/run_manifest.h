/* The manifest of a run, run.json (schema "toktrace.run/1"): what was asked for, what was
 * planned, how the workers ended. */
#ifndef TOKTRACE_RUN_MANIFEST_H
#define TOKTRACE_RUN_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/arrivals.h"
#include "formats/base/fault.h"

#define RUN_MANIFEST_SCHEMA "toktrace.run/1"
#define RUN_MANIFEST_NAME "run.json"

/* A list of strings, owned. */
struct run_texts {
    char **items;
    size_t count;
    size_t capacity;
};

/* Appends a copy. */
void run_texts_append(struct run_texts *texts, const char *text);

void run_texts_release(struct run_texts *texts);

/* One worker process, as its parent saw it end. */
struct run_worker {
    int64_t pid;               /* 0: never started */
    int exit_code;             /* -1 while it runs, or when a signal ended it */
    int signal;                /* 0: none */
    uint64_t planned_requests; /* its share of the plan */
    uint64_t requests;         /* records it wrote, as far as its parent knows */
    char *error;               /* owned; NULL when it had nothing to say */
};

/* What was planned, over all workers. */
struct run_plan_facts {
    char *hash; /* owned */
    uint64_t requests;
    int64_t first_due_ns; /* TIME_NONE when nothing is planned */
    int64_t last_due_ns;
    uint64_t input_tokens;
    uint64_t output_tokens;
};

/* The content of run.json. Every char * is owned and may be NULL (null in the file); set
 * one with run_manifest_set. Times of day are CLOCK_REALTIME ns. */
struct run_manifest {
    char *id;
    int64_t started_realtime_ns; /* TIME_NONE: unknown */
    int64_t ended_realtime_ns;   /* TIME_NONE while the run goes on, or when it died */
    int64_t t0_monotonic_ns;     /* zero of the run clock */
    int64_t t0_realtime_ns;
    char *boot_id;
    struct run_texts producers; /* "tokreplay 0.1.0", "libcurl 7.88.1", ... */
    struct run_texts command;   /* argv; the caller has taken secrets out */
    char *url;
    char *api;
    char *model;
    uint64_t seed;
    struct run_plan_facts plan;
    bool open_loop;
    /* closed loop: requests in flight at most; 0 in an open loop */
    uint64_t concurrency;
    uint64_t warm_connections; /* made before T0 */
    char *emulated_client;     /* NULL: none */
    struct run_texts notes;    /* lines that a report should carry */
    bool interrupted;
    struct run_worker *workers; /* owned; index: number of the worker */
    size_t worker_count;
    uint64_t outcomes[OUTCOMES]; /* requests by outcome, over all workers */
};

/* Nothing known: times TIME_NONE, open loop. */
void run_manifest_init(struct run_manifest *manifest);

void run_manifest_release(struct run_manifest *manifest);

/* Replaces one of the manifest's strings by a copy of text; NULL clears it. */
void run_manifest_set(char **field, const char *text);

/* Takes room for `count` workers that have not started; once per manifest. */
void run_manifest_set_workers(struct run_manifest *manifest, size_t count);

/* Writes DIRECTORY/run.json, whole or not at all, over an older one. Counts above
 * INT64_MAX are written as strings of digits. Call it when the run starts and again when
 * it ends, so that a run that died still says what it was. */
int run_manifest_write(const struct run_manifest *manifest, const char *directory,
                       struct fault *fault);

/* Fills a manifest from DIRECTORY/run.json; release it in any case. STATUS_BAD_INPUT
 * names the key that is missing or has the wrong type; STATUS_UNSUPPORTED for another
 * schema; unknown keys are ignored. */
int run_manifest_read(struct run_manifest *manifest, const char *directory,
                      struct fault *fault);

#endif
