/* Run directories: made once, found again. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/run_directory.h"
#include "tests/unit/scratch.h"

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    assert_true(fd >= 0);
    close(fd);
}

static void write_named(const char *directory, const char *name)
{
    char *path = run_directory_file(directory, name);
    touch(path);
    free(path);
}

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *directory;
        uint32_t worker;
        const char *path;
    } cases[] = {
        { "run", 0, "run/worker-000.toklog" },
        { "run/", 7, "run/worker-007.toklog" },
        { "/", 12, "/worker-012.toklog" },
        { "a//", 1234, "a/worker-1234.toklog" },
        { "run", UINT32_MAX, "run/worker-4294967295.toklog" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = run_directory_worker_log(cases[i].directory, cases[i].worker);
        assert_string_equal(path, cases[i].path);
        free(path);
    }
}

static void test_create_refuses_what_exists(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    const char *path = "fresh";
    assert_int_equal(run_directory_create(path, false, &fault), STATUS_OK);
    assert_int_equal(run_directory_create(path, false, &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "fresh: exists"));
    assert_int_equal(run_directory_create(path, true, &fault), STATUS_OK);
    char *file = run_directory_file(path, "x");
    touch(file);
    assert_int_equal(run_directory_create(path, true, &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "not empty"));
    assert_int_equal(run_directory_create(file, true, &fault), STATUS_USAGE);
    free(file);
    assert_int_equal(run_directory_create("no/such", false, &fault),
                     STATUS_IO);
    assert_non_null(strstr(fault.text, "No such file"));
}

static void test_logs_in_order(void **state)
{
    (void)state;
    static const char *const names[] = {
        "worker-1000.toklog", "worker-002.toklog",   "wire.toklog", "worker-010.toklog",
        "worker-000.toklog",  "worker-5.toklog.part", "run.json",   "worker-x.toklog",
    };
    static const char *const expected[] = { "worker-000.toklog", "worker-002.toklog",
                                            "worker-010.toklog", "worker-1000.toklog" };
    struct fault fault = { 0 };
    struct run_logs logs;
    const char *path = "listed";
    assert_int_equal(run_directory_create(path, false, &fault), STATUS_OK);
    assert_false(run_directory_is(path));
    assert_int_equal(run_directory_logs(&logs, path, &fault), STATUS_OK);
    assert_int_equal(logs.workers.count, 0);
    assert_null(logs.wire);
    run_logs_release(&logs);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_named(path, names[i]);
    }
    assert_true(run_directory_is(path));
    assert_int_equal(run_directory_logs(&logs, path, &fault), STATUS_OK);
    assert_int_equal(logs.workers.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(strrchr(logs.workers.items[i], '/') + 1, expected[i]);
    assert_string_equal(strrchr(logs.wire, '/'), "/wire.toklog");
    run_logs_release(&logs);

    write_named(path, "worker-2.toklog");
    assert_int_equal(run_directory_logs(&logs, path, &fault), STATUS_BAD_INPUT);
    assert_non_null(strstr(fault.text, "a second log of worker 2"));
    run_logs_release(&logs);
}

/* What a run wrote goes; a directory that holds something else stays. */
static void test_remove(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    for (int foreign = 0; foreign < 2; foreign++) {
        assert_int_equal(run_directory_create("gone", false, &fault), STATUS_OK);
        write_named("gone", "run.json");
        write_named("gone", "worker-000.toklog");
        write_named("gone", "worker-001.toklog");
        if (foreign)
            write_named("gone", "notes");
        run_directory_remove("gone");
        assert_int_equal(scratch_exists("gone"), foreign);
        assert_int_equal(scratch_exists("gone/notes"), foreign);
        assert_false(scratch_exists("gone/run.json"));
        assert_false(scratch_exists("gone/worker-001.toklog"));
    }
    run_directory_remove("none");
}

static void test_no_directory(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct run_logs logs;
    assert_false(run_directory_is("nowhere"));
    assert_int_equal(run_directory_logs(&logs, "nowhere", &fault),
                     STATUS_IO);
    run_logs_release(&logs);
}

static void test_name_of_a_run(void **state)
{
    (void)state;
    assert_string_equal(run_directory_name("run"), "run");
    assert_string_equal(run_directory_name("a/b/run"), "run");
    assert_string_equal(run_directory_name("a//run//"), "run//");
    assert_string_equal(run_directory_name("/"), "/");
    assert_string_equal(run_directory_name(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_of_a_run),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_create_refuses_what_exists),
        cmocka_unit_test(test_logs_in_order),
        cmocka_unit_test(test_remove),
        cmocka_unit_test(test_no_directory),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
