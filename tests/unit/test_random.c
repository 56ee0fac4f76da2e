/* Statistical tests fix their seed; each states how often chance alone would fail it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "assert_close.h"
#include "formats/base/random.h"

static void words_are_those_of_the_generator(void **state)
{
    (void)state;
    struct random_stream stream;
    random_stream_init(&stream, 11, 22, 33);
    struct draw first = draw_at(11, UINT64_C(22) << 32, 33);
    struct draw second = draw_at(11, (UINT64_C(22) << 32) + 1, 33);
    assert_true(random_u64(&stream) == first.words[0]);
    assert_int_equal(random_u32(&stream), (uint32_t)first.words[1]);
    assert_int_equal(random_u32(&stream), (uint32_t)(first.words[1] >> 32));
    assert_true(random_u64(&stream) == second.words[0]);
}

static void streams_depend_on_each_of_their_numbers(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        uint32_t purpose;
        uint64_t index;
    } places[] = { { 1, 2, 3 }, { 2, 2, 3 }, { 1, 3, 3 }, { 1, 2, 4 }, { 1, 2, 3 } };
    uint64_t words[5];
    for (size_t i = 0; i < 5; i++) {
        struct random_stream stream;
        random_stream_init(&stream, places[i].seed, places[i].purpose, places[i].index);
        words[i] = random_u64(&stream);
    }
    for (size_t i = 1; i < 4; i++)
        assert_true(words[i] != words[0]);
    assert_true(words[4] == words[0]);
}

/* Chi-square of 6 equal classes, 5 degrees of freedom: above 20.5 by chance once in
 * 1,000. */
static void whole_numbers_are_uniform(void **state)
{
    (void)state;
    enum { CLASSES = 6, DRAWS = 60000 };
    int counts[CLASSES] = { 0 };
    double chi_square = 0;
    struct random_stream stream;
    random_stream_init(&stream, 5, 1, 0);
    for (int i = 0; i < DRAWS; i++)
        counts[random_below(&stream, CLASSES)]++;
    for (int i = 0; i < CLASSES; i++) {
        double excess = counts[i] - (double)DRAWS / CLASSES;
        chi_square += excess * excess / ((double)DRAWS / CLASSES);
    }
    assert_true(chi_square < 20.5);
}

static void bounds_are_kept(void **state)
{
    (void)state;
    struct random_stream stream;
    random_stream_init(&stream, 5, 1, 1);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(random_below(&stream, 1), 0);
        assert_true(random_below(&stream, 3000000000U) < 3000000000U);
        double uniform = random_uniform(&stream);
        assert_true(uniform > 0 && uniform < 1);
    }
}

/* The mean of n uniforms is normal with sd sqrt(1/12n); 4 sd: once in 16,000. */
static void uniforms_have_their_mean(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    double sum = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        struct random_stream stream;
        random_stream_init(&stream, 7, 3, i);
        sum += random_uniform(&stream);
    }
    assert_close(sum / DRAWS, 0.5, 4 * sqrt(1.0 / 12 / DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_generator),
        cmocka_unit_test(streams_depend_on_each_of_their_numbers),
        cmocka_unit_test(whole_numbers_are_uniform),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(uniforms_have_their_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
