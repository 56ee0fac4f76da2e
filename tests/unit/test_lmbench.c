/* LMBenchmark's CSV files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analyze/lmbench.h"
#include "tests/unit/assert_close.h"
#include "tests/unit/scratch.h"

#define HEADER \
    "prompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time\n"

static int read_text(struct collection *collection, const char *text, struct fault *fault)
{
    *collection = (struct collection){ 0 };
    scratch_write("sweep_1.csv", text, strlen(text));
    return lmbench_read(collection, "sweep_1.csv", fault);
}

/* Rows are not sorted by time; times count from the first launch. */
static void rows(void **state)
{
    (void)state;
    struct collection collection;
    struct fault fault = { 0 };
    const char *text = HEADER "20.0,5.0,0.5,2,1002,1004.5\n"
                              "10.0,1.0,0.25,0,1000,1000.25\n";
    assert_int_equal(read_text(&collection, text, &fault), STATUS_OK);
    assert_int_equal(collection.count, 2);
    const struct request_sample *first = &collection.samples[0];
    double seconds;
    assert_true(first->sent_ns == 2000000000);
    assert_true(first->end_ns == 4500000000);
    assert_int_equal(first->input_tokens, 20);
    assert_int_equal(first->output_tokens, 5);
    assert_true(metric_value(first, METRIC_TTFT, BY_ARRIVAL, &seconds));
    assert_close(seconds, 0.5, 1e-9);
    assert_true(metric_value(first, METRIC_TPOT, BY_ARRIVAL, &seconds));
    assert_close(seconds, 0.5, 1e-9); /* 2 s over 4 tokens */
    assert_true(metric_value(first, METRIC_NTPOT, BY_ARRIVAL, &seconds));
    assert_close(seconds, 0.5, 1e-9); /* 2.5 s over 5 */
    assert_false(metric_value(&collection.samples[1], METRIC_TPOT, BY_ARRIVAL, &seconds));
    collection_release(&collection);
    assert_int_equal(read_text(&collection, HEADER, &fault), STATUS_OK);
    assert_int_equal(collection.count, 0);
    collection_release(&collection);
}

static void expect_refused(const char *text, const char *words)
{
    struct collection collection;
    struct fault fault = { 0 };
    assert_int_equal(read_text(&collection, text, &fault), STATUS_BAD_INPUT);
    assert_non_null(strstr(fault.text, words));
    assert_int_equal(collection.count, 0);
    collection_release(&collection);
}

static void refused(void **state)
{
    (void)state;
    expect_refused("", "expected a header");
    expect_refused("a,b\n1,2\n", "no column \"prompt_tokens\"");
    expect_refused(HEADER "1,2,3\n", "sweep_1.csv:2: no generation_time");
    expect_refused(HEADER "1,2,x,4,5,6\n", "sweep_1.csv:2:5: ttft is \"x\"");
    expect_refused(HEADER "1,2,-1,4,5,6\n", "ttft is \"-1\"");
    expect_refused(HEADER "1,2,nan,4,5,6\n", "ttft is \"nan\"");
    expect_refused(HEADER "1,2,3,4,6,5\n", "finish_time is before launch_time");
    expect_refused(HEADER "1e9,2,3,4,5,6\n", "prompt_tokens is \"1e9\"");
}

static void loads_from_names(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    double rate;
    assert_int_equal(lmbench_rate("dir_7/long_input_output_2.25.csv", &rate, &fault), 0);
    assert_close(rate, 2.25, 0);
    assert_int_equal(lmbench_rate("x_10.csv.gz", &rate, &fault), 0);
    assert_close(rate, 10.0, 0);
    assert_int_equal(lmbench_rate("x.csv", &rate, &fault), STATUS_USAGE);
    assert_int_equal(lmbench_rate("x_.csv", &rate, &fault), STATUS_USAGE);
    assert_int_equal(lmbench_rate("x_0.csv", &rate, &fault), STATUS_USAGE);
    assert_int_equal(lmbench_rate("x_fast.csv", &rate, &fault), STATUS_USAGE);
    assert_int_equal(lmbench_rate("x_5", &rate, &fault), STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(refused),
        cmocka_unit_test(loads_from_names),
    };
    return cmocka_run_group_tests_name("lmbench", tests, scratch_enter, scratch_leave);
}
