#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/time_bins.h"
#include "formats/base/clock.h"
#include "tests/unit/assert_close.h"

static struct request_sample sample_at(double due_s, double sent_s, double end_s)
{
    return (struct request_sample){
        .due_ns = (int64_t)(due_s * NS_PER_S),
        .sent_ns = sent_s < 0 ? TIME_NONE : (int64_t)(sent_s * NS_PER_S),
        .end_ns = end_s < 0 ? TIME_NONE : (int64_t)(end_s * NS_PER_S),
    };
}

/* Ten seconds in five bins of two, whose middles are at 1, 3, 5, 7 and 9 s. */
static void test_counts(void **state)
{
    (void)state;
    struct request_sample samples[] = {
        sample_at(0, 0.5, 3.5), /* in flight at 1 and 3 */
        sample_at(1, 1, 5),     /* at 1 and 3: over at 5 */
        sample_at(4, 4.5, 10),  /* at 5, 7 and 9 */
        sample_at(9, -1, -1),   /* never sent */
        sample_at(2, 2, 4),     /* at 3; it failed */
    };
    for (size_t i = 0; i < 5; i++)
        samples[i].arrival.first_ns = samples[i].arrival.last_ns = TIME_NONE;
    /* 8 tokens from 1 s to 5 s, 2 per second; one token at 9 s */
    samples[1].arrival.first_ns = NS_PER_S;
    samples[1].arrival.last_ns = INT64_C(5) * NS_PER_S;
    samples[1].output_tokens = 8;
    samples[2].arrival.first_ns = INT64_C(9) * NS_PER_S;
    samples[2].arrival.last_ns = samples[2].arrival.first_ns;
    samples[2].output_tokens = 1;
    samples[4].outcome = OUTCOME_TIMEOUT;
    samples[3].outcome = OUTCOME_NOT_SENT;
    const struct collection collection = { .samples = samples, .count = 5,
                                           .epoch_count = 1 };
    struct time_bins bins;
    assert_true(time_bins_of(&bins, &collection, 5));
    const double planned[] = { 2, 1, 1, 0, 1 };
    const double sent[] = { 2, 1, 1, 0, 0 };
    const double completed[] = { 0, 1, 1, 0, 1 };
    const double tokens[] = { 2, 4, 2, 0, 1 };
    const double in_flight[] = { 2, 3, 1, 1, 1 };
    for (size_t i = 0; i < 5; i++) {
        assert_close(bins.bins[i].planned_per_s, planned[i] / 2, 1e-12);
        assert_close(bins.bins[i].sent_per_s, sent[i] / 2, 1e-12);
        assert_close(bins.bins[i].completed_per_s, completed[i] / 2, 1e-12);
        assert_close(bins.bins[i].tokens_per_s, tokens[i] / 2, 1e-12);
        assert_close(bins.bins[i].in_flight, in_flight[i], 1e-12);
        assert_close(time_bins_middle_s(&bins, i), 1 + 2 * (double)i, 1e-12);
    }
}

static void test_refuses_what_has_no_span(void **state)
{
    (void)state;
    struct request_sample samples[] = { sample_at(1, 1, 1), sample_at(1, 1, 2) };
    struct collection collection = { .samples = samples, .count = 0, .epoch_count = 1 };
    struct time_bins bins;
    assert_false(time_bins_of(&bins, &collection, 3));
    collection.count = 1;
    assert_false(time_bins_of(&bins, &collection, 3));
    collection.count = 2;
    assert_true(time_bins_of(&bins, &collection, 3));
    collection.epoch_count = 2;
    assert_false(time_bins_of(&bins, &collection, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_refuses_what_has_no_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
