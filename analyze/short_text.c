#include "analyze/short_text.h"

#include <math.h>

static const struct short_text unknown = { "-" };

struct short_text count_text(uint64_t count)
{
    struct short_text result;
    units_format_count(result.text, count <= INT64_MAX ? (int64_t)count : INT64_MAX);
    return result;
}

struct short_text duration_text(double seconds)
{
    if (!isfinite(seconds))
        return unknown;
    struct short_text result;
    units_format_duration(result.text, seconds);
    return result;
}

/* Four digits, also of what rounds up to one more. */
static int decimals_of(double value)
{
    double size = fabs(value);
    if (size >= 999.95)
        return 0;
    return size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
}

struct short_text rate_text(double per_s)
{
    if (!isfinite(per_s))
        return unknown;
    struct short_text result;
    snprintf(result.text, sizeof result.text, "%.*f/s", decimals_of(per_s), per_s);
    return result;
}

struct short_text number_text(double number)
{
    struct short_text result = unknown;
    if (isfinite(number))
        snprintf(result.text, sizeof result.text, "%.3g", number);
    return result;
}

struct short_text percent_text(double share)
{
    if (!isfinite(share))
        return unknown;
    struct short_text result;
    int decimals = share >= 1 ? 0 : share >= 0.1 ? 1 : 2;
    snprintf(result.text, sizeof result.text, "%.*f %%", decimals, share * 100);
    return result;
}

struct time_unit time_unit_for(double seconds)
{
    static const struct time_unit units[] = { { "s", 1 }, { "ms", 1e3 }, { "µs", 1e6 },
                                             { "ns", 1e9 } };
    if (!isfinite(seconds) || seconds == 0)
        return units[1];
    size_t i = 0;
    while (i < 3 && fabs(seconds) * units[i].per_s < 1)
        i++;
    return units[i];
}

struct short_text time_text(double seconds, struct time_unit unit)
{
    if (!isfinite(seconds))
        return unknown;
    struct short_text result;
    double value = seconds * unit.per_s;
    snprintf(result.text, sizeof result.text, "%.*f", decimals_of(value), value);
    return result;
}

void print_outside_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, out);
    }
}
