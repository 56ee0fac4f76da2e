#include "replay/servegen.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/csv.h"
#include "formats/base/input_file.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"
#include "replay/servegen_dataset.h"

static const double WINDOW_S = 600;
static const double TIME_MAX_S = 1e9;
static const double RATE_MAX_PER_S = 1e6;
enum { WINDOW_FIELDS = 6, CLIENTS_MAX = 100000 };

static void release_client(struct servegen_client *client)
{
    for (size_t i = 0; i < client->lengths_count; i++) {
        servegen_histogram_release(&client->lengths[i].input);
        servegen_histogram_release(&client->lengths[i].output);
    }
    free(client->windows);
    free(client->lengths);
}

void servegen_release(struct servegen *servegen)
{
    for (size_t i = 0; i < servegen->count; i++)
        release_client(&servegen->clients[i]);
    free(servegen->clients);
    *servegen = (struct servegen){ 0 };
}

static bool parse_number(const struct csv_field *field, double min, double max,
                         double *value)
{
    struct buffer text = BUFFER_INIT;
    struct fault ignored = { 0 };
    buffer_append(&text, field->text, field->len);
    bool good = units_parse_float(buffer_text(&text), value, &ignored) == STATUS_OK
                && *value >= min && *value <= max;
    buffer_release(&text);
    return good;
}

static bool parse_law(const struct csv_field *field, enum servegen_law *law)
{
    static const char *const names[] = {
        [SERVEGEN_IDLE] = "",
        [SERVEGEN_GAMMA] = "Gamma",
        [SERVEGEN_WEIBULL] = "Weibull",
    };
    for (int i = SERVEGEN_IDLE; i <= SERVEGEN_WEIBULL; i++) {
        if (field->len == strlen(names[i]) && memcmp(field->text, names[i],
                                                     field->len) == 0) {
            *law = (enum servegen_law)i;
            return true;
        }
    }
    return false;
}

static int refuse_field(const char *path, const struct csv_reader *csv, size_t field,
                        const char *expected, struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT, "%s:%llu:%zu: \"%.*s\", expected %s", path,
                     (unsigned long long)csv->line, csv->fields[field].column,
                     (int)csv->fields[field].len, csv->fields[field].text, expected);
}

static int add_window(struct servegen_client *client, const struct csv_reader *csv,
                      const char *path, struct fault *fault)
{
    struct servegen_window window = { 0 };
    if (csv->count != WINDOW_FIELDS)
        return fault_set(fault, STATUS_BAD_INPUT, "%s:%llu: %zu fields, expected %d",
                         path, (unsigned long long)csv->line, csv->count, WINDOW_FIELDS);
    double earliest = client->window_count == 0
                          ? 0
                          : client->windows[client->window_count - 1].start_s;
    if (!parse_number(&csv->fields[0], earliest, TIME_MAX_S, &window.start_s))
        return refuse_field(path, csv, 0, "the start of a window, ascending", fault);
    if (!parse_number(&csv->fields[1], 0, RATE_MAX_PER_S, &window.rate_per_s))
        return refuse_field(path, csv, 1, "a rate per second", fault);
    if (!parse_law(&csv->fields[3], &window.law))
        return refuse_field(path, csv, 3, "Gamma, Weibull or nothing", fault);
    if (window.rate_per_s == 0)
        window.law = SERVEGEN_IDLE;
    if (window.law != SERVEGEN_IDLE && !parse_number(&csv->fields[4], 1e-3, 1e3,
                                                     &window.shape))
        return refuse_field(path, csv, 4, "a shape from 0.001 to 1000", fault);
    client->windows = memory_grow(client->windows, client->window_count,
                                  &client->window_capacity, sizeof *client->windows);
    client->windows[client->window_count++] = window;
    return STATUS_OK;
}

