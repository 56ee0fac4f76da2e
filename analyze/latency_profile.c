#include "analyze/latency_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "formats/run_directory.h"

void latency_profile_release(struct latency_profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        stage_row_release(&profile->rows[i]);
    free(profile->rows);
    free(profile->parameters);
    knee_release(&profile->knee);
}

const struct stage_signs *latency_profile_signs(const struct latency_profile *profile,
                                                size_t row)
{
    return row < profile->ladder ? NULL : &profile->knee.signs[row - profile->ladder];
}

static int set_objectives(struct latency_profile *profile, const char *text,
                          struct fault *fault)
{
    int status = text == NULL ? STATUS_OK : slo_parse(&profile->slo, text, fault);
    for (size_t i = 0; i < profile->slo.count && status == STATUS_OK; i++) {
        const struct slo_term *term = &profile->slo.terms[i];
        if (term->statistic == SLO_EACH && term->metric == SLO_ITL)
            status = fault_set(fault, STATUS_USAGE,
                               "objective '%s': a request has many gaps; name a "
                               "statistic", term->text);
    }
    return status;
}

static int read_stages(struct latency_profile *profile, const char *directory,
                       const struct profile_manifest *manifest,
                       const struct stage_row_request *request, struct fault *fault)
{
    profile->rows = memory_new(manifest->count, sizeof *profile->rows);
    for (size_t i = 0; i < manifest->count; i++) {
        const struct profile_stage *stage = &manifest->stages[i];
        if (!stage->finished) {
            profile->unfinished++;
            continue;
        }
        char *path = run_directory_file(directory, stage->directory);
        int status = stage_row_read(&profile->rows[profile->count++], path, stage,
                                    manifest->stage_duration_ns, request, fault);
        free(path);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static int read_directory(struct latency_profile *profile, const char *directory,
                          const struct latency_profile_request *request,
                          struct fault *fault)
{
    struct profile_manifest manifest;
    struct stage_row_request stage = request->stage;
    stage.slo = &profile->slo;
    int status = profile_manifest_read(&manifest, directory, fault);
    if (status == STATUS_OK && manifest.stage_duration_ns <= 0)
        status = fault_set(fault, STATUS_BAD_INPUT, "%s: stages of no duration",
                           directory);
    if (status == STATUS_OK)
        status = set_objectives(profile, request->slo ? request->slo : manifest.slo,
                                fault);
    if (status == STATUS_OK)
        status = read_stages(profile, directory, &manifest, &stage, fault);
    profile->parameters = manifest.parameters;
    manifest.parameters = NULL;
    profile_manifest_release(&manifest);
    return status;
}

static int read_files(struct latency_profile *profile, char **paths, int count,
                      const struct latency_profile_request *request, struct fault *fault)
{
    struct stage_row_request stage = request->stage;
    stage.slo = &profile->slo;
    profile->foreign = true;
    profile->rows = memory_new((size_t)count, sizeof *profile->rows);
    int status = set_objectives(profile, request->slo, fault);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        if (run_directory_is(paths[i]) || profile_directory_is(paths[i]))
            return fault_set(fault, STATUS_USAGE,
                             "%s: expected one profile, or files of another tool's sweep",
                             paths[i]);
        status = stage_row_import(&profile->rows[profile->count++], paths[i], &stage,
                                  fault);
    }
    return status;
}

static int compare_rows(const void *left, const void *right)
{
    const struct stage_row *a = left;
    const struct stage_row *b = right;
    if ((a->purpose == STAGE_LADDER) != (b->purpose == STAGE_LADDER))
        return a->purpose == STAGE_LADDER ? -1 : 1;
    if (a->planned_per_s != b->planned_per_s)
        return a->planned_per_s < b->planned_per_s ? -1 : 1;
    if (a->concurrency != b->concurrency)
        return a->concurrency < b->concurrency ? -1 : 1;
    return (a->repetition > b->repetition) - (a->repetition < b->repetition);
}

static void find_knee(struct latency_profile *profile, const struct knee_limits *limits)
{
    size_t count = profile->count - profile->ladder;
    struct stage_evidence *evidence = memory_new(count, sizeof *evidence);
    for (size_t i = 0; i < count; i++)
        evidence[i] = profile->rows[profile->ladder + i].evidence;
    knee_find(&profile->knee, evidence, count, limits);
    free(evidence);
}

/* The highest load that meets all for certain, with no miss at or below it, by the values
 * at least: few requests at a low load prove nothing. Stages that say nothing of the
 * server are passed over. */
static void find_load_that_meets(struct latency_profile *profile)
{
    double missed_per_s = INFINITY;
    if (profile->slo.count == 0)
        return;
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_row *row = &profile->rows[i];
        if (row->evidence.use != STAGE_CLIENT && stage_row_misses(row, &profile->slo))
            missed_per_s = fmin(missed_per_s, row->planned_per_s);
    }
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_row *row = &profile->rows[i];
        if (row->planned_per_s < missed_per_s && stage_row_meets(row, &profile->slo))
            profile->meets_per_s = row->planned_per_s;
    }
}

int latency_profile_read(struct latency_profile *profile, char **operands,
                         int operand_count, const struct latency_profile_request *request,
                         struct fault *fault)
{
    bool own = operand_count == 1 && profile_directory_is(operands[0]);
    int status = own ? read_directory(profile, operands[0], request, fault)
                     : read_files(profile, operands, operand_count, request, fault);
    if (status != STATUS_OK)
        return status;
    qsort(profile->rows, profile->count, sizeof *profile->rows, compare_rows);
    while (profile->ladder < profile->count &&
           profile->rows[profile->ladder].purpose == STAGE_LADDER)
        profile->ladder++;
    find_knee(profile, &request->knee);
    find_load_that_meets(profile);
    return STATUS_OK;
}
