/* The manifest: every field survives, and every kind of broken run.json is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/base/json.h"
#include "formats/run_directory.h"
#include "formats/run_manifest.h"
#include "tests/unit/scratch.h"

static void fill(struct run_manifest *manifest)
{
    run_manifest_init(manifest);
    run_manifest_set(&manifest->id, "run-1");
    manifest->started_realtime_ns = INT64_MAX;
    manifest->ended_realtime_ns = INT64_MIN + 1;
    manifest->t0_monotonic_ns = 1;
    manifest->t0_realtime_ns = 1764471600123456789;
    run_manifest_set(&manifest->boot_id, "boot");
    run_texts_append(&manifest->producers, "tokreplay 0.1.0");
    run_texts_append(&manifest->producers, "libcurl 7.88.1");
    run_texts_append(&manifest->command, "tokreplay");
    run_texts_append(&manifest->command, "run");
    run_texts_append(&manifest->command, "--header=\"quoted\"\n");
    run_manifest_set(&manifest->url, "http://127.0.0.1:1/");
    run_manifest_set(&manifest->api, "chat");
    run_manifest_set(&manifest->model, "m");
    manifest->seed = UINT64_MAX;
    run_manifest_set(&manifest->plan.hash, "0123456789abcdef");
    manifest->plan.requests = 11;
    manifest->plan.first_due_ns = 12;
    manifest->plan.last_due_ns = 13;
    manifest->plan.input_tokens = 14;
    manifest->plan.output_tokens = 15;
    manifest->open_loop = false;
    manifest->concurrency = 16;
    manifest->warm_connections = 17;
    run_manifest_set(&manifest->emulated_client, "aiohttp");
    manifest->interrupted = true;
    for (unsigned i = 0; i < OUTCOMES; i++)
        manifest->outcomes[i] = 100 + i;
    run_manifest_set_workers(manifest, 2);
    manifest->workers[0] = (struct run_worker){ 21, 0, 0, 22, 23, NULL };
    manifest->workers[1] = (struct run_worker){ 31, -1, 9, 32, 33, NULL };
    run_manifest_set(&manifest->workers[1].error, "killed");
}

static void assert_same_manifest(const struct run_manifest *got,
                                 const struct run_manifest *put)
{
    assert_string_equal(got->id, put->id);
    assert_int_equal(got->started_realtime_ns, put->started_realtime_ns);
    assert_int_equal(got->ended_realtime_ns, put->ended_realtime_ns);
    assert_int_equal(got->t0_monotonic_ns, put->t0_monotonic_ns);
    assert_int_equal(got->t0_realtime_ns, put->t0_realtime_ns);
    assert_string_equal(got->boot_id, put->boot_id);
    assert_int_equal(got->producers.count, put->producers.count);
    assert_string_equal(got->producers.items[1], put->producers.items[1]);
    assert_int_equal(got->command.count, put->command.count);
    assert_string_equal(got->command.items[2], put->command.items[2]);
    assert_string_equal(got->url, put->url);
    assert_string_equal(got->api, put->api);
    assert_string_equal(got->model, put->model);
    assert_true(got->seed == put->seed);
    assert_string_equal(got->plan.hash, put->plan.hash);
    assert_int_equal(got->plan.requests, put->plan.requests);
    assert_int_equal(got->plan.first_due_ns, put->plan.first_due_ns);
    assert_int_equal(got->plan.last_due_ns, put->plan.last_due_ns);
    assert_int_equal(got->plan.input_tokens, put->plan.input_tokens);
    assert_int_equal(got->plan.output_tokens, put->plan.output_tokens);
    assert_int_equal(got->open_loop, put->open_loop);
    assert_int_equal(got->concurrency, put->concurrency);
    assert_int_equal(got->warm_connections, put->warm_connections);
    assert_string_equal(got->emulated_client, put->emulated_client);
    assert_int_equal(got->interrupted, put->interrupted);
    assert_memory_equal(got->outcomes, put->outcomes, sizeof got->outcomes);
    assert_int_equal(got->worker_count, put->worker_count);
}

static void test_every_field(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct run_manifest put, got;
    fill(&put);
    assert_int_equal(run_manifest_write(&put, ".", &fault), STATUS_OK);
    assert_int_equal(run_manifest_read(&got, ".", &fault), STATUS_OK);
    assert_same_manifest(&got, &put);
    assert_int_equal(got.workers[0].pid, 21);
    assert_int_equal(got.workers[0].planned_requests, 22);
    assert_int_equal(got.workers[0].requests, 23);
    assert_null(got.workers[0].error);
    assert_int_equal(got.workers[1].exit_code, -1);
    assert_int_equal(got.workers[1].signal, 9);
    assert_string_equal(got.workers[1].error, "killed");
    run_manifest_release(&got);
    run_manifest_release(&put);
}

/* At the start of a run most is unknown: null in the file, and back again. */
static void test_unknown_fields(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct run_manifest put, got;
    run_manifest_init(&put);
    assert_int_equal(run_manifest_write(&put, ".", &fault), STATUS_OK);
    assert_int_equal(run_manifest_read(&got, ".", &fault), STATUS_OK);
    assert_null(got.id);
    assert_true(got.open_loop);
    assert_int_equal(got.ended_realtime_ns, TIME_NONE);
    assert_int_equal(got.plan.first_due_ns, TIME_NONE);
    assert_int_equal(got.worker_count, 0);
    run_manifest_release(&got);
    run_manifest_release(&put);
}

