#include "formats/base/option_values.h"

#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"

bool option_takes_argument(const struct option_spec *spec)
{
    return spec->type != OPTION_FLAG && spec->type != OPTION_COUNT;
}

static bool has_lower_bound(const struct option_spec *spec)
{
    return spec->min != 0 || spec->max != 0 || spec->min_exclusive;
}

static bool has_upper_bound(const struct option_spec *spec)
{
    return spec->max > spec->min;
}

static bool within_bounds(const struct option_spec *spec, double value)
{
    if (has_lower_bound(spec) &&
        (value < spec->min || (spec->min_exclusive && value == spec->min)))
        return false;
    return !has_upper_bound(spec) || value <= spec->max;
}

struct bound_unit {
    const char *name;
    int64_t factor;
};

static const struct bound_unit duration_units[] = {
    { "h", 3600 * (int64_t)NS_PER_S }, { "m", 60 * (int64_t)NS_PER_S },
    { "s", NS_PER_S },                 { "ms", NS_PER_MS },
    { "us", NS_PER_US },               { "ns", 1 },
};

static const struct bound_unit size_units[] = {
    { "TiB", INT64_C(1) << 40 }, { "GiB", 1 << 30 },    { "MiB", 1 << 20 },
    { "TB", 1000000000000 },     { "GB", 1000000000 },  { "MB", 1000000 },
    { "KiB", 1 << 10 },          { "kB", 1000 },        { "", 1 },
};

/* In the largest unit that shows it exactly, as it could be typed: the last unit has
 * factor 1. */
static void append_with_unit(struct buffer *buffer, int64_t value,
                             const struct bound_unit *unit)
{
    if (value == 0) {
        buffer_append_byte(buffer, '0');
        return;
    }
    while (value % unit->factor != 0)
        unit++;
    buffer_append_int(buffer, value / unit->factor);
    buffer_append_text(buffer, unit->name);
}

static void append_bound(struct buffer *buffer, const struct option_spec *spec,
                         double value)
{
    if (spec->type == OPTION_DURATION)
        append_with_unit(buffer, (int64_t)value, duration_units);
    else if (spec->type == OPTION_SIZE)
        append_with_unit(buffer, (int64_t)value, size_units);
    else if (spec->type == OPTION_INT)
        buffer_append_int(buffer, (int64_t)value);
    else
        buffer_printf(buffer, spec->type == OPTION_RATE ? "%.15g/s" : "%.15g", value);
}

static void append_choices(struct buffer *buffer, const char *const *choices)
{
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (i > 0)
            buffer_append_text(buffer, choices[i + 1] == NULL ? " or " : ", ");
        buffer_append_text(buffer, choices[i]);
    }
}

void option_append_range(struct buffer *buffer, const struct option_spec *spec)
{
    if (spec->type == OPTION_CHOICE) {
        append_choices(buffer, spec->choices);
        return;
    }
    if (!has_lower_bound(spec))
        return;
    if (spec->min_exclusive)
        buffer_append_text(buffer, "more than ");
    else if (!has_upper_bound(spec))
        buffer_append_text(buffer, "at least ");
    append_bound(buffer, spec, spec->min);
    if (has_upper_bound(spec)) {
        buffer_append_text(buffer, spec->min_exclusive ? ", at most " : " to ");
        append_bound(buffer, spec, spec->max);
    }
}

static int check_bounds(const struct option_spec *spec, double value, const char *text,
                        struct fault *fault)
{
    if (within_bounds(spec, value))
        return STATUS_OK;
    struct buffer range = BUFFER_INIT;
    option_append_range(&range, spec);
    fault_set(fault, STATUS_USAGE, "%s is out of range, expected %s", text,
              buffer_text(&range));
    buffer_release(&range);
    return STATUS_USAGE;
}

static int set_choice(const struct option_spec *spec, const char *text, int *field,
                      struct fault *fault)
{
    for (int i = 0; spec->choices[i] != NULL; i++) {
        if (strcmp(spec->choices[i], text) == 0) {
            *field = i;
            return STATUS_OK;
        }
    }
    struct buffer names = BUFFER_INIT;
    append_choices(&names, spec->choices);
    fault_set(fault, STATUS_USAGE, "'%s' is not known, expected %s", text,
              buffer_text(&names));
    buffer_release(&names);
    return STATUS_USAGE;
}

static int set_integer(const struct option_spec *spec, const char *text, int64_t *field,
                       struct fault *fault)
{
    int64_t value = 0;
    int status;
    if (spec->type == OPTION_SIZE)
        status = units_parse_size(text, &value, fault);
    else if (spec->type == OPTION_DURATION)
        status = units_parse_duration(text, &value, fault);
    else
        status = units_parse_int(text, &value, fault);
    if (status == STATUS_OK)
        status = check_bounds(spec, (double)value, text, fault);
    if (status == STATUS_OK)
        *field = value;
    return status;
}

static int set_real(const struct option_spec *spec, const char *text, double *field,
                    struct fault *fault)
{
    double value = 0;
    int status = spec->type == OPTION_RATE ? units_parse_rate(text, &value, fault)
                                           : units_parse_float(text, &value, fault);
    if (status == STATUS_OK)
        status = check_bounds(spec, value, text, fault);
    if (status == STATUS_OK)
        *field = value;
    return status;
}

static void append_to_list(struct option_list *list, const char *text)
{
    list->items = memory_grow(list->items, list->count, &list->capacity,
                              sizeof *list->items);
    list->items[list->count++] = text;
}

static int set_field(const struct option_spec *spec, const char *text, void *field,
                     struct fault *fault)
{
    switch (spec->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return STATUS_OK;
    case OPTION_COUNT:
        ++*(int *)field;
        return STATUS_OK;
    case OPTION_STRING:
    case OPTION_PATH:
        *(const char **)field = text;
        return STATUS_OK;
    case OPTION_LIST:
        append_to_list(field, text);
        return STATUS_OK;
    case OPTION_CHOICE:
        return set_choice(spec, text, field, fault);
    case OPTION_FLOAT:
    case OPTION_RATE:
        return set_real(spec, text, field, fault);
    case OPTION_INT:
    case OPTION_SIZE:
    case OPTION_DURATION:
        return set_integer(spec, text, field, fault);
    }
    return fault_set(fault, STATUS_BUG, "option of unknown type %d", (int)spec->type);
}

int option_set(const struct option_spec *spec, const char *text, void *options,
               struct fault *fault)
{
    int status = set_field(spec, text, (char *)options + spec->offset, fault);
    if (status < 0)
        fault_prefix(fault, "--%s", spec->name);
    return status;
}
