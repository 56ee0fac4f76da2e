/* The text of figures: labels from outside, blocks of data, axes, panels, curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyze/figure.h"
#include "tests/unit/scratch.h"

static void expect_label(const char *outside, const char *expected)
{
    struct buffer label = BUFFER_INIT;
    figure_append_label(&label, outside);
    assert_string_equal(buffer_text(&label), expected);
    buffer_release(&label);
}

static void labels_are_text(void **state)
{
    (void)state;
    expect_label("run-1", "run-1");
    expect_label("it's `x` \"y\"", "it’s ’x’ ’y’");
    expect_label("a\nb\x1b[0m", "a?b?[0m");
    expect_label("\u202eabc\u2066", "?abc?");
    expect_label("\xff\xc0\x80z", "???z");
    expect_label("漢字", "漢字");
    expect_label("123456789012345678901234", "123456789012345678901234");
    expect_label("1234567890123456789012345", "123456789012345678901234…");
    assert_int_equal(figure_label_width("abc…"), 4);
    assert_int_equal(figure_label_width("漢字 у"), 6);
}

/* gnuplot would not count a block without lines. */
static void blocks_keep_their_places(void **state)
{
    (void)state;
    struct figure figure = { .name = "test" };
    double row[] = { 1, 0.1, NAN };
    double unknown[] = { 1, NAN, 2 };
    figure_remark(&figure, "x (%s), y", "ms");
    assert_int_equal(figure_block(&figure, "empty"), 0);
    assert_int_equal(figure_block(&figure, "one"), 1);
    figure_row(&figure, row, 3);
    assert_int_equal(figure_block(&figure, "unknown"), 2);
    figure_row(&figure, unknown, 3);
    figure_block_end(&figure);
    assert_string_equal(buffer_text(&figure.data), "# x (ms), y\n"
                                                   "\n# empty\nnan nan\n"
                                                   "\n\n# one\n1 0.1 nan\n"
                                                   "\n\n# unknown\n1 nan 2\n");
    for (size_t i = 0; i < 3; i++)
        figure_curve(&figure, i, "using 1:2 title 'b%zu'", i);
    assert_string_equal(buffer_text(&figure.script),
                        "plot 'test.dat' index 1 using 1:2 title 'b1'");
    assert_int_equal(figure.all_curves, 1);
    figure_release(&figure);
}

static void expect_axis(struct figure_range range, const char *expected)
{
    struct figure figure = { .name = "test" };
    figure_log_axis(&figure, "x", range);
    assert_string_equal(buffer_text(&figure.script), expected);
    figure_release(&figure);
}

static void logarithmic_axes(void **state)
{
    (void)state;
    expect_axis((struct figure_range){ 10, 1000 },
                "set logscale x 10\nset xrange [9.091:1100]\n"
                "set xtics ('10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, "
                "'1000' 1000)\n");
    /* less than four times its low end: as wide to both sides */
    expect_axis((struct figure_range){ 10, 10 },
                "set logscale x 10\nset xrange [4.545:22]\n"
                "set xtics ('5' 5, '7' 7, '10' 10, '15' 15, '20' 20)\n");
    expect_axis((struct figure_range){ 1e-3, 1e9 },
                "set logscale x 10\nset xrange [0.0009091:1.1e+09]\n"
                "set xtics ('0.01' 0.01, '1' 1, '100' 100, '10k' 10000, '1M' 1000000, "
                "'100M' 100000000)\n");
    expect_axis((struct figure_range)FIGURE_RANGE_EMPTY,
                "set logscale x 10\nset xrange [0.9091:11]\n"
                "set xtics ('1' 1, '2' 2, '5' 5, '10' 10)\n");
}

static void linear_axes(void **state)
{
    (void)state;
    struct figure figure = { .name = "test" };
    figure_linear_axis(&figure, "y", 0, 65000);
    assert_string_equal(buffer_text(&figure.script),
                        "set yrange [0:65000]\nset ytics ('0' 0, '10k' 10000, "
                        "'20k' 20000, '30k' 30000, '40k' 40000, '50k' 50000, "
                        "'60k' 60000)\n");
    buffer_clear(&figure.script);
    figure_linear_axis(&figure, "y", -0.1, 0.5);
    assert_string_equal(buffer_text(&figure.script),
                        "set yrange [-0.1:0.5]\nset ytics ('-0.1' -0.1, '0' 0, "
                        "'0.1' 0.1, '0.2' 0.2, '0.3' 0.3, '0.4' 0.4, '0.5' 0.5)\n");
    buffer_clear(&figure.script);
    figure_linear_axis(&figure, "y", 0, 0);
    assert_non_null(strstr(buffer_text(&figure.script), "set yrange [0:1]"));
    figure_release(&figure);
}

/* Heights do not depend on what is drawn, but on panels and rows of keys. */
static void panels_and_keys(void **state)
{
    (void)state;
    static const struct figure_key none[3];
    static const struct figure_key long_ones[3] = { { 3, 24 } };
    struct figure narrow = { .name = "test", .width_in = 3.33 };
    struct figure wide = { .name = "test", .width_in = 7 };
    struct figure keyed = { .name = "test", .width_in = 3.33 };
    figure_panels(&narrow, 3, 1, none);
    figure_panels(&wide, 3, 1, none);
    figure_panels(&keyed, 3, 1, long_ones);
    assert_true(wide.columns == 2 && narrow.columns == 1);
    assert_true(fabs(narrow.height_in / 3 - wide.height_in / 2) < 1e-9);
    assert_true(keyed.height_in > narrow.height_in + 3 * 0.1);
    figure_panel(&narrow, 0, "x", "y");
    figure_panel_end(&narrow);
    assert_non_null(strstr(buffer_text(&narrow.script), "no values"));
    figure_release(&narrow);
    figure_release(&wide);
    figure_release(&keyed);
}

static void files_that_exist(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    assert_int_equal(figure_check_absent(".", "cdf", "pdf", &fault), STATUS_OK);
    scratch_write("cdf.pdf", "x", 1);
    assert_int_equal(figure_check_absent(".", "cdf", "pdf", &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "./cdf.pdf exists"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_text),   cmocka_unit_test(blocks_keep_their_places),
        cmocka_unit_test(logarithmic_axes),  cmocka_unit_test(linear_axes),
        cmocka_unit_test(panels_and_keys),   cmocka_unit_test(files_that_exist),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
