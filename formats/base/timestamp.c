#include "formats/base/timestamp.h"

#include "formats/base/clock.h"

enum { EXPONENT_MAX = 400, DIGITS_MAX = 400, NS_DIGITS = 9 };

struct cursor {
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool cursor_take(struct cursor *cursor, char wanted)
{
    if (cursor->at == cursor->end || *cursor->at != wanted)
        return false;
    cursor->at++;
    return true;
}

/* A run of digits: its length. */
static size_t cursor_digits(struct cursor *cursor)
{
    const char *start = cursor->at;
    while (cursor->at < cursor->end && is_digit(*cursor->at))
        cursor->at++;
    return (size_t)(cursor->at - start);
}

/* An exponent, "e-5", or nothing, which is 0. */
static bool cursor_exponent(struct cursor *cursor, int *exponent)
{
    *exponent = 0;
    if (!cursor_take(cursor, 'e') && !cursor_take(cursor, 'E'))
        return true;
    bool negative = cursor_take(cursor, '-');
    if (!negative)
        cursor_take(cursor, '+');
    const char *start = cursor->at;
    if (cursor_digits(cursor) == 0)
        return false;
    int value = 0;
    for (const char *at = start; at < cursor->at; at++) {
        value = 10 * value + (*at - '0');
        if (value > EXPONENT_MAX)
            return false;
    }
    *exponent = negative ? -value : value;
    return true;
}

static bool append_digit(int64_t *value, int digit)
{
    return !__builtin_mul_overflow(*value, 10, value)
           && !__builtin_add_overflow(*value, digit, value);
}

/* The digits of [text, end), a point among them skipped, as the integer part of
 * 0.DIGITS × 10^places. */
static bool scale_digits(const char *text, const char *end, int places, int64_t *value)
{
    int64_t result = 0;
    for (; text < end && places > 0; text++) {
        if (*text == '.')
            continue;
        if (!append_digit(&result, *text - '0'))
            return false;
        places--;
    }
    for (; places > 0 && result != 0; places--) {
        if (!append_digit(&result, 0))
            return false;
    }
    *value = result;
    return true;
}

bool timestamp_parse_decimal(const char *text, size_t len, int unit_exponent, int64_t *ns)
{
    struct cursor cursor = { text, text + len };
    bool negative = cursor_take(&cursor, '-');
    const char *digits = cursor.at;
    size_t whole = cursor_digits(&cursor);
    size_t fraction = cursor_take(&cursor, '.') ? cursor_digits(&cursor) : 0;
    const char *digits_end = cursor.at;
    int exponent;
    if (whole + fraction == 0 || whole + fraction > DIGITS_MAX)
        return false;
    if (!cursor_exponent(&cursor, &exponent) || cursor.at != cursor.end)
        return false;
    int64_t value;
    if (!scale_digits(digits, digits_end, (int)whole + exponent + unit_exponent, &value))
        return false;
    *ns = negative ? -value : value;
    return true;
}

/* Exactly `count` digits with a value in [min, max]. */
static bool cursor_number(struct cursor *cursor, int count, int min, int max, int *value)
{
    int result = 0;
    for (int i = 0; i < count; i++) {
        if (cursor->at == cursor->end || !is_digit(*cursor->at))
            return false;
        result = 10 * result + (*cursor->at++ - '0');
    }
    *value = result;
    return result >= min && result <= max;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar: years begin in March, so that
 * the leap day is their last. */
static int64_t days_from_date(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool cursor_date(struct cursor *cursor, int64_t *days)
{
    int year, month, day;
    if (!cursor_number(cursor, 4, 1970, 2261, &year) || !cursor_take(cursor, '-')
        || !cursor_number(cursor, 2, 1, 12, &month) || !cursor_take(cursor, '-')
        || !cursor_number(cursor, 2, 1, days_in_month(year, month), &day))
        return false;
    *days = days_from_date(year, month, day);
    return true;
}

/* Seconds of the day; a leap second, :60, is the first of the next minute. */
static bool cursor_clock(struct cursor *cursor, int *seconds)
{
    int hour, minute, second;
    if (!cursor_number(cursor, 2, 0, 23, &hour) || !cursor_take(cursor, ':')
        || !cursor_number(cursor, 2, 0, 59, &minute) || !cursor_take(cursor, ':')
        || !cursor_number(cursor, 2, 0, 60, &second))
        return false;
    *seconds = 3600 * hour + 60 * minute + second;
    return true;
}

static bool cursor_fraction(struct cursor *cursor, int64_t *ns)
{
    *ns = 0;
    if (!cursor_take(cursor, '.'))
        return true;
    const char *start = cursor->at;
    return cursor_digits(cursor) > 0 && scale_digits(start, cursor->at, NS_DIGITS, ns);
}

/* Seconds east of UTC. */
static bool cursor_zone(struct cursor *cursor, int *offset)
{
    *offset = 0;
    if (cursor->at == cursor->end || cursor_take(cursor, 'Z') || cursor_take(cursor, 'z'))
        return true;
    bool west = cursor_take(cursor, '-');
    if (!west && !cursor_take(cursor, '+'))
        return false;
    int hours;
    int minutes = 0;
    if (!cursor_number(cursor, 2, 0, 23, &hours))
        return false;
    if (cursor->at < cursor->end) {
        cursor_take(cursor, ':');
        if (!cursor_number(cursor, 2, 0, 59, &minutes))
            return false;
    }
    *offset = (west ? -1 : 1) * (3600 * hours + 60 * minutes);
    return true;
}

bool timestamp_parse_iso(const char *text, size_t len, int64_t *ns)
{
    struct cursor cursor = { text, text + len };
    int64_t days, fraction;
    int seconds, zone;
    if (!cursor_date(&cursor, &days))
        return false;
    if (!cursor_take(&cursor, ' ') && !cursor_take(&cursor, 'T'))
        return false;
    if (!cursor_clock(&cursor, &seconds) || !cursor_fraction(&cursor, &fraction)
        || !cursor_zone(&cursor, &zone) || cursor.at != cursor.end)
        return false;
    *ns = (86400 * days + seconds - zone) * NS_PER_S + fraction;
    return true;
}
