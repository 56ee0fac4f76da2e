/* --server: what it takes, what it refuses, what it lets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/server_filter.h"
#include "tests/unit/packet_builder.h"

static struct server_filter parse(const char *text)
{
    struct server_filter filter;
    struct fault fault = { "" };
    assert_int_equal(server_filter_parse(&filter, text, &fault), STATUS_OK);
    return filter;
}

static void servers_are_told_apart(void **state)
{
    (void)state;
    struct segment segment = segment_of(1, 1, 1, SEGMENT_ACK, "x",
                                        0); /* to 127.0.0.1:8000 */
    static const struct {
        const char *text;
        bool wanted;
    } cases[] = { { "127.0.0.1:8000", true },
                  { ":8000", true },
                  { ":40000", true },
                  { "127.0.0.1:8001", false },
                  { "127.0.0.2:8000", false },
                  { "[::ffff:127.0.0.1]:8000", true },
                  { "[2001:db8::1]:8000", false } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct server_filter filter = parse(cases[i].text);
        assert_int_equal(server_filter_wants(&filter, &segment), cases[i].wanted);
    }
    struct server_filter any = { .any_address = false };
    assert_true(server_filter_wants(&any, &segment));
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "8000", "localhost:8000", "127.0.0.1:", ":0",
                                         ":65536", "1.2.3:80", "[::1:80", ":80x" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct server_filter filter;
        struct fault fault = { "" };
        assert_int_equal(server_filter_parse(&filter, texts[i], &fault), STATUS_USAGE);
        assert_non_null(strstr(fault.text, "--server"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_are_told_apart),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests_name("server_filter", tests, NULL, NULL);
}
