#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/html_text.h"
#include "analyze/sheet.h"

static const char *html(struct buffer *page, const char *text, size_t characters_max)
{
    buffer_clear(page);
    html_append_text(page, text, characters_max);
    return buffer_text(page);
}

static void test_text_of_a_page(void **state)
{
    (void)state;
    struct buffer page = BUFFER_INIT;
    assert_string_equal(html(&page, "<a href=\"x\">&\n", 99),
                        "&lt;a href=&quot;x&quot;&gt;&amp; ");
    assert_string_equal(html(&page, "\xc3\xa4\xe2\x82\xac\xc3\xbc", 2),
                        "\xc3\xa4\xe2\x82\xac…");
    assert_string_equal(html(&page, "abc", 3), "abc");
    /* a byte that is no UTF-8, RIGHT-TO-LEFT OVERRIDE, ESC */
    assert_string_equal(html(&page, "\xff\xe2\x80\xae\x1b", 9),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(html(&page, "\xe2\x82", 9), "\xef\xbf\xbd\xef\xbf\xbd");
    buffer_release(&page);
}

static void fill(struct sheet *sheet)
{
    static const char *const heads[] = { "name", "value", NULL };
    struct text_table table = { 0 };
    text_table_start(&table, heads);
    text_table_add(&table, "%s", "a<b");
    text_table_add(&table, "%d", 12);
    sheet_sentence(sheet, "All %s.", "well");
    sheet_title(sheet, "Title of %d", 1);
    sheet_fact(sheet, "one", "x%sy", "\t");
    sheet_fact(sheet, "", "more");
    sheet_line(sheet, "in %s", "line");
    sheet_gap(sheet);
    sheet_table(sheet, &table);
    sheet_release(sheet);
    text_table_release(&table);
}

static void test_as_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    struct sheet sheet = { .out = open_memstream(&text, &len) };
    fill(&sheet);
    fclose(sheet.out);
    assert_string_equal(text, "All well.\n"
                              "\nTitle of 1\n"
                              "  one       x?y\n"
                              "            more\n"
                              "  in line\n"
                              "\n"
                              "  name  value\n"
                              "  a<b      12\n");
    free(text);
}

static void test_as_a_page(void **state)
{
    (void)state;
    struct buffer page = BUFFER_INIT;
    struct sheet sheet = { .page = &page };
    fill(&sheet);
    assert_string_equal(
        buffer_text(&page),
        "<p>All well.</p>\n<h3>Title of 1</h3>\n"
        "<table class=\"facts\">\n<tr><th scope=\"row\">one<td>x\xef\xbf\xbdy\n<br>more\n"
        "</table>\n<p>in line</p>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Title of 1\">"
        "<table>\n<tr><th scope=\"col\" class=\"word\">name<th scope=\"col\">value\n"
        "<tr><th scope=\"row\" class=\"word\">a&lt;b<td>12\n</table></div>\n");
    buffer_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_of_a_page),
        cmocka_unit_test(test_as_text),
        cmocka_unit_test(test_as_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
