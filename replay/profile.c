#include "replay/profile.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/run_directory.h"
#include "replay/run_prepare.h"
#include "replay/stage_result.h"

enum { LADDER_REQUESTS = 100 * 1000, LABEL_MAX = 96 };

/* Little's law: requests open = throughput x time in the system, within this. */
#define LITTLE_TOLERANCE 0.1

struct profile {
    const struct profile_setup *setup;
    struct profile_result *result;
    struct profile_manifest manifest;
    struct run_options options; /* those of all stages; concurrency: of the stage */
    struct run_context context;
    struct sweep sweep;
    struct run_result run; /* of the last stage that was run */
};

/* Stage number n draws with seed + n: repetitions of a rate differ. */
static struct plan_options stage_plan(const struct profile *profile, size_t number,
                                      const struct profile_stage *stage)
{
    struct plan_options plan = profile->setup->plan;
    plan.seed += (int64_t)number;
    if (stage->purpose == STAGE_LADDER) {
        plan.arrivals = "constant";
        plan.rate_per_s = LADDER_REQUESTS;
        plan.requests = LADDER_REQUESTS;
    } else {
        plan.rate_per_s = stage->rate_per_s;
        plan.duration_ns = profile->setup->stage_duration_ns;
    }
    return plan;
}

/* Stages that may still come, this one included: no more than these. */
static size_t stages_left(const struct profile *profile)
{
    const struct sweep *sweep = &profile->sweep;
    size_t most = (size_t)(sweep->stages + sweep->refine) * sweep->repetitions;
    size_t run = 0;
    for (size_t at = 0; at < profile->manifest.count; at++)
        run += profile->manifest.stages[at].finished &&
               profile->manifest.stages[at].purpose != STAGE_LADDER;
    return most > run ? most - run : 1;
}

static void stage_label(char label[LABEL_MAX], const struct profile *profile,
                        size_t number, const struct profile_stage *stage)
{
    if (stage->purpose == STAGE_LADDER) {
        snprintf(label, LABEL_MAX, "ladder, %llu open | ",
                 (unsigned long long)stage->concurrency);
        return;
    }
    double stage_s = (double)profile->setup->stage_duration_ns / NS_PER_S;
    snprintf(label, LABEL_MAX, "stage %zu, %s, %.4g/s, at most %.0f s left | ", number,
             stage_purpose_name(stage->purpose), stage->rate_per_s,
             stage_s * (double)stages_left(profile));
}

static char *stage_path(const struct profile *profile, const struct profile_stage *stage)
{
    return run_directory_file(profile->setup->directory, stage->directory);
}

static int write_manifest(const struct profile *profile, struct fault *fault)
{
    return profile_manifest_write(&profile->manifest, profile->setup->directory, fault);
}

/* Runs the plan of a stage into its directory. */
static int send_stage(struct profile *profile, size_t number, const char *path,
                      struct fault *fault)
{
    const struct profile_stage *stage = &profile->manifest.stages[number];
    struct plan_options plan = stage_plan(profile, number, stage);
    profile->options.concurrency = (int64_t)stage->concurrency;
    int status =
        run_context_replan(&profile->context, &profile->options, &plan, path, fault);
    if (status != STATUS_OK)
        return status;
    char label[LABEL_MAX];
    stage_label(label, profile, number, stage);
    struct run_setup *setup = &profile->context.setup;
    int64_t duration_ns = profile->setup->stage_duration_ns;
    setup->label = label;
    setup->concurrency = stage->concurrency;
    setup->send_until_ns = stage->purpose == STAGE_LADDER ? duration_ns : 0;
    setup->cut_at_ns = duration_ns + profile->setup->drain_ns;
    status = run_execute(setup, &profile->run, fault);
    setup->label = NULL;
    return status;
}

static void print_stage(const struct profile *profile, const struct profile_stage *stage)
{
    if (profile->setup->common->quiet > 0 || profile->setup->common->json)
        return;
    printf("%s  ", stage->directory);
    if (stage->purpose == STAGE_LADDER)
        printf("%6llu open", (unsigned long long)stage->concurrency);
    else
        printf("%9.4g/s", stage->rate_per_s);
    printf("  %s: %llu of %llu succeeded\n", stage_finding_name(stage->finding),
           (unsigned long long)profile->run.outcomes[OUTCOME_OK],
           (unsigned long long)profile->run.sent);
    fflush(stdout);
}

