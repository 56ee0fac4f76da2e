#include "formats/run_manifest.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/json.h"
#include "formats/base/memory.h"
#include "formats/run_directory.h"

enum { WORKERS_MAX = 1000 * 1000 }; /* in a file; more is a mistake */

enum member_type {
    MEMBER_TEXT,  /* char *, or null */
    MEMBER_TIME,  /* int64_t; TIME_NONE is null */
    MEMBER_COUNT, /* uint64_t */
    MEMBER_INT,   /* int */
    MEMBER_FLAG,  /* bool */
    MEMBER_TEXTS, /* struct run_texts */
};

/* One key of a JSON object and the member it stands for. Both ways go through the same
 * tables. */
struct member {
    const char *key; /* NULL ends a table */
    enum member_type type;
    size_t offset;
};

#define RUN(key, member, type) { key, type, offsetof(struct run_manifest, member) }
#define WORKER(key, member, type) { key, type, offsetof(struct run_worker, member) }
#define OUTCOME(name, number) \
    { name, MEMBER_COUNT, \
      offsetof(struct run_manifest, outcomes) + (number) * sizeof(uint64_t) }

static const struct member run_members[] = {
    RUN("id", id, MEMBER_TEXT),
    RUN("started_realtime_ns", started_realtime_ns, MEMBER_TIME),
    RUN("ended_realtime_ns", ended_realtime_ns, MEMBER_TIME),
    RUN("t0_monotonic_ns", t0_monotonic_ns, MEMBER_TIME),
    RUN("t0_realtime_ns", t0_realtime_ns, MEMBER_TIME),
    RUN("boot_id", boot_id, MEMBER_TEXT),
    RUN("producers", producers, MEMBER_TEXTS),
    RUN("command", command, MEMBER_TEXTS),
    RUN("notes", notes, MEMBER_TEXTS),
    RUN("url", url, MEMBER_TEXT),
    RUN("api", api, MEMBER_TEXT),
    RUN("model", model, MEMBER_TEXT),
    RUN("seed", seed, MEMBER_COUNT),
    RUN("emulated_client", emulated_client, MEMBER_TEXT),
    RUN("interrupted", interrupted, MEMBER_FLAG),
    { 0 },
};

static const struct member plan_members[] = {
    RUN("hash", plan.hash, MEMBER_TEXT),
    RUN("requests", plan.requests, MEMBER_COUNT),
    RUN("first_due_ns", plan.first_due_ns, MEMBER_TIME),
    RUN("last_due_ns", plan.last_due_ns, MEMBER_TIME),
    RUN("input_tokens", plan.input_tokens, MEMBER_COUNT),
    RUN("output_tokens", plan.output_tokens, MEMBER_COUNT),
    { 0 },
};

static const struct member load_members[] = {
    RUN("open_loop", open_loop, MEMBER_FLAG),
    RUN("concurrency", concurrency, MEMBER_COUNT),
    RUN("warm_connections", warm_connections, MEMBER_COUNT),
    { 0 },
};

static const struct member outcome_members[] = {
    OUTCOME("ok", OUTCOME_OK),
    OUTCOME("http_status", OUTCOME_HTTP_STATUS),
    OUTCOME("stream_error", OUTCOME_STREAM_ERROR),
    OUTCOME("truncated", OUTCOME_TRUNCATED),
    OUTCOME("connect", OUTCOME_CONNECT),
    OUTCOME("timeout", OUTCOME_TIMEOUT),
    OUTCOME("idle_timeout", OUTCOME_IDLE_TIMEOUT),
    OUTCOME("client_resource", OUTCOME_CLIENT_RESOURCE),
    OUTCOME("cancelled", OUTCOME_CANCELLED),
    OUTCOME("not_sent", OUTCOME_NOT_SENT),
    { 0 },
};

static const struct member worker_members[] = {
    WORKER("pid", pid, MEMBER_TIME),
    WORKER("exit_code", exit_code, MEMBER_INT),
    WORKER("signal", signal, MEMBER_INT),
    WORKER("planned_requests", planned_requests, MEMBER_COUNT),
    WORKER("requests", requests, MEMBER_COUNT),
    WORKER("error", error, MEMBER_TEXT),
    { 0 },
};

