/* Silences of answers and iterations of loops, of logs made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/stalls.h"
#include "tests/unit/log_maker.h"
#include "tests/unit/scratch.h"

enum { BINS = 10 };

static const int64_t end_ns = INT64_C(1000000000); /* so a bin has 100 ms */

static void read_bins(struct stall_bin *bins, const char *path)
{
    struct fault fault = { 0 };
    assert_int_equal(stalls_read(bins, BINS, 0, end_ns, path, &fault), STATUS_OK);
}

/* A gap counts where it ends; of several that end in one bin the longest. */
static void silences_between_tokens(void **state)
{
    (void)state;
    struct log_maker maker;
    struct stall_bin bins[BINS];
    log_maker_open(&maker, "gaps.toklog", 0, 2, "");
    log_maker_add(&maker, &(struct made_request){
        .sent_ms = 0, .first_ms = 50, .gap_ms = 200, .tokens = 3, .lag_ms = 1 });
    log_maker_add(&maker, &(struct made_request){
        .row = 1, .sent_ms = 10, .first_ms = 240, .gap_ms = 20, .tokens = 2 });
    log_maker_close(&maker);
    read_bins(bins, "gaps.toklog");
    for (size_t i = 0; i < BINS; i++)
        assert_int_equal(bins[i].silence_ns, i == 2 || i == 4 ? made_ns(200) : 0);
    assert_int_equal(bins[2].silence_from_ns, made_ns(50));
    assert_int_equal(bins[4].silence_from_ns, made_ns(250));
}

/* An answer that failed was silent to its end; one that succeeded had no more to say. */
static void silence_before_the_end(void **state)
{
    (void)state;
    static const enum outcome outcomes[] = { OUTCOME_OK, OUTCOME_IDLE_TIMEOUT };
    for (size_t i = 0; i < 2; i++) {
        struct log_maker maker;
        struct stall_bin bins[BINS];
        log_maker_open(&maker, i == 0 ? "ok.toklog" : "failed.toklog", 0, 1, "");
        log_maker_add(&maker, &(struct made_request){
            .sent_ms = 0, .first_ms = 100, .tokens = 1, .lag_ms = 750,
            .outcome = outcomes[i] });
        log_maker_close(&maker);
        read_bins(bins, i == 0 ? "ok.toklog" : "failed.toklog");
        assert_int_equal(bins[8].silence_ns, i == 0 ? 0 : made_ns(750));
    }
}

/* An iteration may have been anywhere in its record's span; longer ones win. */
static void iterations_of_loops(void **state)
{
    (void)state;
    static const struct loop_record loops[] = {
        { .from_ns = 0, .to_ns = 450000000, .stall_ns = 3000000 },
        { .from_ns = 310000000, .to_ns = 650000000, .stall_ns = 7000000 },
        { .from_ns = 1500000000, .to_ns = 2500000000, .stall_ns = 9000000 },
    };
    struct log_maker maker;
    struct stall_bin bins[BINS];
    log_maker_open(&maker, "loops.toklog", 0, 0, "");
    for (size_t i = 0; i < 3; i++)
        arrivals_writer_loop(maker.writer, &loops[i]);
    log_maker_close(&maker);
    read_bins(bins, "loops.toklog");
    for (size_t i = 0; i < BINS; i++)
        assert_int_equal(bins[i].iteration_ns, i < 3 ? 3000000 : i < 7 ? 7000000 : 0);
}

static void a_log_that_is_not_there(void **state)
{
    (void)state;
    struct stall_bin bins[BINS];
    struct fault fault = { 0 };
    assert_true(stalls_read(bins, BINS, 0, end_ns, "none.toklog", &fault) < 0);
    assert_non_null(strstr(fault.text, "none.toklog"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silences_between_tokens),
        cmocka_unit_test(silence_before_the_end),
        cmocka_unit_test(iterations_of_loops),
        cmocka_unit_test(a_log_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