/* Every outcome has a key of its own name. */
static void test_outcome_names(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct run_manifest put;
    fill(&put);
    assert_int_equal(run_manifest_write(&put, ".", &fault), STATUS_OK);
    json_t *document = NULL;
    assert_int_equal(json_read_file("run.json", &document, &fault),
                     STATUS_OK);
    const json_t *outcomes = json_object_get(document, "outcomes");
    assert_int_equal(json_object_size(outcomes), OUTCOMES);
    for (unsigned i = 0; i < OUTCOMES; i++)
        assert_int_equal(json_integer_value(json_object_get(outcomes, outcome_name(i))),
                         100 + i);
    json_decref(document);
    run_manifest_release(&put);
}

/* Writes the manifest with one value replaced, or removed where it is NULL; returns what
 * reading says. */
static int read_with(const char *section, const char *key, json_t *value,
                     struct fault *fault)
{
    struct run_manifest manifest;
    json_t *document = NULL;
    fill(&manifest);
    assert_int_equal(run_manifest_write(&manifest, ".", fault), STATUS_OK);
    run_manifest_release(&manifest);
    assert_int_equal(json_read_file("run.json", &document, fault),
                     STATUS_OK);
    json_t *object = section ? json_object_get(document, section) : document;
    if (json_is_array(object))
        object = json_array_get(object, 1);
    if (value)
        json_object_set_new(object, key, value);
    else
        json_object_del(object, key);
    assert_int_equal(json_write_file(document, "run.json", true, fault),
                     0);
    json_decref(document);
    int status = run_manifest_read(&manifest, ".", fault);
    run_manifest_release(&manifest);
    return status;
}

static void test_broken(void **state)
{
    (void)state;
    const struct {
        const char *section;
        const char *key;
        json_t *value;
        int status;
        const char *text;
    } cases[] = {
        { NULL, "schema", NULL, STATUS_BAD_INPUT, "no \"schema\"" },
        { NULL, "schema", json_string("toktrace.run/2"), STATUS_UNSUPPORTED,
          "toktrace.run/2" },
        { NULL, "seed", json_integer(-1), STATUS_BAD_INPUT,
          "\"seed\": expected a count" },
        { NULL, "seed", json_string("18446744073709551616"), STATUS_BAD_INPUT,
          "\"seed\"" },
        { NULL, "seed", json_string(""), STATUS_BAD_INPUT, "\"seed\"" },
        { NULL, "seed", json_string("12x"), STATUS_BAD_INPUT, "\"seed\"" },
        { NULL, "id", json_integer(4), STATUS_BAD_INPUT, "\"id\": expected a string" },
        { NULL, "command", json_string("x"), STATUS_BAD_INPUT,
          "\"command\": expected an array" },
        { NULL, "interrupted", json_integer(0), STATUS_BAD_INPUT, "\"interrupted\"" },
        { NULL, "workers", json_object(), STATUS_BAD_INPUT,
          "\"workers\": expected an array" },
        { NULL, "plan", json_integer(1), STATUS_BAD_INPUT,
          "\"plan\": missing, or no object" },
        { "plan", "hash", NULL, STATUS_BAD_INPUT, "\"plan\": \"hash\" is missing" },
        { "plan", "first_due_ns", json_real(1.5), STATUS_BAD_INPUT, "\"first_due_ns\"" },
        { "workers", "signal", json_integer(1LL << 40), STATUS_BAD_INPUT,
          "worker 1: \"signal\"" },
        { "workers", "later", json_true(), STATUS_OK, "" },
        { NULL, "later", json_true(), STATUS_OK, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fault fault = { 0 };
        int status =
            read_with(cases[i].section, cases[i].key, cases[i].value, &fault);
        assert_int_equal(status, cases[i].status);
        assert_non_null(strstr(fault.text, cases[i].text));
    }
}

static void test_not_json(void **state)
{
    (void)state;
    struct run_manifest manifest;
    struct fault fault = { 0 };
    scratch_write("run.json", "{\n  \"schema\": ", 14);
    assert_int_equal(run_manifest_read(&manifest, ".", &fault), STATUS_BAD_INPUT);
    assert_non_null(strstr(fault.text, "run.json: line 2"));
    run_manifest_release(&manifest);
    assert_int_equal(run_manifest_read(&manifest, "none", &fault), STATUS_BAD_INPUT);
    run_manifest_release(&manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),   cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_outcome_names), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_not_json),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
