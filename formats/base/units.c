#include "formats/base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit size_units[] = {
    { "", 1 },           { "B", 1 },
    { "k", 1000 },       { "kB", 1000 },
    { "K", 1000 },       { "KB", 1000 },
    { "M", 1000000 },    { "MB", 1000000 },
    { "G", 1000000000 }, { "GB", 1000000000 },
    { "T", 1000000000000 }, { "TB", 1000000000000 },
    { "Ki", 1 << 10 },   { "KiB", 1 << 10 },
    { "ki", 1 << 10 },   { "kiB", 1 << 10 },
    { "Mi", 1 << 20 },   { "MiB", 1 << 20 },
    { "Gi", 1 << 30 },   { "GiB", 1 << 30 },
    { "Ti", INT64_C(1) << 40 }, { "TiB", INT64_C(1) << 40 },
    { NULL, 0 },
};

static const struct unit duration_units[] = {
    { "ns", 1 },
    { "us", NS_PER_US },
    { "µs", NS_PER_US },
    { "ms", NS_PER_MS },
    { "s", NS_PER_S },
    { "m", 60 * (int64_t)NS_PER_S },
    { "h", 3600 * (int64_t)NS_PER_S },
    { NULL, 0 },
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (const struct unit *unit = units; unit->name != NULL; unit++)
        if (strcmp(unit->name, name) == 0)
            return unit;
    return NULL;
}

int units_parse_int(const char *text, int64_t *value, struct fault *fault)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (!is_digit(*digits) || digits[strspn(digits, "0123456789")] != '\0')
        return fault_set(fault, STATUS_USAGE, "'%s' is not a whole number", text);
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    if (errno != 0)
        return fault_set(fault, STATUS_USAGE, "'%s' does not fit in 64 bits", text);
    *value = parsed;
    return STATUS_OK;
}

int units_parse_float(const char *text, double *value, struct fault *fault)
{
    /* strtod alone would take leading space, hexadecimal, "inf" and "nan" too. */
    const char *digits = text[0] == '-' ? text + 1 : text;
    char *end = NULL;
    double parsed = strtod(text, &end);
    if ((!is_digit(digits[0]) && !(digits[0] == '.' && is_digit(digits[1]))) ||
        *end != '\0' || text[strspn(text, "-+.0123456789eE")] != '\0')
        return fault_set(fault, STATUS_USAGE, "'%s' is not a number", text);
    if (!isfinite(parsed))
        return fault_set(fault, STATUS_USAGE, "'%s' is too large a number", text);
    *value = parsed;
    return STATUS_OK;
}

/* The decimal number at `text`, of len characters "12" or "12.5", times factor, rounded
 * to nearest. False when it is no such number or beyond int64_t. */
static bool scale_decimal(const char *text, size_t len, int64_t factor, int64_t *result)
{
    size_t whole_len = 0;
    int64_t whole = 0;
    while (whole_len < len && is_digit(text[whole_len])) {
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, text[whole_len] - '0', &whole))
            return false;
        whole_len++;
    }
    if (whole_len == 0 || __builtin_mul_overflow(whole, factor, &whole))
        return false;
    if (whole_len == len) {
        *result = whole;
        return true;
    }
    if (text[whole_len] != '.' || whole_len + 1 == len)
        return false;
    /* 18 digits keep below 2^63; what follows them is below half a unit of any factor
     * here. */
    __int128 fraction = 0;
    __int128 divisor = 1;
    for (size_t i = whole_len + 1; i < len; i++) {
        if (!is_digit(text[i]))
            return false;
        if (i - whole_len > 18)
            continue;
        fraction = fraction * 10 + (text[i] - '0');
        divisor *= 10;
    }
    int64_t rounded = (int64_t)((fraction * factor * 2 + divisor) / (divisor * 2));
    return !__builtin_add_overflow(whole, rounded, result);
}

int units_parse_size(const char *text, int64_t *bytes, struct fault *fault)
{
    size_t number_len = strspn(text, "0123456789.");
    const struct unit *unit = find_unit(size_units, text + number_len);
    int64_t parsed;
    if (unit == NULL || !scale_decimal(text, number_len, unit->factor, &parsed))
        return fault_set(fault, STATUS_USAGE,
                         "'%s' is not a size, expected one such as 512, 64k or 2MiB",
                         text);
    *bytes = parsed;
    return STATUS_OK;
}

