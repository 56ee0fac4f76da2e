#include "analyze/json_values.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/json.h"
#include "formats/base/memory.h"

void json_set_count(json_t *object, const char *key, uint64_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

void json_set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_number_or_null(value));
}

json_t *json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *plain = memory_copy_text(text, strlen(text));
    for (char *at = plain; *at; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    string = json_string(plain);
    free(plain);
    return string;
}

void json_set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text && *text ? json_text(text) : json_null());
}

json_t *interval_json(const struct interval *interval)
{
    if (!interval->known)
        return json_null();
    json_t *pair = json_array();
    json_array_append_new(pair, json_number_or_null(interval->low));
    json_array_append_new(pair, json_number_or_null(interval->high));
    return pair;
}

json_t *estimate_json(double value, const struct interval *interval)
{
    json_t *object = json_object();
    json_set_number(object, "value", value);
    json_object_set_new(object, "interval95", interval_json(interval));
    return object;
}

static json_t *distribution_json(const struct distribution *distribution)
{
    json_t *object = json_object();
    json_set_count(object, "count", distribution->count);
    json_set_count(object, "excluded", distribution->excluded);
    json_set_number(object, "mean", distribution->mean);
    json_set_number(object, "sd", distribution->sd);
    json_set_number(object, "min", distribution->min);
    for (size_t i = 0; i < DISTRIBUTION_PERCENTILES; i++)
        json_set_number(object, distribution_percentiles[i].name,
                        distribution->percentile_s[i]);
    json_set_number(object, "max", distribution->max);
    json_object_set_new(object, "relative_error",
                        json_real(distribution->relative_error));

    json_t *intervals = json_object();
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++)
        json_object_set_new(intervals,
                            distribution_percentiles[distribution_headlines[i]].name,
                            interval_json(&distribution->headline[i]));
    json_object_set_new(object, "interval95", intervals);
    return object;
}

void json_set_distribution(json_t *object, const char *key,
                           const struct distribution *distribution)
{
    json_object_set_new(object, key, distribution_json(distribution));
}
