/* A latency profile: profile.json (schema "toktrace.profile/1") beside one run directory
 * per stage. Written by the command that sweeps, after every stage, so that a stopped
 * sweep can go on; read by the analysis. */
#ifndef TOKTRACE_PROFILE_MANIFEST_H
#define TOKTRACE_PROFILE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

#define PROFILE_MANIFEST_SCHEMA "toktrace.profile/1"
#define PROFILE_MANIFEST_NAME "profile.json"

/* Why a stage was run. Never renumbered; in the file by name. */
enum stage_purpose {
    STAGE_LADDER, /* closed loop, to find the range: says nothing of latency under load */
    STAGE_SWEEP,
    STAGE_REFINE, /* between the last rate that held and the first that did not */
};

/* What the sweep saw of a stage; a first judgement, by which it goes on or stops. */
enum stage_finding {
    STAGE_HELD,
    STAGE_SATURATED,      /* requests in flight grew through its second half */
    STAGE_CLIENT_LIMITED, /* a worker was busy nearly all the time */
    STAGE_FAILED,         /* half of its requests or more failed */
    STAGE_TOO_SHORT,      /* requests last so long that growth cannot be told */
};

/* "ladder", "held", ...; NULL beyond the enum. */
const char *stage_purpose_name(unsigned purpose);
const char *stage_finding_name(unsigned finding);

struct profile_stage {
    char *directory; /* owned; below the profile's own */
    enum stage_purpose purpose;
    double rate_per_s;          /* planned; 0 in a ladder */
    uint64_t concurrency;       /* of a ladder's stage; else 0 */
    uint32_t repetition;        /* from 0 */
    bool finished;              /* false: under way, or interrupted; to be run again */
    enum stage_finding finding; /* of a finished stage */
};

struct profile_manifest {
    char *parameters; /* owned; all that decides what is run, as one line */
    char *slo;        /* owned; objectives to be met, or NULL */
    int64_t stage_duration_ns;
    double from_per_s; /* as run: after "auto" is known; 0: not yet */
    double to_per_s;
    struct profile_stage *stages; /* owned; in the order of running */
    size_t count;
    size_t capacity;
};

void profile_manifest_release(struct profile_manifest *manifest);

/* Appends a stage that is not finished; its directory's name is made from its number. The
 * pointer is valid until the next call. */
struct profile_stage *profile_manifest_add(struct profile_manifest *manifest,
                                           enum stage_purpose purpose);

/* Writes DIRECTORY/profile.json over an older one, whole or not at all. */
int profile_manifest_write(const struct profile_manifest *manifest, const char *directory,
                           struct fault *fault);

/* Fills a manifest from DIRECTORY/profile.json; release it in any case. STATUS_BAD_INPUT
 * or STATUS_UNSUPPORTED (another schema). */
int profile_manifest_read(struct profile_manifest *manifest, const char *directory,
                          struct fault *fault);

/* True when `path` is a directory that holds a profile.json. */
bool profile_directory_is(const char *path);

#endif