/* Runs one stage as `wanted` says and judges it; `log` is what it logged, for the caller
 * to release. Interrupted: result->signal is set, and the stage stays unfinished. */
static int run_stage(struct profile *profile, const struct profile_stage *wanted,
                     struct stage_log *log, struct fault *fault)
{
    size_t number = profile->manifest.count;
    struct profile_stage *stage =
        profile_manifest_add(&profile->manifest, wanted->purpose);
    stage->rate_per_s = wanted->rate_per_s;
    stage->repetition = wanted->repetition;
    stage->concurrency = wanted->concurrency;
    int status = write_manifest(profile, fault);
    char *path = stage_path(profile, stage);
    if (status == STATUS_OK)
        status = send_stage(profile, number, path, fault);
    profile->result->signal = profile->run.signal;
    if (status == STATUS_OK && profile->run.signal == 0)
        status = stage_log_read(log, path, fault);
    free(path);
    if (status != STATUS_OK || profile->run.signal != 0)
        return status;
    stage = &profile->manifest.stages[number];
    stage->finding = stage_judge(log, profile->setup->stage_duration_ns);
    stage->finished = true;
    profile->result->last = stage->finding;
    profile->result->stages++;
    print_stage(profile, stage);
    if (profile->run.outcomes[OUTCOME_OK] == 0) {
        status = write_manifest(profile, fault);
        return status != STATUS_OK
                   ? status
                   : fault_set(fault, STATUS_NETWORK,
                               "%s: not one of %llu requests succeeded", stage->directory,
                               (unsigned long long)profile->run.sent);
    }
    return write_manifest(profile, fault);
}

static void check_little(const struct stage_log *log, uint64_t open, int64_t duration_ns)
{
    double expected =
        stage_throughput_per_s(log, duration_ns) * stage_mean_latency_s(log, duration_ns);
    if (fabs(expected / (double)open - 1) > LITTLE_TOLERANCE)
        fprintf(
            stderr,
            "note: %llu requests were kept open, but throughput x latency is %.1f: the "
            "ladder's stages may be too short\n",
            (unsigned long long)open, expected);
}

/* The throughput of ladder stage `step`: of an earlier call, or run now. */
static int climb(struct profile *profile, uint32_t step, double *throughput_per_s,
                 struct fault *fault)
{
    int64_t duration_ns = profile->setup->stage_duration_ns;
    struct profile_stage wanted = { .purpose = STAGE_LADDER,
                                    .concurrency = UINT64_C(1) << step };
    struct stage_log log = { 0 };
    int status;
    if (step < profile->manifest.count) {
        char *path = stage_path(profile, &profile->manifest.stages[step]);
        status = stage_log_read(&log, path, fault);
        free(path);
    } else {
        status = run_stage(profile, &wanted, &log, fault);
    }
    *throughput_per_s = stage_throughput_per_s(&log, duration_ns);
    if (status == STATUS_OK && profile->result->signal == 0)
        check_little(&log, wanted.concurrency, duration_ns);
    stage_log_release(&log);
    return status;
}

/* Finds the range of rates by a closed loop whose throughput stops rising. */
static int find_range(struct profile *profile, struct fault *fault)
{
    double throughput_per_s[LADDER_STEPS_MAX];
    double best_per_s = 0;
    size_t steps = 0;
    while (ladder_goes_on(throughput_per_s, steps)) {
        int status = climb(profile, (uint32_t)steps, &throughput_per_s[steps], fault);
        if (status != STATUS_OK || profile->result->signal != 0)
            return status;
        best_per_s = fmax(best_per_s, throughput_per_s[steps++]);
    }
    struct sweep *sweep = &profile->sweep;
    sweep->to_per_s = best_per_s * AUTO_BEYOND_CAPACITY;
    if (sweep->from_per_s == 0)
        sweep->from_per_s = best_per_s * AUTO_BELOW_CAPACITY;
    if (sweep->from_per_s > sweep->to_per_s)
        return fault_set(fault, STATUS_USAGE,
                         "--from %.4g/s is beyond what the server does: about %.4g/s",
                         sweep->from_per_s, best_per_s);
    return STATUS_OK;
}

