#include "formats/base/quantile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 6, /* 6 x 11 bits cover 64 */
    DIGIT_VALUES = 1 << DIGIT_BITS,
};

#define SIGN_BIT (UINT64_C(1) << 63)

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* Moves keys in the order of one digit, stable; totals[] holds how often each value of it
 * occurs. */
static void scatter(const uint64_t *from, uint64_t *to, size_t count, unsigned digit,
                    size_t *totals)
{
    size_t start = 0;
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        size_t total = totals[value];
        totals[value] = start;
        start += total;
    }
    for (size_t i = 0; i < count; i++)
        to[totals[digit_of(from[i], digit)]++] = from[i];
}

static void sort_keys(uint64_t *keys, size_t count)
{
    size_t(*totals)[DIGIT_VALUES] = memory_new(DIGITS, sizeof *totals);
    for (size_t i = 0; i < count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            totals[digit][digit_of(keys[i], digit)]++;

    uint64_t *other = memory_new(count, sizeof *other);
    uint64_t *from = keys;
    uint64_t *to = other;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (totals[digit][digit_of(from[0], digit)] == count)
            continue; /* the same in all keys: nothing would move */
        scatter(from, to, count, digit, totals[digit]);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
    free(other);
    free(totals);
}

/* Doubles compare like their bits read as integers once negative ones are turned
 * round. */
static uint64_t key_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | SIGN_BIT);
}

static double double_of_key(uint64_t key)
{
    uint64_t bits = key ^ ((uint64_t)((int64_t)~key >> 63) | SIGN_BIT);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void quantile_sort(double *values, size_t count)
{
    if (count < 2)
        return;
    uint64_t *keys = memory_new(count, sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        assert(!isnan(values[i]));
        keys[i] = key_of_double(values[i]);
    }
    sort_keys(keys, count);
    for (size_t i = 0; i < count; i++)
        values[i] = double_of_key(keys[i]);
    free(keys);
}

void quantile_sort_int(int64_t *values, size_t count)
{
    if (count < 2)
        return;
    uint64_t *keys = memory_new(count, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)values[i] ^ SIGN_BIT;
    sort_keys(keys, count);
    for (size_t i = 0; i < count; i++)
        values[i] = (int64_t)(keys[i] ^ SIGN_BIT);
    free(keys);
}

double quantile_of_sorted(const double *sorted, size_t count, double p)
{
    assert(count > 0 && p >= 0 && p <= 1);
    double position = (double)(count - 1) * p;
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    double share = position - (double)below;
    double step = sorted[below + 1] - sorted[below];
    if (share >= 0.5)
        return sorted[below + 1] - step * (1 - share);
    return sorted[below] + step * share;
}
