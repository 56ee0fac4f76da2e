#include "replay/servegen_dataset.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/json_scan.h"
#include "formats/base/memory.h"
#include "formats/base/read_whole.h"
#include "formats/base/units.h"
#include "formats/requests.h"

enum { DATASET_BYTES_MAX = 256 << 20, NUMBER_BYTES_MAX = 64 };

void servegen_histogram_release(struct servegen_histogram *histogram)
{
    free(histogram->lengths);
    free(histogram->cumulated);
}

static void add_length(struct servegen_histogram *histogram, uint32_t length,
                       double weight)
{
    size_t last = histogram->count - 1;
    double before = histogram->count == 0 ? 0 : histogram->cumulated[last];
    histogram->lengths = memory_grow(histogram->lengths, histogram->count,
                                     &histogram->capacity, sizeof *histogram->lengths);
    histogram->cumulated = memory_grow(histogram->cumulated, histogram->count,
                                       &histogram->weight_capacity,
                                       sizeof *histogram->cumulated);
    histogram->lengths[histogram->count] = length;
    histogram->cumulated[histogram->count++] = before + weight;
}

/* Takes a number, what follows it up to one of `ends`, and that end; then spaces. */
static bool take_number(const char **at, const char *stop, const char *ends,
                        double *value)
{
    char text[NUMBER_BYTES_MAX];
    size_t len = 0;
    struct fault ignored = { 0 };
    while (*at < stop && strchr(ends, **at) == NULL && len + 1 < sizeof text)
        text[len++] = *(*at)++;
    text[len] = '\0';
    if (*at == stop || strchr(ends, **at) == NULL
        || units_parse_float(text, value, &ignored) < 0)
        return false;
    ++*at;
    while (*at < stop && **at == ' ')
        ++*at;
    return true;
}

/* "{224: 0.0003, 225: 0.0007}". A length of 0 cannot be sent and is left out. */
static bool parse_histogram(struct servegen_histogram *histogram, const char *text,
                            size_t len)
{
    const char *at = text;
    const char *stop = text + len;
    if (len < 2 || *at++ != '{')
        return false;
    while (at < stop && *at != '}') {
        double length, weight;
        if (!take_number(&at, stop, ":", &length) || !take_number(&at, stop, ",}",
                                                                  &weight)
            || length < 0 || length > REQUEST_TOKENS_MAX || !(weight >= 0))
            return false;
        if (length >= 1 && weight > 0)
            add_length(histogram, (uint32_t)length, weight);
        if (at[-1] == '}')
            return true;
    }
    return at < stop;
}

static bool parse_window(struct servegen_client *client, struct json_scan *scan)
{
    struct servegen_lengths *lengths = &client->lengths[client->lengths_count - 1];
    if (json_scan_next(scan) != JSON_SCAN_OBJECT)
        return false;
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        struct servegen_histogram *histogram = json_scan_is(scan, "input_tokens")
                                                   ? &lengths->input
                                               : json_scan_is(scan, "output_tokens")
                                                   ? &lengths->output
                                                   : NULL;
        json_scan_next(scan);
        if (histogram == NULL) {
            if (!json_scan_skip(scan))
                return false;
        } else if (scan->token != JSON_SCAN_STRING || histogram->count > 0
                   || !parse_histogram(histogram, scan->value, scan->value_len)) {
            return false;
        }
    }
    return scan->token == JSON_SCAN_OBJECT_END;
}

/* Drops the last window when it has no lengths. */
static void drop_empty(struct servegen_client *client)
{
    struct servegen_lengths *last = &client->lengths[client->lengths_count - 1];
    if (last->input.count > 0 && last->output.count > 0)
        return;
    servegen_histogram_release(&last->input);
    servegen_histogram_release(&last->output);
    client->lengths_count--;
}

static bool parse_dataset(struct servegen_client *client, struct json_scan *scan)
{
    if (json_scan_next(scan) != JSON_SCAN_OBJECT)
        return false;
    while (json_scan_next(scan) == JSON_SCAN_KEY) {
        double start_s;
        const char *at = scan->value;
        if (!take_number(&at, scan->value + scan->value_len + 1, "\"", &start_s))
            return false;
        client->lengths = memory_grow(client->lengths, client->lengths_count,
                                      &client->lengths_capacity, sizeof *client->lengths);
        client->lengths[client->lengths_count++] = (struct servegen_lengths){
            .start_s = start_s,
        };
        if (!parse_window(client, scan))
            return false;
        drop_empty(client);
    }
    return scan->token == JSON_SCAN_OBJECT_END;
}

int servegen_load_dataset(struct servegen_client *client, const char *path,
                          struct fault *fault)
{
    struct buffer text = BUFFER_INIT;
    struct json_scan scan;
    int rc = read_whole(path, DATASET_BYTES_MAX, &text, fault);
    if (rc < 0)
        goto done;
    json_scan_init(&scan, text.data, text.len);
    if (!parse_dataset(client, &scan))
        rc = fault_set(fault, STATUS_BAD_INPUT,
                       "%s: offset %zu: %s, expected windows with histograms of lengths",
                       path, json_scan_offset(&scan),
                       scan.problem != NULL ? scan.problem : "something else");
done:
    buffer_release(&text);
    return rc;
}