static int load_windows(struct servegen_client *client, const char *path,
                        struct fault *fault)
{
    struct input_file *file = NULL;
    struct csv_reader *csv = NULL;
    int rc = input_file_open(&file, path, fault);
    if (rc < 0)
        return rc;
    csv = csv_reader_create(file);
    while ((rc = csv_next(csv, fault)) > 0) {
        if (rc == CSV_MALFORMED)
            rc = fault_set(fault, STATUS_BAD_INPUT, "%s:%llu:%zu: %s", path,
                           (unsigned long long)csv->line, csv->problem_column,
                           csv->problem);
        else
            rc = add_window(client, csv, path, fault);
        if (rc < 0)
            break;
    }
    if (rc == STATUS_OK && client->window_count == 0)
        rc = fault_set(fault, STATUS_BAD_INPUT, "%s: empty, expected windows", path);
    csv_reader_free(csv);
    input_file_close(file);
    return rc;
}

static int load_client(struct servegen *servegen, const char *directory, uint32_t number,
                       struct fault *fault)
{
    struct buffer path = BUFFER_INIT;
    servegen->clients = memory_grow(servegen->clients, servegen->count,
                                    &servegen->capacity, sizeof *servegen->clients);
    struct servegen_client *client = &servegen->clients[servegen->count++];
    *client = (struct servegen_client){ .number = number };
    buffer_printf(&path, "%s/chunk-%u-trace.csv", directory, number);
    int rc = load_windows(client, buffer_text(&path), fault);
    buffer_clear(&path);
    buffer_printf(&path, "%s/chunk-%u-dataset.json", directory, number);
    if (rc == STATUS_OK && access(buffer_text(&path), F_OK) == 0)
        rc = servegen_load_dataset(client, buffer_text(&path), fault);
    buffer_release(&path);
    return rc;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The N of every chunk-N-trace.csv, ascending. Caller frees. */
static int list_clients(const char *directory, uint32_t **numbers, size_t *count,
                        struct fault *fault)
{
    size_t capacity = 0;
    DIR *stream = opendir(directory);
    *numbers = NULL;
    *count = 0;
    if (stream == NULL)
        return fault_set(fault, STATUS_BAD_INPUT, "cannot open %s: %s", directory,
                         strerror(errno));
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        unsigned number;
        int end = 0;
        if (sscanf(entry->d_name, "chunk-%9u-trace.csv%n", &number, &end) != 1 || end == 0
            || entry->d_name[end] != '\0' || *count == CLIENTS_MAX)
            continue;
        *numbers = memory_grow(*numbers, *count, &capacity, sizeof **numbers);
        (*numbers)[(*count)++] = number;
    }
    closedir(stream);
    if (*count == 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s has no chunk-N-trace.csv, expected ServeGen clients",
                         directory);
    qsort(*numbers, *count, sizeof **numbers, compare_numbers);
    return STATUS_OK;
}

int servegen_load(struct servegen *servegen, const char *directory, struct fault *fault)
{
    uint32_t *numbers;
    size_t count;
    int rc = list_clients(directory, &numbers, &count, fault);
    for (size_t i = 0; i < count && rc == STATUS_OK; i++)
        rc = load_client(servegen, directory, numbers[i], fault);
    free(numbers);
    return rc;
}

double servegen_window_end(const struct servegen_client *client, size_t window)
{
    double start_s = client->windows[window].start_s;
    bool last = window + 1 == client->window_count;
    return last ? start_s + WINDOW_S : client->windows[window + 1].start_s;
}

double servegen_end(const struct servegen *servegen)
{
    double end_s = 0;
    for (size_t i = 0; i < servegen->count; i++) {
        const struct servegen_client *client = &servegen->clients[i];
        double client_end_s = servegen_window_end(client, client->window_count - 1);
        end_s = client_end_s > end_s ? client_end_s : end_s;
    }
    return end_s;
}

static double overlap(double start, double end, double other_start, double other_end)
{
    double from = start > other_start ? start : other_start;
    double to = end < other_end ? end : other_end;
    return to > from ? to - from : 0;
}

double servegen_rate(const struct servegen *servegen, double start_s, double end_s)
{
    double expected = 0;
    for (size_t i = 0; i < servegen->count; i++) {
        const struct servegen_client *client = &servegen->clients[i];
        for (size_t k = 0; k < client->window_count; k++)
            expected += client->windows[k].rate_per_s
                        * overlap(client->windows[k].start_s,
                                  servegen_window_end(client, k), start_s, end_s);
    }
    return expected / (end_s - start_s);
}
