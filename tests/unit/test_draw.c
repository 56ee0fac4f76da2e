/* Random draws: the generator against the vectors published with it, the laws against
 * their moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>

#include <cmocka.h>

#include "formats/base/draw.h"
#include "tests/unit/assert_close.h"

/* kat_vectors of Random123: "philox2x64 10 counter[0] counter[1] key result[0]
 * result[1]". */
static void known_answers(void **state)
{
    (void)state;
    struct draw zero = draw_at(0, 0, 0);
    assert_true(zero.words[0] == UINT64_C(0xca00a0459843d731));
    assert_true(zero.words[1] == UINT64_C(0x66c24222c9a845b5));
    struct draw ones = draw_at(UINT64_MAX, UINT64_MAX, UINT64_MAX);
    assert_true(ones.words[0] == UINT64_C(0x65b021d60cd8310f));
    assert_true(ones.words[1] == UINT64_C(0x4d02f3222f86df20));
    struct draw pi = draw_at(UINT64_C(0xa4093822299f31d0), UINT64_C(0x13198a2e03707344),
                             UINT64_C(0x243f6a8885a308d3));
    assert_true(pi.words[0] == UINT64_C(0x0a5e742c2997341c));
    assert_true(pi.words[1] == UINT64_C(0xb0f883d38000de5d));
}

static void uniforms_stay_inside(void **state)
{
    (void)state;
    assert_true(draw_uniform(0) > 0);
    assert_true(draw_uniform(UINT64_MAX) < 1);
    assert_close(draw_uniform(UINT64_C(1) << 63), 0.5, 1e-15);
}

static double lognormal_half(struct draw draw)
{
    return draw_lognormal(draw, 0.5);
}

/* Mean and standard deviation of 200,000 draws; 5 standard errors are below 0.02 for
 * these laws. */
static void expect_moments(double (*law)(struct draw), double mean, double sd)
{
    enum { DRAWS = 200000 };
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double value = law(draw_at(7, 3, i));
        sum += value;
        squares += value * value;
    }
    double seen = sum / DRAWS;
    assert_close(seen, mean, 0.02);
    assert_close(sqrt(squares / DRAWS - seen * seen), sd, 0.02);
}

static void moments(void **state)
{
    (void)state;
    expect_moments(draw_exponential, 1, 1);
    expect_moments(draw_normal, 0, 1);
    expect_moments(lognormal_half, 1, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(uniforms_stay_inside),
        cmocka_unit_test(moments),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