static int sweep_all(struct profile *profile, struct fault *fault)
{
    struct profile_manifest *manifest = &profile->manifest;
    if (profile->sweep.to_per_s == 0) {
        int status = find_range(profile, fault);
        if (status != STATUS_OK || profile->result->signal != 0)
            return status;
    }
    manifest->from_per_s = profile->sweep.from_per_s;
    manifest->to_per_s = profile->sweep.to_per_s;
    struct profile_stage next;
    while (sweep_next(&profile->sweep, manifest->stages, manifest->count, &next)) {
        struct stage_log log = { 0 };
        int status = run_stage(profile, &next, &log, fault);
        stage_log_release(&log);
        if (status != STATUS_OK || profile->result->signal != 0)
            return status;
    }
    return write_manifest(profile, fault);
}

/* Ctrl-C between two stages waits for the next one, which takes it before it starts: the
 * profile always ends with its manifest written. */
static int sweep_held(struct profile *profile, struct fault *fault)
{
    sigset_t stops;
    sigset_t before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigprocmask(SIG_BLOCK, &stops, &before);
    int status = sweep_all(profile, fault);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Takes up an earlier call: its finished stages stand, an unfinished one is run again. */
static int take_up(struct profile *profile, struct fault *fault)
{
    const struct profile_setup *setup = profile->setup;
    struct profile_manifest *manifest = &profile->manifest;
    int status = profile_manifest_read(manifest, setup->directory, fault);
    if (status != STATUS_OK)
        return status;
    if (manifest->parameters == NULL ||
        strcmp(manifest->parameters, setup->parameters) != 0)
        return fault_set(fault, STATUS_USAGE, "%s was begun with other options: %s",
                         setup->directory,
                         manifest->parameters == NULL ? "unknown" : manifest->parameters);
    if (manifest->to_per_s > 0) {
        profile->sweep.from_per_s = manifest->from_per_s;
        profile->sweep.to_per_s = manifest->to_per_s;
    }
    size_t kept = 0;
    for (size_t at = 0; at < manifest->count; at++) {
        struct profile_stage *stage = &manifest->stages[at];
        if (stage->finished) {
            profile->result->last = stage->finding;
            manifest->stages[kept++] = *stage;
            continue;
        }
        char *path = stage_path(profile, stage);
        run_directory_remove(path);
        free(path);
        free(stage->directory);
    }
    manifest->count = kept;
    profile->result->stages = (uint32_t)kept;
    return STATUS_OK;
}

static int begin(struct profile *profile, struct fault *fault)
{
    const struct profile_setup *setup = profile->setup;
    struct profile_manifest *manifest = &profile->manifest;
    manifest->parameters = memory_copy_text(setup->parameters, strlen(setup->parameters));
    if (setup->slo != NULL)
        manifest->slo = memory_copy_text(setup->slo, strlen(setup->slo));
    manifest->stage_duration_ns = setup->stage_duration_ns;
    return run_directory_check(setup->directory, setup->common->force, fault);
}

/* The plan by which the server is first asked: that of the first stage. */
static int prepare(struct profile *profile, struct fault *fault)
{
    struct profile_stage first = {
        .purpose = profile->sweep.to_per_s == 0 ? STAGE_LADDER : STAGE_SWEEP,
        .rate_per_s = profile->sweep.from_per_s,
    };
    struct plan_options plan = stage_plan(profile, 0, &first);
    profile->options = *profile->setup->run;
    profile->options.concurrency = first.purpose == STAGE_LADDER;
    return run_context_init(&profile->context, profile->setup->common, &profile->options,
                            &plan, NULL, fault);
}

int profile_execute(const struct profile_setup *setup, struct profile_result *result,
                    struct fault *fault)
{
    *result = (struct profile_result){ 0 };
    struct profile profile = { .setup = setup, .result = result, .sweep = setup->sweep };
    int status = setup->resume ? take_up(&profile, fault) : begin(&profile, fault);
    if (status == STATUS_OK)
        status = prepare(&profile, fault);
    if (status == STATUS_OK && !setup->resume)
        status = run_directory_create(setup->directory, setup->common->force, fault);
    if (status == STATUS_OK)
        status = sweep_held(&profile, fault);
    run_context_release(&profile.context);
    profile_manifest_release(&profile.manifest);
    return status;
}
