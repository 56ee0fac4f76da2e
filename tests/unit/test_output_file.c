#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/base/output_file.h"
#include "tests/unit/scratch.h"

static void test_whole_file_appears_at_commit(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "new", 0, &fault), STATUS_OK);
    fputs("content", file.stream);
    assert_false(scratch_exists("new"));
    assert_true(scratch_exists("new.part"));
    assert_int_equal(output_file_commit(&file, &fault), STATUS_OK);
    assert_string_equal(scratch_read("new"), "content");
    assert_false(scratch_exists("new.part"));
    output_file_abandon(&file);
    assert_true(scratch_exists("new"));
}

static void test_abandon_leaves_nothing(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "given-up", 0, &fault), STATUS_OK);
    fputs("content", file.stream);
    output_file_abandon(&file);
    assert_false(scratch_exists("given-up"));
    assert_false(scratch_exists("given-up.part"));
    output_file_abandon(&file);
}

static void test_no_overwrite_without_force(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    scratch_write("old", "old", 3);
    assert_int_equal(output_file_open(&file, "old", 0, &fault), STATUS_USAGE);
    assert_string_equal(fault.text, "old exists; --force overwrites it");
    output_file_abandon(&file);
    assert_int_equal(output_file_open(&file, "old", OUTPUT_FORCE, &fault), STATUS_OK);
    fputs("new", file.stream);
    assert_string_equal(scratch_read("old"), "old");
    assert_int_equal(output_file_commit(&file, &fault), STATUS_OK);
    assert_string_equal(scratch_read("old"), "new");
}

static void test_file_that_appears_meanwhile_is_kept(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "race", 0, &fault), STATUS_OK);
    fputs("ours", file.stream);
    scratch_write("race", "theirs", 6);
    assert_int_equal(output_file_commit(&file, &fault), STATUS_IO);
    assert_string_equal(scratch_read("race"), "theirs");
    assert_false(scratch_exists("race.part"));
}

static void test_full_disk_is_reported(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "/dev/full", 0, &fault), STATUS_OK);
    fputs("content", file.stream);
    assert_int_equal(output_file_commit(&file, &fault), STATUS_IO);
    assert_string_equal(fault.text, "cannot write /dev/full: No space left on device");
}

static void test_missing_directory(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "no/such/file", 0, &fault), STATUS_IO);
    assert_string_equal(fault.text,
                        "cannot create no/such/file.part: No such file or directory");
    output_file_abandon(&file);
}

static void test_device_is_written_in_place(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "/dev/null", OUTPUT_BINARY, &fault),
                     STATUS_OK);
    assert_null(file.part_path);
    fputs("content", file.stream);
    assert_int_equal(output_file_commit(&file, &fault), STATUS_OK);
    assert_true(scratch_exists("/dev/null"));
}

static void test_standard_output(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct output_file file;
    assert_int_equal(output_file_open(&file, "-", 0, &fault), STATUS_OK);
    assert_ptr_equal(file.stream, stdout);
    output_file_abandon(&file);
    assert_int_equal(output_file_open(&file, NULL, 0, &fault), STATUS_OK);
    assert_ptr_equal(file.stream, stdout);
    assert_int_equal(output_file_commit(&file, &fault), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_file_appears_at_commit),
        cmocka_unit_test(test_abandon_leaves_nothing),
        cmocka_unit_test(test_no_overwrite_without_force),
        cmocka_unit_test(test_file_that_appears_meanwhile_is_kept),
        cmocka_unit_test(test_full_disk_is_reported),
        cmocka_unit_test(test_missing_directory),
        cmocka_unit_test(test_device_is_written_in_place),
        cmocka_unit_test(test_standard_output),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