/* Objects within the document whose members lie in the manifest. */
static const struct section {
    const char *key;
    const struct member *members;
} sections[] = {
    { "plan", plan_members },
    { "load", load_members },
    { "outcomes", outcome_members },
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- memory ---- */

void run_texts_append(struct run_texts *texts, const char *text)
{
    texts->items =
        memory_grow(texts->items, texts->count, &texts->capacity, sizeof(char *));
    texts->items[texts->count++] = memory_copy_text(text, strlen(text));
}

void run_texts_release(struct run_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
    *texts = (struct run_texts){ 0 };
}

void run_manifest_init(struct run_manifest *manifest)
{
    *manifest = (struct run_manifest){
        .started_realtime_ns = TIME_NONE,
        .ended_realtime_ns = TIME_NONE,
        .t0_monotonic_ns = TIME_NONE,
        .t0_realtime_ns = TIME_NONE,
        .plan.first_due_ns = TIME_NONE,
        .plan.last_due_ns = TIME_NONE,
        .open_loop = true,
    };
}

static void release_members(const struct member *members, void *object)
{
    for (; members->key; members++) {
        void *member = (char *)object + members->offset;
        if (members->type == MEMBER_TEXT)
            free(*(char **)member);
        else if (members->type == MEMBER_TEXTS)
            run_texts_release(member);
    }
}

void run_manifest_release(struct run_manifest *manifest)
{
    release_members(run_members, manifest);
    for (size_t i = 0; i < SECTIONS; i++)
        release_members(sections[i].members, manifest);
    for (size_t i = 0; i < manifest->worker_count; i++)
        release_members(worker_members, &manifest->workers[i]);
    free(manifest->workers);
    *manifest = (struct run_manifest){ 0 };
}

void run_manifest_set(char **field, const char *text)
{
    char *copy = text ? memory_copy_text(text, strlen(text)) : NULL;
    free(*field);
    *field = copy;
}

void run_manifest_set_workers(struct run_manifest *manifest, size_t count)
{
    manifest->workers = memory_new(count, sizeof *manifest->workers);
    manifest->worker_count = count;
    for (size_t i = 0; i < count; i++)
        manifest->workers[i].exit_code = -1;
}

/* ---- writing ---- */

static json_t *text_to_json(const char *text)
{
    /* jansson refuses what is not UTF-8; an argument may be anything. */
    json_t *value = text ? json_string(text) : json_null();
    return value ? value : json_string("(not UTF-8)");
}

static json_t *count_to_json(uint64_t count)
{
    return count <= INT64_MAX ? json_integer((json_int_t)count)
                              : json_sprintf("%llu", (unsigned long long)count);
}

static json_t *time_to_json(int64_t time_ns)
{
    return time_ns == TIME_NONE ? json_null() : json_integer(time_ns);
}

static json_t *texts_to_json(const struct run_texts *texts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < texts->count; i++)
        json_array_append_new(array, text_to_json(texts->items[i]));
    return array;
}

static json_t *member_to_json(enum member_type type, const void *member)
{
    switch (type) {
    case MEMBER_TEXT:
        return text_to_json(*(char *const *)member);
    case MEMBER_TIME:
        return time_to_json(*(const int64_t *)member);
    case MEMBER_COUNT:
        return count_to_json(*(const uint64_t *)member);
    case MEMBER_INT:
        return json_integer(*(const int *)member);
    case MEMBER_FLAG:
        return json_boolean(*(const bool *)member);
    case MEMBER_TEXTS:
        return texts_to_json(member);
    }
    return json_null();
}

static void members_to_json(json_t *object, const struct member *members,
                            const void *from)
{
    for (; members->key; members++)
        json_object_set_new(object, members->key,
                            member_to_json(members->type,
                                           (const char *)from + members->offset));
}

static json_t *manifest_to_json(const struct run_manifest *manifest)
{
    json_t *document = json_object();
    json_object_set_new(document, "schema", json_string(RUN_MANIFEST_SCHEMA));
    members_to_json(document, run_members, manifest);
    for (size_t i = 0; i < SECTIONS; i++) {
        json_t *section = json_object();
        members_to_json(section, sections[i].members, manifest);
        json_object_set_new(document, sections[i].key, section);
    }
    json_t *workers = json_array();
    for (size_t i = 0; i < manifest->worker_count; i++) {
        json_t *worker = json_object();
        members_to_json(worker, worker_members, &manifest->workers[i]);
        json_array_append_new(workers, worker);
    }
    json_object_set_new(document, "workers", workers);
    return document;
}

int run_manifest_write(const struct run_manifest *manifest, const char *directory,
                       struct fault *fault)
{
    char *path = run_directory_file(directory, RUN_MANIFEST_NAME);
    json_t *document = manifest_to_json(manifest);
    int status = json_write_file(document, path, true, fault);
    json_decref(document);
    free(path);
    return status;
}

/* ---- reading ---- */

static bool text_from_json(const json_t *value, char **text)
{
    if (json_is_null(value))
        return true;
    if (!json_is_string(value))
        return false;
    run_manifest_set(text, json_string_value(value));
    return true;
}