int units_parse_duration(const char *text, int64_t *ns, struct fault *fault)
{
    size_t number_len = strspn(text, "0123456789.");
    const struct unit *unit = find_unit(duration_units, text + number_len);
    int64_t parsed = 0;
    bool bare_zero = strcmp(text, "0") == 0;
    if (!bare_zero &&
        (unit == NULL || !scale_decimal(text, number_len, unit->factor, &parsed)))
        return fault_set(fault, STATUS_USAGE,
                         "'%s' is not a duration, expected one such as 250ms, 1.5s or 5m "
                         "(ns, us, ms, s, m, h)",
                         text);
    *ns = parsed;
    return STATUS_OK;
}

/* Seconds in "/s", "/m", "/h" or "" (per second); 0 for anything else. */
static double rate_period_s(const char *suffix)
{
    if (suffix[0] == '\0' || strcmp(suffix, "/s") == 0)
        return 1;
    if (strcmp(suffix, "/m") == 0)
        return 60;
    if (strcmp(suffix, "/h") == 0)
        return 3600;
    return 0;
}

int units_parse_rate(const char *text, double *per_s, struct fault *fault)
{
    enum { NUMBER_MAX = 64 };
    char number[NUMBER_MAX];
    size_t len = strcspn(text, "/");
    double period_s = rate_period_s(text + len);
    double parsed = 0;
    struct fault ignored = { "" };
    if (len < sizeof number) {
        memcpy(number, text, len);
        number[len] = '\0';
    }
    if (len >= sizeof number || period_s == 0 || text[0] == '-' ||
        units_parse_float(number, &parsed, &ignored) < 0)
        return fault_set(fault, STATUS_USAGE,
                         "'%s' is not a rate, expected one such as 10, 10/s or 600/m",
                         text);
    *per_s = parsed / period_s;
    return STATUS_OK;
}

/* Decimals that give three or four significant digits for a magnitude below 1000. */
static int decimals_for(double magnitude)
{
    if (magnitude < 9.9995)
        return 3;
    return magnitude < 99.95 ? 1 : 0;
}

const char *units_format_duration(char text[UNITS_TEXT_MAX], double seconds)
{
    static const struct {
        double factor;
        const char *name;
    } units[] = { { 1e9, "ns" }, { 1e6, "µs" }, { 1e3, "ms" }, { 1, "s" } };
    enum { LAST = sizeof units / sizeof units[0] - 1 };

    if (!isfinite(seconds) || seconds == 0) {
        snprintf(text, UNITS_TEXT_MAX, "%g s", seconds);
        return text;
    }
    size_t i = 0;
    while (i < LAST && fabs(seconds) * units[i].factor >= 999.5)
        i++;
    double value = seconds * units[i].factor;
    if (fabs(value) >= 1e6)
        snprintf(text, UNITS_TEXT_MAX, "%.4g s", value);
    else
        snprintf(text, UNITS_TEXT_MAX, "%.*f %s", decimals_for(fabs(value)), value,
                 units[i].name);
    return text;
}

const char *units_format_count(char text[UNITS_TEXT_MAX], int64_t count)
{
    char digits[UNITS_TEXT_MAX];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t out = 0;
    for (int i = 0; i < len; i++) {
        text[out++] = digits[i];
        int left = len - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            text[out++] = ',';
    }
    text[out] = '\0';
    return text;
}

const char *units_format_size(char text[UNITS_TEXT_MAX], int64_t bytes)
{
    static const char *const names[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
    double value = fabs((double)bytes);
    if (value < 1000) {
        snprintf(text, UNITS_TEXT_MAX, "%d B", (int)bytes);
        return text;
    }
    size_t i = 0;
    for (value /= 1000; value >= 999.95; value /= 1000)
        i++;
    snprintf(text, UNITS_TEXT_MAX, "%s%.1f %s", bytes < 0 ? "-" : "", value, names[i]);
    return text;
}
