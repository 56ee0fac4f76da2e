/* Rules of injected faults: their texts, and how often they strike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "replay/serve_fault.h"
#include "tests/unit/assert_close.h"

static int parse(struct serve_faults *faults, const char *const *texts, size_t count)
{
    struct fault fault = { { 0 } };
    const char *items[4];
    for (size_t i = 0; i < count; i++)
        items[i] = texts[i];
    struct option_list list = { .items = items, .count = count };
    *faults = (struct serve_faults){ .seed = 3 };
    int status = serve_faults_parse(faults, &list, &fault);
    assert_true((status == STATUS_OK) == (fault.text[0] == '\0'));
    return status;
}

static void rules_and_their_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum serve_fault_kind kind;
        double probability;
        int64_t argument;
    } rules[] = {
        { "status:0.5", SERVE_FAULT_STATUS, 0.5, 503 },
        { "status:1:429", SERVE_FAULT_STATUS, 1, 429 },
        { "fin:0.25:3", SERVE_FAULT_FIN, 0.25, 3 },
        { "rst:0:0", SERVE_FAULT_RST, 0, 0 },
        { "stall:0.05:500ms", SERVE_FAULT_STALL, 0.05, 500000000 },
        { "stall:0.05", SERVE_FAULT_STALL, 0.05, 1000000000 },
        { "no_read:1", SERVE_FAULT_NO_READ, 1, 0 },
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct serve_faults faults;
        assert_int_equal(parse(&faults, &rules[i].text, 1), STATUS_OK);
        assert_int_equal(faults.count, 1);
        assert_int_equal(faults.rules[0].fault.kind, rules[i].kind);
        assert_int_equal(faults.rules[0].fault.argument, rules[i].argument);
        assert_close(faults.rules[0].probability, rules[i].probability, 0);
    }
}

static void rules_that_make_no_sense(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",        "fin",       "fin:",         "fin:1.1",      "fin:-0.1",
        "fin:x",   "fun:0.5",   "status:1:200", "status:1:600", "fin:1:-1",
        "fin:1:x", "stall:1:5", "html:1:1",     "no_done:1:3",  "fin:nan"
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct serve_faults faults;
        if (parse(&faults, &texts[i], 1) != STATUS_USAGE)
            fail_msg("'%s' was accepted", texts[i]);
    }
}

/* Over 40,000 requests, 5 standard errors of a share of 0.1 are 0.0075. */
static void shares_are_kept(void **state)
{
    (void)state;
    enum { REQUESTS = 40000 };
    static const char *const texts[] = { "fin:0.1", "rst:0.5", "no_read:1" };
    struct serve_faults faults;
    assert_int_equal(parse(&faults, texts, 3), STATUS_OK);
    double fin = 0, rst = 0;
    for (uint64_t request = 0; request < REQUESTS; request++) {
        struct serve_fault struck = serve_faults_of_request(&faults, request);
        fin += struck.kind == SERVE_FAULT_FIN;
        rst += struck.kind == SERVE_FAULT_RST;
        assert_int_not_equal(struck.kind, SERVE_FAULT_NO_READ);
        assert_int_equal(serve_faults_of_request(&faults, request).kind, struck.kind);
    }
    assert_close(fin / REQUESTS, 0.1, 0.0075);
    assert_close(rst / REQUESTS, 0.9 * 0.5, 0.0125);
    assert_int_equal(serve_faults_of_connection(&faults, 0).kind, SERVE_FAULT_NO_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_and_their_arguments),
        cmocka_unit_test(rules_that_make_no_sense),
        cmocka_unit_test(shares_are_kept),
    };
    return cmocka_run_group_tests_name("serve_fault", tests, NULL, NULL);
}
