/* profile.json: written, read back, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "formats/profile_manifest.h"
#include "formats/base/memory.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/scratch.h"

static void written_and_read_back(void **state)
{
    (void)state;
    struct profile_manifest manifest = {
        .parameters = memory_copy_text("sweep linear", 12),
        .stage_duration_ns = 30000000000,
        .from_per_s = 12.5,
        .to_per_s = 100,
    };
    struct profile_manifest back;
    struct fault fault = { 0 };
    struct profile_stage *stage = profile_manifest_add(&manifest, STAGE_LADDER);
    stage->concurrency = 8;
    stage->finished = true;
    stage = profile_manifest_add(&manifest, STAGE_REFINE);
    stage->rate_per_s = 33.25;
    stage->repetition = 2;
    stage->finished = true;
    stage->finding = STAGE_CLIENT_LIMITED;
    profile_manifest_add(&manifest, STAGE_SWEEP);
    assert_false(profile_directory_is("."));
    assert_int_equal(profile_manifest_write(&manifest, ".", &fault), STATUS_OK);
    assert_true(profile_directory_is("."));
    assert_int_equal(profile_manifest_read(&back, ".", &fault), STATUS_OK);
    assert_string_equal(back.parameters, "sweep linear");
    assert_null(back.slo);
    assert_true(back.stage_duration_ns == 30000000000);
    assert_close(back.from_per_s, 12.5, 0);
    assert_int_equal(back.count, 3);
    assert_string_equal(back.stages[1].directory, "stage-001");
    assert_int_equal(back.stages[0].concurrency, 8);
    assert_int_equal(back.stages[1].purpose, STAGE_REFINE);
    assert_int_equal(back.stages[1].repetition, 2);
    assert_int_equal(back.stages[1].finding, STAGE_CLIENT_LIMITED);
    assert_close(back.stages[1].rate_per_s, 33.25, 0);
    assert_false(back.stages[2].finished);
    profile_manifest_release(&manifest);
    profile_manifest_release(&back);
}

static void expect_refused(const char *text, int status)
{
    struct profile_manifest manifest;
    struct fault fault = { 0 };
    scratch_write("profile.json", text, strlen(text));
    assert_int_equal(profile_manifest_read(&manifest, ".", &fault), status);
    assert_true(fault.text[0] != '\0');
    profile_manifest_release(&manifest);
}

#define STAGE(directory, purpose, finding) \
    "{\"schema\": \"toktrace.profile/1\", \"stages\": [{\"directory\": \"" directory \
    "\", \"purpose\": \"" purpose "\", \"rate_per_s\": 1, \"concurrency\": 0, " \
    "\"repetition\": 0, \"finished\": true, \"finding\": \"" finding "\"}]}"

static void refused(void **state)
{
    (void)state;
    expect_refused("{", STATUS_BAD_INPUT);
    expect_refused("{}", STATUS_BAD_INPUT);
    expect_refused("{\"schema\": \"toktrace.profile/2\"}", STATUS_UNSUPPORTED);
    expect_refused("{\"schema\": \"toktrace.profile/1\"}", STATUS_BAD_INPUT);
    expect_refused(STAGE("../other", "sweep", "held"), STATUS_BAD_INPUT);
    expect_refused(STAGE("..", "sweep", "held"), STATUS_BAD_INPUT);
    expect_refused(STAGE("stage-000", "walk", "held"), STATUS_BAD_INPUT);
    expect_refused(STAGE("stage-000", "sweep", "maybe"), STATUS_BAD_INPUT);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(stage_purpose_name(STAGE_SWEEP), "sweep");
    assert_string_equal(stage_finding_name(STAGE_TOO_SHORT), "too_short");
    assert_null(stage_purpose_name(99));
    assert_null(stage_finding_name(99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(refused),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("profile_manifest", tests, scratch_enter,
                                       scratch_leave);
}
