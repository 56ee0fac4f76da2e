/* Any text as a number with a unit: what is accepted is in range and finite, and what is
 * refused leaves the value as it was and says why. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "formats/base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int parse_integer_fn(const char *text, int64_t *value, struct fault *fault);
typedef int parse_real_fn(const char *text, double *value, struct fault *fault);

static void check_integer(parse_integer_fn *parse, const char *text, int64_t least)
{
    enum { BEFORE = -77 };
    struct fault fault = { 0 };
    int64_t value = BEFORE;
    int status = parse(text, &value, &fault);
    if (status == STATUS_OK && (value < least || fault.text[0] != '\0'))
        abort();
    if (status != STATUS_OK && (value != BEFORE || fault.text[0] == '\0'))
        abort();
}

static void check_real(parse_real_fn *parse, const char *text, double least)
{
    enum { BEFORE = -77 };
    struct fault fault = { 0 };
    double value = BEFORE;
    int status = parse(text, &value, &fault);
    if (status == STATUS_OK &&
        (!isfinite(value) || value < least || fault.text[0] != '\0'))
        abort();
    if (status != STATUS_OK &&
        (value > BEFORE || value < BEFORE || fault.text[0] == '\0'))
        abort();
}

/* What was written from an integer reads back as that integer. */
static void check_round_trip(const uint8_t *data, size_t size)
{
    int64_t value = 0;
    memcpy(&value, data, size < sizeof value ? size : sizeof value);
    char count[UNITS_TEXT_MAX];
    char digits[UNITS_TEXT_MAX] = { 0 };
    size_t len = 0;
    for (const char *at = units_format_count(count, value); *at != '\0'; at++)
        if (*at != ',')
            digits[len++] = *at;
    struct fault fault = { 0 };
    int64_t back = 0;
    if (units_parse_int(digits, &back, &fault) != STATUS_OK || back != value)
        abort();
    char text[UNITS_TEXT_MAX];
    units_format_size(text, value);
    units_format_duration(text, (double)value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memory_copy_text((const char *)data, size);
    check_integer(units_parse_int, text, INT64_MIN);
    check_integer(units_parse_size, text, 0);
    check_integer(units_parse_duration, text, 0);
    check_real(units_parse_float, text, -HUGE_VAL);
    check_real(units_parse_rate, text, 0);
    free(text);
    check_round_trip(data, size);
    return 0;
}
