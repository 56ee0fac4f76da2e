#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/svg_chart.h"

static size_t count_of(struct buffer *page, const char *what)
{
    size_t count = 0;
    for (const char *at = buffer_text(page); (at = strstr(at, what)); at++)
        count++;
    return count;
}

static struct chart plain_chart(void)
{
    return (struct chart){ .title = "t", .description = "d", .x_label = "x",
                           .y_label = "y" };
}

/* The data's corners lie on the corners of the plot, whatever its size: a line from (0,0)
 * to (10,5), whose axes end at 10 and 5, begins at the crossing of the axes. */
static void test_places_points_between_the_axes(void **state)
{
    (void)state;
    struct buffer page = BUFFER_INIT;
    struct chart chart = plain_chart();
    double x0, y0, x1, y1, grid_x, grid_y, end_x, end_y;
    chart_curve(&chart, NULL, 1);
    chart_add(&chart, 0, 0);
    chart_add(&chart, 10, 5);
    chart_write(&chart, &page);
    const char *text = buffer_text(&page);
    const char *curve = strstr(text, "class=\"curve c1\" d=\"");
    assert_non_null(curve);
    assert_int_equal(sscanf(curve, "class=\"curve c1\" d=\"M%lf %lfh0L%lf %lf\"", &x0,
                            &y0, &x1, &y1), 4);
    const char *first = strstr(text, "class=\"grid\" d=\"M");
    assert_int_equal(sscanf(first, "class=\"grid\" d=\"M%lf %lfV%lf", &grid_x, &end_y,
                            &grid_y), 3);
    assert_true(x0 == grid_x && y0 == grid_y && y1 == end_y);
    assert_int_equal(sscanf(strstr(text, "H"), "H%lf", &end_x), 1);
    assert_true(x1 == end_x && x1 > x0 && y1 < y0);
    chart_release(&chart);
    buffer_release(&page);
}

/* A value that is not finite, or not above 0 on a logarithmic axis, breaks the line and
 * leaves no such number in the page. */
static void test_breaks_where_nothing_is_known(void **state)
{
    (void)state;
    struct buffer page = BUFFER_INIT;
    struct chart chart = plain_chart();
    chart.log_y = true;
    chart_curve(&chart, "a", 1);
    const double values[] = { 1, 10, NAN, 100, 0, INFINITY, -1, 1000, 100 };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        chart_add(&chart, (double)i, values[i]);
    chart_write(&chart, &page);
    assert_int_equal(count_of(&page, "h0"), 3); /* parts of the curve */
    assert_int_equal(count_of(&page, "nan") + count_of(&page, "inf"), 0);
    assert_int_equal(count_of(&page, ">1000</text>"), 1);
    chart_release(&chart);
    buffer_release(&page);
}

static void test_says_so_when_there_is_nothing(void **state)
{
    (void)state;
    struct buffer page = BUFFER_INIT;
    struct chart chart = plain_chart();
    chart_curve(&chart, "a", 1);
    chart_add(&chart, NAN, 1);
    chart_mark(&chart, &(struct chart_mark){ "m", 3, NAN, NAN });
    chart_write(&chart, &page);
    assert_int_equal(count_of(&page, "<svg"), 0);
    assert_int_equal(count_of(&page, "Nothing to show"), 1);
    chart_release(&chart);
    buffer_release(&page);
}

/* One value, all values equal, and values far apart have axes all the same. */
static void test_axes_of_odd_ranges(void **state)
{
    (void)state;
    static const double pairs[][2] = { { 5, 5 }, { 0, 0 }, { 1e-9, 1e12 }, { -3, -3 } };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int log = 0; log < 2; log++) {
            struct buffer page = BUFFER_INIT;
            struct chart chart = plain_chart();
            chart.log_x = chart.log_y = log;
            chart_curve(&chart, "a", 1);
            chart_add(&chart, 1, pairs[i][0]);
            chart_add(&chart, 2, pairs[i][1]);
            chart_write(&chart, &page);
            size_t tics = count_of(&page, "class=\"grid\"");
            assert_true(strstr(buffer_text(&page), "Nothing") || (tics > 2 && tics < 20));
            assert_int_equal(count_of(&page, "nan") + count_of(&page, "inf"), 0);
            chart_release(&chart);
            buffer_release(&page);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_points_between_the_axes),
        cmocka_unit_test(test_breaks_where_nothing_is_known),
        cmocka_unit_test(test_says_so_when_there_is_nothing),
        cmocka_unit_test(test_axes_of_odd_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
