/* Laws of lengths: moments of many draws against arithmetic. Seeds are fixed;
 * tolerances are 4 standard errors of the mean: passed by chance once in 16,000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assert_close.h"
#include "replay/length_law.h"
#include "scratch.h"

enum { DRAWS = 20000 };

struct moments {
    double mean;
    double sd;
    uint32_t min;
    uint32_t max;
};

static struct moments draw(const char *text)
{
    struct length_law law;
    struct fault fault = { 0 };
    struct moments moments = { .min = UINT32_MAX };
    double squares = 0;
    assert_int_equal(length_law_parse(&law, "input-tokens", text, &fault), STATUS_OK);
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint32_t length = length_law_draw(&law, STREAM_INPUT, 11, i);
        moments.mean += (double)length / DRAWS;
        squares += (double)length * length / DRAWS;
        moments.min = length < moments.min ? length : moments.min;
        moments.max = length > moments.max ? length : moments.max;
    }
    moments.sd = sqrt(squares - moments.mean * moments.mean);
    length_law_release(&law);
    return moments;
}

static void constant(void **state)
{
    (void)state;
    struct moments moments = draw("128");
    assert_int_equal(moments.min, 128);
    assert_int_equal(moments.max, 128);
}

static void uniform_has_both_ends(void **state)
{
    (void)state;
    struct moments moments = draw("uniform:3,12");
    assert_int_equal(moments.min, 3);
    assert_int_equal(moments.max, 12);
    /* Variance of ten equal steps: (10² - 1)/12. */
    assert_close(moments.mean, 7.5, 4 * sqrt(99.0 / 12 / DRAWS));
    assert_close_relative(moments.sd, sqrt(99.0 / 12), 0.03);
}

static void normal_has_mean_and_sd(void **state)
{
    (void)state;
    struct moments moments = draw("normal:200,30");
    assert_close(moments.mean, 200, 4 * 30 / sqrt(DRAWS));
    assert_close_relative(moments.sd, 30.0, 0.03);
    assert_true(draw("normal:1,50").min >= 1);
}

/* The fourth moment of this lognormal makes the error of its sd about 2 %. */
static void lognormal_has_mean_and_sd_of_the_length(void **state)
{
    (void)state;
    struct moments moments = draw("lognormal:1000,500");
    assert_close(moments.mean, 1000, 4 * 500 / sqrt(DRAWS));
    assert_close_relative(moments.sd, 500.0, 0.08);
}

static void rows_of_a_file_stay_together(void **state)
{
    (void)state;
    const char *text = "num_prefill_tokens,num_decode_tokens\n10,1\n20,2\n30,3\n";
    struct length_law law;
    struct fault fault = { 0 };
    double counts[4] = { 0 };
    scratch_write("lengths.csv", text, strlen(text));
    assert_int_equal(length_law_parse(&law, "input-tokens", "lengths.csv", &fault),
                     STATUS_OK);
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint32_t input = length_law_draw(&law, STREAM_INPUT, 11, i);
        uint32_t output = length_law_draw(&law, STREAM_OUTPUT, 11, i);
        assert_int_equal(input, 10 * output);
        counts[output]++;
    }
    for (int i = 1; i <= 3; i++)
        assert_close(counts[i], DRAWS / 3.0, 4 * sqrt(DRAWS * 2 / 9.0));
    length_law_release(&law);
}

static void input_and_output_are_drawn_apart(void **state)
{
    (void)state;
    struct length_law law;
    struct fault fault = { 0 };
    int equal = 0;
    assert_int_equal(length_law_parse(&law, "x", "uniform:1,1000", &fault), STATUS_OK);
    for (uint64_t i = 0; i < 1000; i++)
        equal += length_law_draw(&law, STREAM_INPUT, 1, i)
                 == length_law_draw(&law, STREAM_OUTPUT, 1, i);
    assert_true(equal < 10);
    length_law_release(&law);
}

static void laws_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = { "0",            "-5",          "100000001",
                                       "uniform:5",    "uniform:5,4", "uniform:0,4",
                                       "uniform:1.5,4", "normal:0,1", "normal:5,-1",
                                       "lognormal:,1", "normal:5,1,2" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct length_law law;
        struct fault fault = { 0 };
        if (length_law_parse(&law, "input-tokens", bad[i], &fault) != STATUS_USAGE)
            fail_msg("%s", bad[i]);
    }
    struct length_law law;
    struct fault fault = { 0 };
    assert_int_equal(length_law_parse(&law, "input-tokens", "absent", &fault),
                     STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant),
        cmocka_unit_test(uniform_has_both_ends),
        cmocka_unit_test(normal_has_mean_and_sd),
        cmocka_unit_test(lognormal_has_mean_and_sd_of_the_length),
        cmocka_unit_test(rows_of_a_file_stay_together),
        cmocka_unit_test(input_and_output_are_drawn_apart),
        cmocka_unit_test(laws_are_checked),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
