#include "formats/profile_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/json.h"
#include "formats/base/memory.h"
#include "formats/run_directory.h"

static const char *const purpose_names[] = { "ladder", "sweep", "refine", NULL };
static const char *const finding_names[] = { "held",   "saturated", "client_limited",
                                             "failed", "too_short", NULL };

static const char *name_at(const char *const *names, unsigned number)
{
    for (unsigned at = 0; names[at] != NULL; at++)
        if (at == number)
            return names[at];
    return NULL;
}

const char *stage_purpose_name(unsigned purpose)
{
    return name_at(purpose_names, purpose);
}

const char *stage_finding_name(unsigned finding)
{
    return name_at(finding_names, finding);
}

void profile_manifest_release(struct profile_manifest *manifest)
{
    for (size_t at = 0; at < manifest->count; at++)
        free(manifest->stages[at].directory);
    free(manifest->stages);
    free(manifest->parameters);
    free(manifest->slo);
    *manifest = (struct profile_manifest){ 0 };
}

static struct profile_stage *append_stage(struct profile_manifest *manifest)
{
    manifest->stages = memory_grow(manifest->stages, manifest->count, &manifest->capacity,
                                   sizeof *manifest->stages);
    struct profile_stage *stage = &manifest->stages[manifest->count++];
    *stage = (struct profile_stage){ 0 };
    return stage;
}

struct profile_stage *profile_manifest_add(struct profile_manifest *manifest,
                                           enum stage_purpose purpose)
{
    struct profile_stage *stage = append_stage(manifest);
    char name[32];
    snprintf(name, sizeof name, "stage-%03zu", manifest->count - 1);
    stage->directory = memory_copy_text(name, strlen(name));
    stage->purpose = purpose;
    return stage;
}

/* ---- writing ---- */

static json_t *text_or_null(const char *text)
{
    return text == NULL ? json_null() : json_string(text);
}

static json_t *stage_to_json(const struct profile_stage *stage)
{
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:b, s:o}", "directory", stage->directory, "purpose",
        stage_purpose_name(stage->purpose), "rate_per_s",
        json_number_or_null(stage->rate_per_s), "concurrency",
        (json_int_t)stage->concurrency, "repetition", (json_int_t)stage->repetition,
        "finished", stage->finished, "finding",
        stage->finished ? json_string(stage_finding_name(stage->finding)) : json_null());
}

int profile_manifest_write(const struct profile_manifest *manifest, const char *directory,
                           struct fault *fault)
{
    json_t *stages = json_array();
    for (size_t at = 0; at < manifest->count; at++)
        json_array_append_new(stages, stage_to_json(&manifest->stages[at]));
    json_t *document =
        json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o}", "schema",
                  PROFILE_MANIFEST_SCHEMA, "parameters",
                  text_or_null(manifest->parameters), "slo", text_or_null(manifest->slo),
                  "stage_duration_ns", (json_int_t)manifest->stage_duration_ns,
                  "from_per_s", json_number_or_null(manifest->from_per_s), "to_per_s",
                  json_number_or_null(manifest->to_per_s), "stages", stages);
    char *path = run_directory_file(directory, PROFILE_MANIFEST_NAME);
    int status = json_write_file(document, path, true, fault);
    json_decref(document);
    free(path);
    return status;
}

/* ---- reading ---- */

static bool number_of(const char *const *names, const char *name, unsigned *number)
{
    for (unsigned at = 0; name != NULL && names[at] != NULL; at++)
        if (strcmp(names[at], name) == 0) {
            *number = at;
            return true;
        }
    return false;
}

static char *copy_or_null(const json_t *value)
{
    const char *text = json_string_value(value);
    return text == NULL ? NULL : memory_copy_text(text, strlen(text));
}

/* A stage's directory is a name, never a path that leads elsewhere. */
static bool is_plain_name(const char *name)
{
    return name != NULL && name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

static bool stage_from_json(const json_t *object, struct profile_stage *stage)
{
    const char *directory = json_string_value(json_object_get(object, "directory"));
    const json_t *finished = json_object_get(object, "finished");
    const json_t *rate = json_object_get(object, "rate_per_s");
    json_int_t concurrency = json_integer_value(json_object_get(object, "concurrency"));
    json_int_t repetition = json_integer_value(json_object_get(object, "repetition"));
    unsigned purpose;
    unsigned finding = STAGE_HELD;
    if (!is_plain_name(directory) || !json_is_boolean(finished) ||
        !json_is_number(rate) || concurrency < 0 || repetition < 0 ||
        repetition > UINT32_MAX)
        return false;
    if (!number_of(purpose_names, json_string_value(json_object_get(object, "purpose")),
                   &purpose))
        return false;
    if (json_is_true(finished) &&
        !number_of(finding_names, json_string_value(json_object_get(object, "finding")),
                   &finding))
        return false;
    stage->directory = memory_copy_text(directory, strlen(directory));
    stage->purpose = (enum stage_purpose)purpose;
    stage->rate_per_s = json_number_value(rate);
    stage->concurrency = (uint64_t)concurrency;
    stage->repetition = (uint32_t)repetition;
    stage->finished = json_is_true(finished);
    stage->finding = (enum stage_finding)finding;
    return true;
}

static int manifest_from_json(struct profile_manifest *manifest, const json_t *document,
                              const char *path, struct fault *fault)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (schema == NULL)
        return fault_set(fault, STATUS_BAD_INPUT, "%s: no schema, expected %s", path,
                         PROFILE_MANIFEST_SCHEMA);
    if (strcmp(schema, PROFILE_MANIFEST_SCHEMA) != 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "%s: schema %s, expected %s", path,
                         schema, PROFILE_MANIFEST_SCHEMA);
    manifest->parameters = copy_or_null(json_object_get(document, "parameters"));
    manifest->slo = copy_or_null(json_object_get(document, "slo"));
    manifest->stage_duration_ns =
        json_integer_value(json_object_get(document, "stage_duration_ns"));
    manifest->from_per_s = json_number_value(json_object_get(document, "from_per_s"));
    manifest->to_per_s = json_number_value(json_object_get(document, "to_per_s"));
    const json_t *stages = json_object_get(document, "stages");
    if (!json_is_array(stages))
        return fault_set(fault, STATUS_BAD_INPUT, "%s: no list of stages", path);
    size_t at;
    json_t *object;
    json_array_foreach(stages, at, object)
    {
        if (!stage_from_json(object, append_stage(manifest)))
            return fault_set(fault, STATUS_BAD_INPUT,
                             "%s: stage %zu cannot be understood", path, at);
    }
    return STATUS_OK;
}

int profile_manifest_read(struct profile_manifest *manifest, const char *directory,
                          struct fault *fault)
{
    *manifest = (struct profile_manifest){ 0 };
    char *path = run_directory_file(directory, PROFILE_MANIFEST_NAME);
    json_t *document = NULL;
    int status = json_read_file(path, &document, fault);
    if (status == STATUS_OK)
        status = manifest_from_json(manifest, document, path, fault);
    json_decref(document);
    free(path);
    return status;
}

bool profile_directory_is(const char *path)
{
    char *manifest = run_directory_file(path, PROFILE_MANIFEST_NAME);
    bool is = access(manifest, R_OK) == 0;
    free(manifest);
    return is;
}