static bool count_from_json(const json_t *value, uint64_t *count)
{
    if (json_is_integer(value)) {
        *count = (uint64_t)json_integer_value(value);
        return json_integer_value(value) >= 0;
    }
    const char *digits = json_string_value(value);
    if (!digits || *digits == '\0')
        return false;
    *count = 0;
    for (; *digits; digits++)
        if (*digits < '0' || *digits > '9' || __builtin_mul_overflow(*count, 10, count)
            || __builtin_add_overflow(*count, (uint64_t)(*digits - '0'), count))
            return false;
    return true;
}

static bool int_from_json(const json_t *value, int *number)
{
    json_int_t integer = json_integer_value(value);
    *number = (int)integer;
    return json_is_integer(value) && integer == *number;
}

static bool texts_from_json(const json_t *value, struct run_texts *texts)
{
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *text = json_string_value(json_array_get(value, i));
        if (!text)
            return false;
        run_texts_append(texts, text);
    }
    return true;
}

static bool member_from_json(const json_t *value, enum member_type type, void *member)
{
    switch (type) {
    case MEMBER_TEXT:
        return text_from_json(value, member);
    case MEMBER_TIME:
        *(int64_t *)member = json_is_null(value) ? TIME_NONE : json_integer_value(value);
        return json_is_null(value) || json_is_integer(value);
    case MEMBER_COUNT:
        return count_from_json(value, member);
    case MEMBER_INT:
        return int_from_json(value, member);
    case MEMBER_FLAG:
        *(bool *)member = json_is_true(value);
        return json_is_boolean(value);
    case MEMBER_TEXTS:
        return texts_from_json(value, member);
    }
    return false;
}

static const char *type_name(enum member_type type)
{
    static const char *const names[] = {
        [MEMBER_TEXT] = "a string or null", [MEMBER_TIME] = "an integer or null",
        [MEMBER_COUNT] = "a count",         [MEMBER_INT] = "a small integer",
        [MEMBER_FLAG] = "true or false",    [MEMBER_TEXTS] = "an array of strings",
    };
    return names[type];
}

static int members_from_json(const json_t *object, const struct member *members, void *to,
                             struct fault *fault)
{
    if (!json_is_object(object))
        return fault_set(fault, STATUS_BAD_INPUT, "missing, or no object");
    for (; members->key; members++) {
        const json_t *value = json_object_get(object, members->key);
        if (!value)
            return fault_set(fault, STATUS_BAD_INPUT, "\"%s\" is missing", members->key);
        if (!member_from_json(value, members->type, (char *)to + members->offset))
            return fault_set(fault, STATUS_BAD_INPUT, "\"%s\": expected %s", members->key,
                             type_name(members->type));
    }
    return STATUS_OK;
}

static int workers_from_json(const json_t *array, struct run_manifest *manifest,
                             struct fault *fault)
{
    if (!json_is_array(array))
        return fault_set(fault, STATUS_BAD_INPUT, "\"workers\": expected an array");
    size_t count = json_array_size(array);
    if (count > WORKERS_MAX)
        return fault_set(fault, STATUS_LIMIT, "%zu workers, at most %d are allowed",
                         count, WORKERS_MAX);
    run_manifest_set_workers(manifest, count);
    for (size_t i = 0; i < count; i++) {
        int status = members_from_json(json_array_get(array, i), worker_members,
                                       &manifest->workers[i], fault);
        if (status) {
            fault_prefix(fault, "worker %zu", i);
            return status;
        }
    }
    return STATUS_OK;
}

static int manifest_from_json(const json_t *document, struct run_manifest *manifest,
                              struct fault *fault)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (!schema)
        return fault_set(fault, STATUS_BAD_INPUT, "no \"schema\": not a run's manifest");
    if (strcmp(schema, RUN_MANIFEST_SCHEMA) != 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "schema \"%s\", expected \"%s\"",
                         schema, RUN_MANIFEST_SCHEMA);
    int status = members_from_json(document, run_members, manifest, fault);
    for (size_t i = 0; i < SECTIONS && !status; i++) {
        status = members_from_json(json_object_get(document, sections[i].key),
                                   sections[i].members, manifest, fault);
        if (status)
            fault_prefix(fault, "\"%s\"", sections[i].key);
    }
    if (status)
        return status;
    return workers_from_json(json_object_get(document, "workers"), manifest, fault);
}

int run_manifest_read(struct run_manifest *manifest, const char *directory,
                      struct fault *fault)
{
    json_t *document = NULL;
    run_manifest_init(manifest);
    char *path = run_directory_file(directory, RUN_MANIFEST_NAME);
    int status = json_read_file(path, &document, fault);
    if (!status) {
        status = manifest_from_json(document, manifest, fault);
        if (status)
            fault_prefix(fault, "%s", path);
    }
    json_decref(document);
    free(path);
    return status;
}
